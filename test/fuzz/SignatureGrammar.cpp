// Signatures of kernels, made up from the parts that they are written with.
#include "test/fuzz/Grammar.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::fuzz {

static size_t below(Random &random, size_t bound) { return bound == 0 ? 0 : random() % bound; }

template <size_t count> static llvm::StringRef pick(const llvm::StringLiteral (&all)[count], Random &random) {
  return all[below(random, count)];
}

static constexpr llvm::StringLiteral scalars[] = {
    "i1",    "i8",   "i16",  "i32",   "i64",     "u1",       "u8",      "u16",      "u32",       "u64",       "fp16",
    "bf16",  "fp32", "fp64", "fp8e5", "fp8e4nv", "fp8e4b15", "fp8e4b8", "fp8e5b16", "B",         "V",         "void",
    "index", "i7",   "i128", "fp80",  "f32",     "int32",    "float32", "tl.int32", "nvTmaDesc", "constexpr", "None"};
static constexpr llvm::StringLiteral sizes[] = {"0",
                                                "1",
                                                "2",
                                                "3",
                                                "4",
                                                "8",
                                                "16",
                                                "32",
                                                "64",
                                                "128",
                                                "1024",
                                                "1048576",
                                                "1048577",
                                                "-1",
                                                "2147483648",
                                                "4294967296",
                                                "9223372036854775807",
                                                "9223372036854775808",
                                                "18446744073709551616",
                                                "1e9",
                                                "0x10",
                                                "",
                                                "x"};
static constexpr llvm::StringLiteral constants[] = {"0",
                                                    "1",
                                                    "-1",
                                                    "3",
                                                    "16",
                                                    "64",
                                                    "1024",
                                                    "65536",
                                                    "2147483647",
                                                    "2147483648",
                                                    "-9223372036854775809",
                                                    "1e400",
                                                    "0.0",
                                                    "-0.0",
                                                    "nan",
                                                    "True",
                                                    "None",
                                                    "\"x\"",
                                                    "'",
                                                    "(1, 2)",
                                                    "()",
                                                    "((((1,),),),)",
                                                    "tl.float16",
                                                    "tl.int8",
                                                    "...",
                                                    "lambda: 0",
                                                    "{}",
                                                    "[1]",
                                                    "f(x)",
                                                    "1_0",
                                                    "0b1",
                                                    "\\"};

static std::string makeType(Random &random, unsigned depth = 0) {
  const size_t way = below(random, 12);
  if (way < 4)
    return pick(scalars, random).str();
  if (way < 8 && depth < 6)
    return (below(random, 4) == 0 ? "*k" : "*") + makeType(random, depth + 1);
  if (way == 8)
    return std::string(1 + below(random, below(random, 8) == 0 ? 20000 : 3), '*') + "fp32";
  if (way == 9)
    return makeType(random, 6) + "*";
  std::string text = "tensordesc<" + (below(random, 8) == 0 ? makeType(random, 6) : pick(scalars, random).str()) + "[";
  for (size_t left = below(random, below(random, 16) == 0 ? 40 : 4); left > 0; --left)
    text += pick(sizes, random).str() + (left > 1 ? ", " : "");
  text += "]";
  static constexpr llvm::StringLiteral layouts[] = {"", "", "", ",NVMMASharedLayout", ",", ", x[1]", "]"};
  return text + pick(layouts, random).str() + ">";
}

static std::string makeEntry(Random &random) {
  static constexpr llvm::StringLiteral hints[] = {"",   "",   "",  ":16", ":1",
                                                  ":8", ":0", ":", ":x",  ":99999999999999999999"};
  return below(random, 3) == 0 ? pick(constants, random).str() : makeType(random) + pick(hints, random).str();
}

namespace {
class SignatureGrammar : public Grammar {
public:
  std::string withSettings(const std::string &text, Random &random) const override {
    auto settings = settingsOf(text);
    static constexpr llvm::StringLiteral targets[] = {"target=cpu", "target=cuda; arch=sm_80",
                                                      "target=cuda; arch=sm_90a", "target=cuda; arch=sm_100a; maps=1",
                                                      "target=hip; arch=gfx942"};
    llvm::StringRef rest = llvm::StringRef(text).split('\n').second;
    return "# run: kernel=" + settings.lookup("kernel") + "; signature=" + settings.lookup("signature") + "; " +
           pick(targets, random).str() + "\n" + rest.str();
  }

  std::string change(const std::string &text, Random &random) const override {
    auto [line, rest] = llvm::StringRef(text).split('\n');
    auto [before, from] = line.split("signature=");
    auto [signature, after] = from.split(';');
    llvm::SmallVector<llvm::StringRef> parts;
    signature.split(parts, ", ");
    std::vector<std::string> entries;
    for (llvm::StringRef part : parts)
      entries.push_back(part.str());
    const size_t at = below(random, entries.size());
    switch (below(random, 8)) {
    case 0:
      entries.insert(entries.begin() + at, makeEntry(random));
      break;
    case 1:
      entries.erase(entries.begin() + at);
      break;
    case 2:
      std::swap(entries[at], entries[below(random, entries.size())]);
      break;
    default:
      entries[at] = makeEntry(random);
    }
    return before.str() + "signature=" + llvm::join(entries, ", ") + ";" + after.str() + "\n" + rest.str();
  }
};
} // namespace

std::unique_ptr<Grammar> createSignatureGrammar() { return std::make_unique<SignatureGrammar>(); }

} // namespace triton::fuzz
