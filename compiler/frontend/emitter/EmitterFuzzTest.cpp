// Kernels with random changes: each compiles or gives errors, none crashes or hangs. TRITON_FUZZ_SECONDS=600 runs
// longer than the few hundred of a test run.
#include "compiler/frontend/emitter/EmitKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <random>

namespace triton::frontend {
namespace {

const char *const seeds[] = {
    R"(
@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * B + tl.arange(0, B)
    mask = offsets < n
    x = tl.load(p + offsets, mask=mask, other=0.0)
    y = tl.load(q + offsets, mask=mask)
    if n > 3:
        x = x + y
    elif m:
        return
    tl.store(p + offsets, x * 2 - y, mask=mask)
)",
    R"(
@triton.jit
def combine(a, b):
    return a + b

@triton.jit
def row(x, axis: tl.constexpr = 0):
    if axis == 0:
        return tl.reduce(x, 0, combine)
    else:
        return tl.max(x, axis)

@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    acc = tl.zeros((B, 4), dtype=tl.float32)
    total = 0
    i = 0
    while i < n:
        t = (i, total)
        for k in tl.range(0, m, 2, num_stages=2):
            total += k
            acc += tl.load(p + k)
        i, total = t[0] + 1, total
    for j in tl.static_range(2):
        acc = acc + j if n > 1 else acc
        if total == j:
            return
    r = row(acc, axis=1)
    tl.store(q + tl.arange(0, B)[:, None] + tl.arange(0, 4)[None, :], tl.trans(tl.trans(acc)))
    tl.store(p, row(r))
)",
    R"(
@triton.jit
def pick(x, flag, *, y=1):
    return x

@triton.jit
def choose(c, a, b):
    if c:
        return a
    return b

@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    shape: tl.constexpr = [B, B]
    a = tl.full(shape, 1, tl.float16)
    b = tl.full((B, B), n, tl.float16)
    c = tl.dot(a, b, out_dtype=tl.float32)
    s = tl.sum(c, axis=0).to(tl.int32)
    d = choose(n > m, n, m) // 3 % 7
    e = [v * 2 for v in (n, m)]
    w = tl.where(s[None, :] > d, c, 0.0)
    tl.static_assert(B >= 1, f"block {B}")
    assert n > 0, "n"
    tl.store(p + tl.arange(0, B), tl.max(w, 1) and not d, None)
    u: tl.constexpr = min(B, 3) if B is not None and isinstance(B, int) else len(e)
    x = -d ^ ~n | (m << 2) & 0xff
    tl.atomic_add(q, x + u + e[1] + getattr(tl, "abs")(d))
)",
};

const char *const atoms[] = {"None",
                             "0",
                             "1",
                             "-1",
                             "3",
                             "1.5",
                             "1e400",
                             "2 ** 80",
                             "True",
                             "'text'",
                             "()",
                             "(1, 2)",
                             "(n, p)",
                             "n",
                             "m",
                             "p",
                             "q",
                             "B",
                             "x",
                             "acc",
                             "i",
                             "tl",
                             "tl.float32",
                             "tl.int1",
                             "tl.uint64",
                             "tl.float8e5",
                             "kernel",
                             "combine",
                             "row",
                             "tl.load",
                             "tl.load(p)",
                             "tl.store(p, n)",
                             "tl.arange(0, 8)",
                             "tl.arange(0, B)[:, None]",
                             "x[0]",
                             "x[1:]",
                             "x.T",
                             "x.dtype",
                             "x.shape",
                             "x.to(tl.int8)",
                             "not n",
                             "-x",
                             "~n",
                             "[v for v in (n, 1)]",
                             "lambda: 0",
                             "undefined",
                             "tl.sum",
                             "tl.sum(x, 0)",
                             "tl.static_range(3)",
                             "tl.range(n)",
                             "range(5, 0, -1)",
                             "f'{n}'",
                             "f'{B!r}'",
                             "len(x)",
                             "float('inf')",
                             "float('nan')",
                             "int(B)",
                             "...",
                             "tl.constexpr",
                             "*(n, m)",
                             "(1 if n else x)",
                             "n and m",
                             "B or n",
                             "n is None",
                             "x == None",
                             "tl.zeros((B, B), tl.float16)",
                             "tl.full((), n, tl.int64)",
                             "tl.reshape",
                             "tl.math.exp",
                             "tl.trans",
                             "tl.dot",
                             "tl.where",
                             "tl.cat",
                             "tl.join",
                             "tl.split",
                             "tl.cumsum",
                             "tl.sort",
                             "tl.rand",
                             "tl.cdiv",
                             "tl.program_id(n)",
                             "tl.atomic_add",
                             "tl.make_block_ptr",
                             "tl.device_print",
                             "min",
                             "max",
                             "print",
                             "getattr",
                             "18446744073709551616",
                             "-9223372036854775809",
                             "0x7fffffff",
                             "slice",
                             "tl.tuple",
                             "tl.reduce",
                             "n.x",
                             "t[0]"};
const char *const operators[] = {"+",  "-",  "*",  "//", "%",  "/", "<<", ">>", "&",   "|", "^",
                                 "**", "==", "!=", "<",  "<=", ">", ">=", "is", "and", "or"};
const char *const statements[] = {"pass",
                                  "return",
                                  "return n",
                                  "return x, n",
                                  "x = n",
                                  "x = 1.5",
                                  "acc = x",
                                  "n += 1",
                                  "t = (n, x)",
                                  "x, n = n, x",
                                  "x: tl.constexpr = 3",
                                  "del n",
                                  "import os",
                                  "global n",
                                  "assert x",
                                  "for i in range(n): x = i",
                                  "for j in tl.static_range(3): x = j + n",
                                  "for n in range(m): pass",
                                  "while n < 3: n += 1",
                                  "while x: pass",
                                  "if n: x = 1",
                                  "if n: return",
                                  "if x > n: acc = 3",
                                  "with x(): pass",
                                  "tl.store(p, x)",
                                  "p += n",
                                  "x = x if n > 1 else m",
                                  "x.y = 3",
                                  "x[0] = 3",
                                  "kernel(p, q, n, m, B)",
                                  "x = kernel",
                                  "x = None",
                                  "x = tl.float32",
                                  "x = tl.load(p + x)",
                                  "tl.static_print(x, n)",
                                  "tl.static_assert(x == n)",
                                  "tl.device_assert(n > 0, 'n')",
                                  "x = tl.sum(x)",
                                  "x = 'text'"};

struct Mutator {
  std::mt19937 random{7};

  size_t upTo(size_t count) { return random() % count; }
  template <size_t N> std::string pick(const char *const (&from)[N]) { return from[upTo(N)]; }

  /// Puts an expression, an operator or a statement where another one was; now and then an expression anywhere.
  std::string mutate(llvm::StringRef seed) {
    llvm::SmallVector<llvm::StringRef> lines;
    seed.split(lines, '\n');
    std::vector<std::string> text(lines.begin(), lines.end());
    for (size_t change = 0, count = 1 + upTo(3); change < count; ++change) {
      std::string &line = text[upTo(text.size())];
      const size_t indent = std::min(line.find_first_not_of(' '), line.size());
      if (indent == line.size() || indent == 0)
        continue;
      switch (upTo(8)) {
      case 0:
        line = std::string(indent, ' ') + pick(statements);
        break;
      case 1:
        line = std::string(indent, ' ') + pick(statements) + "\n" + line;
        break;
      case 2:
        line = line + "\n" + std::string(indent, ' ') + llvm::StringRef(text[upTo(text.size())]).trim().str();
        break;
      case 3:
        line.insert(upTo(line.size() + 1), pick(atoms));
        break;
      default:
        replaceToken(line, indent);
      }
    }
    return llvm::join(text, "\n");
  }

  void replaceToken(std::string &line, size_t indent) {
    size_t at = indent + upTo(line.size() - indent);
    auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
    if (isWord(line[at])) {
      size_t begin = at, end = at;
      while (begin > indent && isWord(line[begin - 1]))
        --begin;
      while (end < line.size() && isWord(line[end]))
        ++end;
      line.replace(begin, end - begin, pick(atoms));
    } else if (llvm::StringRef("+-*/%<>&|^").contains(line[at])) {
      line.replace(at, 1, " " + pick(operators) + " ");
    }
  }
};

TEST(EmitterFuzz, NothingCrashes) {
  const char *signatures[] = {"*fp32, *fp32, i32, i32, 16", "*fp16:16, *i64, i64, 1, 4", "*i8, *fp32, fp32, None, 16",
                              "*u1, *bf16, u32, (i32, fp32), 1"};
  Mutator mutator;
  const char *seconds = std::getenv("TRITON_FUZZ_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  unsigned compiled = 0, count = 0;
  for (; count < 400 || std::chrono::steady_clock::now() < end; ++count) {
    const std::string text = mutator.mutate(seeds[mutator.upTo(std::size(seeds))]);
    const char *signature = signatures[mutator.upTo(std::size(signatures))];
    if (const char *path = std::getenv("TRITON_FUZZ_TRACE")) {
      // What is about to run, for when it does crash.
      std::error_code error;
      llvm::raw_fd_ostream(path, error) << "# " << signature << "\n" << text;
    }
    Emitted emitted = emitText(text, signature, "kernel");
    compiled += !emitted.ir.empty();
    // The user's mistakes are found before the IR's own checks find them.
    for (llvm::StringRef message : emitted.messages)
      EXPECT_FALSE(message.contains("' op ") || message.contains("dominate")) << message.str() << "\n" << text;
    EXPECT_TRUE(!emitted.ir.empty() || !emitted.errors.empty()) << "neither IR nor an error:\n" << text;
  }
  EXPECT_GT(compiled, 0u) << "of " << count;
}

} // namespace
} // namespace triton::frontend
