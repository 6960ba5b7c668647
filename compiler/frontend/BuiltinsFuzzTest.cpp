// Every builtin and library function with arguments drawn at random: each call compiles or is refused with a message of the frontend's own. A message
// that quotes IR means that the mistake was found by the IR's verifier, which knows nothing of the user's terms.
#include "compiler/frontend/Library.h"
#include "compiler/frontend/Signature.h"
#include "compiler/frontend/emitter/EmitKernelTesting.h"

#include <random>

namespace triton::frontend {
namespace {

/// What the calls are tried with: names bound in the kernel below, and literals.
constexpr llvm::StringLiteral atoms[] = {
    "None",
    "True",
    "False",
    "0",
    "1",
    "2",
    "-1",
    "3",
    "16",
    "100000",
    "2**40",
    "2**70",
    "-2**63",
    "0.0",
    "1.5",
    "-0.0",
    "1e300",
    "float('nan')",
    "''",
    "'zero'",
    "'rtz'",
    "'relaxed'",
    "'e2m1'",
    "'x$0'",
    "tl.float16",
    "tl.float32",
    "tl.int32",
    "tl.int1",
    "tl.uint64",
    "tl.float8e5",
    "tl.bfloat16",
    "tl.void",
    "tl.pointer_type(tl.int8)",
    "tl.block_type(tl.int32, [4])",
    "()",
    "(0,)",
    "(1, 0)",
    "[16]",
    "(16, 16)",
    "[4, 4, 16]",
    "(0, 0)",
    "(n, 1)",
    "(x, x)",
    "((1, 2), 3)",
    "('a', None)",
    "[tl.int32]",
    "tl",
    "tl.math",
    "tl.sum",
    "tl.load",
    "tl.tensor",
    "tl.constexpr",
    "_add",
    "_two",
    "_store",
    "slice_",
    "n",
    "l",
    "f",
    "d",
    "t1",
    "p",
    "q",
    "b",
    "h",
    "k",
    "e",
    "pp",
    "bp",
    "desc",
    "x",
    "y",
    "i",
    "j",
    "m",
    "pr",
    "half",
    "u",
    "x8",
    "w",
    "x.shape",
    "x.dtype",
    "tl.PropagateNan.ALL",
    "tl.arange(0, 4)",
    "...",
};

/// Part of a parameter's name, and what it then likely takes.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> likely[] = {
    {"axis", "0|1|-1|None|2"},
    {"dims", "0|1|(1, 0)|(0, 2, 1)"},
    {"dim", "0|1|-1|None"},
    {"mask", "m|t1|True|None|i > 1|y > 0"},
    {"dtype", "tl.float16|tl.int32|tl.float32|tl.int1|tl.uint8|tl.float8e5|tl.float64|tl.int64"},
    {"_fn", "_add|_two|_store"},
    {"pointer", "p|pr|q|b|h|bp|pp|e|q + r|b + g|h + g|pp + r"},
    {"base", "p|h|bp|q|e"},
    {"block_shape", "(16, 16)|[16]|[1, 32]|(64,)"},
    {"shape", "(16,)|[16, 16]|(4, 64)|[256]|()|(n, n)|[n]"},
    {"strides", "(n, 1)|[1]|(16, 1)|(l, 1)"},
    {"offsets", "(0, 0)|[n, 0]|(n,)|(l, 0)|i"},
    {"order", "(1, 0)|(0,)|(0, 1)"},
    {"format", "'e2m1'|'e4m3'|'e5m2'|'bf16'|'fp16'"},
    {"precision", "'ieee'|'tf32'|None"},
    {"propagate", "tl.PropagateNan.ALL|tl.PropagateNan.NONE"},
    {"keep", "True|False"},
    {"return_indices", "True|False"},
    {"descending", "True|False|1"},
    {"reverse", "True|False"},
    {"sem", "None|'relaxed'|'acquire'"},
    {"scope", "None|'gpu'|'sys'"},
    {"desc", "desc"},
    {"index", "i|j|u|r"},
    {"num_bins", "16|64|1"},
    {"values", "16|[16]|[8, 8]|n|i|2"},
    {"pack", "1|2|4"},
    {"k", "1|4|16"},
    {"stage", "1|2|4"},
    {"order", "0|1|2"},
    {"n_rounds", "10|1|0"},
    {"seed", "7|n|l|2**40"},
    {"asm", "'mov $0, $1;'"},
    {"constraints", "'=r,r'"},
    {"is_pure", "True|False"},
    {"scale", "None|u[:, None]|tl.zeros((16, 1), tl.uint8)|tl.zeros((16, 2), tl.uint8)"},
    {"acc", "None|y|j|half"},
    {"bitcast", "True|False"},
    {"rounding", "None|'rtz'|'rtne'"},
    {"input", "x|y|i|j|half|u|w|x8|(x, i)|n|m"},
    {"other", "x|y|i|j|half|u|0|1.5"},
    {"val", "x|y|i|1|1.5|n|f"},
    {"hs", "y|half|x8|tl.zeros((16, 16), tl.uint8)"},
    {"x", "x|y|i|u|half|n|f|w|1.5"},
    {"y", "x|y|i|u|half|n|f|2"},
    {"arg", "x|y|i|u|n|f|d"},
};

constexpr llvm::StringLiteral prologue = R"(
@triton.jit
def _add(a, b):
    return a + b

@triton.jit
def _two(a, b, c, d):
    return a + c, b + d

@triton.jit
def _store(a):
    tl.device_print("a", a)
    return a

@triton.jit
def kernel(p, q, b, h, k, e, pp, n, l, f, d):
    r = tl.arange(0, 16)
    g = r[:, None] * 16 + r[None, :]
    x = tl.load(p + r)
    y = tl.load(p + g)
    i = tl.load(q + r)
    j = tl.load(q + g)
    m = i > 0
    pr = p + r
    half = tl.load(h + g)
    u = i.to(tl.uint8)
    x8 = tl.load(e + g)
    w = y[:, :, None]
    t1 = n > 0
    slice_: tl.constexpr = tl.core.slice(None, 1, None)
    bp = tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    desc = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16])
)";
constexpr llvm::StringLiteral signature = "*fp32, *i32, *i1, *fp16, *kfp32, *fp8e5, *i64, i32, i64, fp32, fp64";

class Calls {
public:
  explicit Calls(unsigned seed) : random(seed) {}

  std::string atom() { return atoms[below(std::size(atoms))].str(); }

  /// Mostly something that could be meant for a parameter of this name.
  std::string argument(llvm::StringRef parameter) {
    if (below(4) == 0)
      return atom();
    for (const auto &[part, choices] : likely)
      if (parameter.contains(part)) {
        llvm::SmallVector<llvm::StringRef> list;
        choices.split(list, '|');
        return list[below(list.size())].str();
      }
    return atom();
  }

  /// A call with a value for each required parameter and some of the others.
  std::string call(const std::string &callee, const Signature &signature, unsigned skip) {
    std::vector<std::string> arguments;
    bool byKeyword = false;
    for (const Signature::Parameter &parameter : llvm::drop_begin(signature.parameters, skip)) {
      if (parameter.kind == Signature::Kind::Rest) {
        for (unsigned count = below(3); count > 0; --count)
          arguments.push_back(argument(parameter.name));
        byKeyword = true;
        continue;
      }
      const bool isNeeded = !parameter.defaultValue;
      if (!isNeeded && below(2) == 0) {
        byKeyword = true;
        continue;
      }
      arguments.push_back((byKeyword || parameter.kind == Signature::Kind::KeywordOnly ? parameter.name + "=" : "") +
                          argument(parameter.name));
    }
    return callee + "(" + llvm::join(arguments, ", ") + ")";
  }

private:
  size_t below(size_t bound) { return random() % bound; }
  std::mt19937 random;
};

void expectAnswer(const std::string &statement) {
  LanguageOptions options;
  options.debug = statement.size() % 2;
  const Emitted emitted = emitText((prologue + "    " + statement + "\n").str(), signature, "kernel", options);
  EXPECT_NE(emitted.ir.empty(), emitted.messages.empty()) << statement;
  for (const std::string &message : emitted.messages)
    EXPECT_EQ(message.find("' op "), std::string::npos) << statement << "\n" << message;
}

constexpr unsigned callsEach = 12;

TEST(BuiltinsFuzz, Builtins) {
  Calls calls(1);
  for (const Builtin &builtin : builtins()) {
    if (builtin.module == "triton.language.extra.libdevice" && builtin.name.size() % 5 != 0)
      continue; // one table, one function behind it
    if (builtin.name == "static_print")
      continue;
    const Signature &signature = signatureOf(builtin);
    for (unsigned round = 0; round < callsEach; ++round) {
      const bool isMethodOfClass = builtin.module == "triton.language.tensor" ||
                                   builtin.module == "triton.language.tensor_descriptor" ||
                                   builtin.module == "triton.language.dtype" || builtin.module.starts_with("builtins.");
      if (isMethodOfClass || (builtin.isMethod && round % 2))
        expectAnswer("z = (" + calls.atom() + ")." + calls.call(builtin.name.str(), signature, 1));
      else
        expectAnswer("z = " + calls.call(builtin.module == "builtins" ? builtin.name.str()
                                                                      : (builtin.module + "." + builtin.name).str(),
                                         signature, 0));
    }
  }
}

TEST(BuiltinsFuzz, Library) {
  Calls calls(2);
  for (llvm::StringRef module : {"triton.language.standard", "triton.language.random"})
    for (llvm::StringRef name : libraryNames(module))
      for (unsigned round = 0; round < callsEach; ++round)
        expectAnswer("z = " + calls.call((module + "." + name).str(), signatureOf(*libraryFunction(module, name)), 0));
}

TEST(BuiltinsFuzz, Operators) {
  Calls calls(3);
  for (llvm::StringRef op : {"+", "-",  "*",  "/", "//", "%", "**", "<<",  ">>", "&",  "|", "^",
                             "@", "==", "!=", "<", "<=", ">", ">=", "and", "or", "is", "in"})
    for (unsigned round = 0; round < callsEach; ++round)
      expectAnswer("z: tl.constexpr = (" + calls.atom() + ") " + op.str() + " (" + calls.atom() + ")");
  for (llvm::StringRef op : {"-", "+", "~", "not "})
    for (unsigned round = 0; round < callsEach; ++round)
      expectAnswer("z = " + op.str() + "(" + calls.atom() + ")");
  for (unsigned round = 0; round < 8 * callsEach; ++round) {
    expectAnswer("z = (" + calls.atom() + ")[" + calls.atom() + "]");
    expectAnswer("z = " + calls.atom());
    expectAnswer("z = (" + calls.atom() + ")(" + calls.atom() + ")");
    expectAnswer("z = " + calls.atom() + " if " + calls.atom() + " else " + calls.atom());
  }
}

} // namespace
} // namespace triton::frontend
