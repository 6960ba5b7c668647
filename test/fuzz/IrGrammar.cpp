// Mutations of IR texts that keep most of their grammar: numbers, types, attributes and lines are exchanged for others.
#include "test/fuzz/Grammar.h"
#include "test/fuzz/IrPieces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::fuzz {

using llvm::StringRef;

static size_t below(Random &random, size_t bound) { return bound == 0 ? 0 : random() % bound; }

template <typename All> static auto pick(const All &all, Random &random) { return all[below(random, std::size(all))]; }

static constexpr llvm::StringLiteral numbers[] = {"0",
                                                  "1",
                                                  "2",
                                                  "3",
                                                  "4",
                                                  "5",
                                                  "7",
                                                  "8",
                                                  "15",
                                                  "16",
                                                  "17",
                                                  "31",
                                                  "32",
                                                  "33",
                                                  "63",
                                                  "64",
                                                  "127",
                                                  "128",
                                                  "255",
                                                  "256",
                                                  "512",
                                                  "1023",
                                                  "1024",
                                                  "1025",
                                                  "4096",
                                                  "65535",
                                                  "65536",
                                                  "1048575",
                                                  "1048576",
                                                  "2097152",
                                                  "-1",
                                                  "-2",
                                                  "-128",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483648",
                                                  "4294967295",
                                                  "4294967296",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "9223372036854775808",
                                                  "18446744073709551615",
                                                  "18446744073709551616"};

static constexpr llvm::StringLiteral elements[] = {
    "i1",  "i8",     "i16",      "i32",        "i64",        "f16",           "bf16",      "f32",
    "f64", "f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f4E2M1FN",  "i0",
    "i2",  "i3",     "i7",       "i31",        "i33",        "i128",          "i65536",    "si32",
    "ui8", "index",  "none",     "f80",        "f128",       "tf32",          "f8E8M0FNU", "f6E3M2FN"};

static constexpr llvm::StringLiteral oddTypes[] = {"() -> ()",
                                                   "(i32) -> i32",
                                                   "tuple<>",
                                                   "tuple<i32, f32>",
                                                   "complex<f32>",
                                                   "vector<4xf32>",
                                                   "vector<[4]xf32>",
                                                   "memref<4xf32>",
                                                   "memref<?x4xf32>",
                                                   "tensor<*xf32>",
                                                   "tensor<?xf32>",
                                                   "tensor<f32>",
                                                   "tensor<0xf32>",
                                                   "tensor<4x!tt.ptr<tensor<4xf32>>>",
                                                   "!llvm.ptr",
                                                   "!llvm.struct<(i32, f32)>",
                                                   "!llvm.void",
                                                   "!llvm.array<4 x i8>",
                                                   "!ttg.async.token",
                                                   "!tt.ptr<index>",
                                                   "!tt.ptr<i7>",
                                                   "!tt.ptr<() -> ()>",
                                                   "!tt.ptr<vector<4xf32>>",
                                                   "!tt.ptr<!tt.ptr<tensor<8xf32>>>",
                                                   "!tt.ptr<f32, -1>",
                                                   "!tt.ptr<f32, 3>",
                                                   "!tt.tensordesc<tensor<3xf32>>",
                                                   "!tt.tensordesc<tensor<1048576x1048576xf32>>",
                                                   "!tt.tensordesc<tensor<4x!tt.ptr<f32>>>"};

// Those that triton-opt knows.
static constexpr llvm::StringLiteral passes[] = {"canonicalize",
                                                 "cse",
                                                 "inline",
                                                 "sccp",
                                                 "symbol-dce",
                                                 "loop-invariant-code-motion",
                                                 "remove-dead-values",
                                                 "control-flow-sink",
                                                 "mem2reg",
                                                 "sroa",
                                                 "tensor-structure-control-flow",
                                                 "tensor-rewrite-tensor-pointers",
                                                 "tensor-rewrite-descriptors",
                                                 "tensor-decompose-scaled-dots",
                                                 "tensor-hoist-splat-math",
                                                 "tensor-combine-ops",
                                                 "tensor-scalarize-carried-pointers",
                                                 "tensor-hoist-invariants",
                                                 "tensor-unroll-loops",
                                                 "tensor-pipeline",
                                                 "gpu-set-target",
                                                 "gpu-set-target{target=cuda:80}",
                                                 "gpu-set-target{target=cuda:100 num-warps=8}",
                                                 "gpu-set-target{target=cuda:90 num-warps=3}",
                                                 "gpu-flatten-loops",
                                                 "gpu-accumulate-reductions",
                                                 "gpu-legalize-dots",
                                                 "gpu-transpose-dots",
                                                 "gpu-assign-layouts",
                                                 "gpu-spread-over-ctas",
                                                 "gpu-spread-over-ctas{num-ctas=2}",
                                                 "gpu-lower-dots",
                                                 "gpu-pipeline-loops",
                                                 "gpu-pipeline-loops{num-stages=0}",
                                                 "gpu-pipeline-loops{num-stages=9}",
                                                 "gpu-lower-descriptors",
                                                 "gpu-wait-for-dots",
                                                 "gpu-allocate-tensor-memory",
                                                 "gpu-order-copies",
                                                 "gpu-make-tensor-maps",
                                                 "gpu-skip-masks",
                                                 "gpu-factor-maxima",
                                                 "gpu-allocate-global-scratch",
                                                 "gpu-allocate-shared",
                                                 "gpu-insert-barriers",
                                                 "gpu-print-access",
                                                 "gpu-place-partitions",
                                                 "gpu-place-partitions{max-registers=32}",
                                                 "gpu-pipeline",
                                                 "gpu-pipeline{target=cuda:80}",
                                                 "gpu-pipeline{target=cuda:100}",
                                                 "gpu-resources",
                                                 "gluon-settle",
                                                 "gluon-infer-coalesced",
                                                 "gluon-resolve-auto",
                                                 "gluon-pipeline",
                                                 "cpu-check-accesses",
                                                 "cpu-reduce-inside-loops",
                                                 "cpu-lower-to-loops",
                                                 "cpu-expand-math",
                                                 "cpu-pipeline",
                                                 "host-lower-to-llvm"};

static constexpr llvm::StringLiteral gpuTargets[] = {"target=cuda; arch=sm_75",
                                                     "target=cuda; arch=sm_80",
                                                     "target=cuda; arch=sm_90a",
                                                     "target=cuda; arch=sm_100a",
                                                     "target=cuda; arch=sm_120a",
                                                     "target=cuda; arch=sm_90a; maps=1",
                                                     "target=cuda; arch=sm_100a; maps=1; warps=8",
                                                     "target=cuda; arch=sm_90a; ctas=2",
                                                     "target=cuda; arch=sm_90a; stages=1",
                                                     "target=cuda; arch=sm_80; stages=7; warps=1",
                                                     "target=hip; arch=gfx942",
                                                     "target=hip; arch=gfx950; warps=8",
                                                     "target=hip; arch=gfx1100; stages=1",
                                                     "target=hip; arch=gfx1250"};

namespace {

class IrGrammar : public Grammar {
public:
  IrGrammar(llvm::ArrayRef<std::string> corpus, RunKind kind) : kind(kind), pool(corpus) {}
  std::string withSettings(const std::string &text, Random &random) const override;
  std::string change(const std::string &text, Random &random) const override;

private:
  std::string makeType(Random &random, unsigned depth = 0) const;
  std::string changeType(const std::string &text, Random &random) const;
  std::string changeNumber(const std::string &text, Random &random) const;
  std::string changeOp(const std::string &text, Random &random) const;
  std::string changeOperand(const std::string &text, Random &random) const;
  std::string changeAttribute(const std::string &text, Random &random) const;
  std::string transplant(const std::string &text, Random &random) const;

  RunKind kind;
  IrPieces pool; // of the whole corpus
};

} // namespace

std::string IrGrammar::withSettings(const std::string &text, Random &random) const {
  if (!settingsOf(text).empty())
    return text;
  std::string line = "// run: ";
  if (kind == RunKind::Passes) {
    line += "passes=";
    for (size_t left = 1 + (below(random, 2) ? 0 : below(random, 5)); left > 0; --left)
      line += pick(passes, random).str() + (left > 1 ? "," : "");
  } else if (kind == RunKind::GpuIr) {
    line += "stage=ttgir; " + pick(gpuTargets, random).str();
  } else {
    line += "stage=ttir; " + (below(random, 2) ? std::string("target=cpu") : pick(gpuTargets, random).str());
  }
  return line + "\n" + text;
}

std::string IrGrammar::makeType(Random &random, unsigned depth) const {
  switch (below(random, depth > 3 ? 2 : 9)) {
  case 0:
  case 1:
    return pick(elements, random).str();
  case 2:
    return pick(oddTypes, random).str();
  case 3:
    return "!tt.ptr<" + makeType(random, depth + 1) + (below(random, 6) ? "" : ", " + pick(numbers, random).str()) +
           ">";
  case 4:
  case 5: {
    std::string type = "tensor<";
    for (size_t left = 1 + below(random, 3); left > 0; --left)
      type += pick(numbers, random).ltrim('-').str() + "x";
    return type + (below(random, 3) ? pick(elements, random).str() : makeType(random, depth + 1)) + ">";
  }
  case 6:
    return "!tt.tensordesc<" + makeType(random, depth + 1) + ">";
  default:
    return pool.types.empty() ? "i32" : pick(pool.types, random);
  }
}

static std::string replace(StringRef text, Span span, StringRef by) {
  return (text.take_front(span.begin) + by + text.drop_front(span.end)).str();
}

/// One piece of the text, or everywhere where the same stands.
static std::string replaceAlike(StringRef text, llvm::ArrayRef<Span> spans, size_t which, StringRef by,
                                bool everywhere) {
  const StringRef old = spans[which].of(text);
  std::string result;
  size_t done = 0;
  for (auto [index, span] : llvm::enumerate(spans)) {
    if (span.begin < done || (index != which && !(everywhere && span.of(text) == old)))
      continue;
    result += text.slice(done, span.begin).str() + by.str();
    done = span.end;
  }
  return result + text.substr(done).str();
}

std::string IrGrammar::changeType(const std::string &text, Random &random) const {
  const std::vector<Span> spans = findTypes(text);
  if (spans.empty())
    return text;
  // Numbers of another width everywhere: often still a program.
  constexpr size_t plain = 14; // the first of `elements` are the language's
  if (const size_t which = below(random, spans.size());
      below(random, 2) && llvm::is_contained(llvm::ArrayRef(elements).take_front(plain), spans[which].of(text)))
    return replaceAlike(text, spans, which, elements[below(random, plain)], /*everywhere=*/true);
  return replaceAlike(text, spans, below(random, spans.size()), makeType(random), below(random, 3) != 0);
}

std::string IrGrammar::changeNumber(const std::string &text, Random &random) const {
  const std::vector<Span> spans = findNumbers(text);
  if (spans.empty())
    return text;
  const size_t which = below(random, spans.size());
  uint64_t old = 0;
  if (below(random, 2) == 0 || spans[which].of(text).getAsInteger(10, old))
    return replaceAlike(text, spans, which, pick(numbers, random), below(random, 2));
  // A size that goes with others changes with them.
  const std::string near = std::to_string(below(random, 2) ? old * 2 : below(random, 3) ? old / 2 : old + 1);
  return replaceAlike(text, spans, which, near, below(random, 4) != 0);
}

std::string IrGrammar::changeOp(const std::string &text, Random &random) const {
  const std::vector<Span> spans = findOps(text);
  if (spans.empty())
    return text;
  const Span span = pick(spans, random);
  const StringRef dialect = span.of(text).split('.').first;
  std::string op = pick(pool.ops, random);
  for (int tries = 0; tries < 20 && StringRef(op).split('.').first != dialect; ++tries)
    op = pick(pool.ops, random);
  return replace(text, span, op);
}

std::string IrGrammar::changeOperand(const std::string &text, Random &random) const {
  const std::vector<Span> spans = findValues(text);
  if (spans.empty())
    return text;
  const Span span = pick(spans, random);
  return replace(text, span, pick(spans, random).of(text));
}

std::string IrGrammar::changeAttribute(const std::string &text, Random &random) const {
  const std::vector<Attribute> found = findAttributes(text);
  if (found.empty() || pool.attributes.empty())
    return text;
  const Attribute &attribute = found[below(random, found.size())];
  const auto &other = pool.attributes[below(random, pool.attributes.size())];
  switch (below(random, 4)) {
  case 0: // another
    return replace(text, {attribute.name.begin, attribute.value.end}, other.first + " = " + other.second);
  case 1: // one more
    return replace(text, {attribute.name.begin, attribute.name.begin}, other.first + " = " + other.second + ", ");
  case 2: // none
    return replace(text, {attribute.name.begin, attribute.value.end}, "fuzz.unit");
  default: { // what the same name has elsewhere
    std::vector<StringRef> values;
    for (const auto &[name, value] : pool.attributes)
      if (name == attribute.name.of(text))
        values.push_back(value);
    return values.empty() ? text : replace(text, attribute.value, pick(values, random));
  }
  }
}

/// A line of another text, on values of this one.
std::string IrGrammar::transplant(const std::string &text, Random &random) const {
  const std::vector<Span> values = findValues(text), lines = findOpLines(text);
  if (values.empty() || lines.empty() || pool.lines.empty())
    return text;
  std::string line = pick(pool.lines, random);
  // Values of the types that the line names stand near others of these types.
  std::vector<Span> operands = findValues(line);
  for (const Span &operand : llvm::reverse(operands)) {
    const bool isResult = operand.begin == line.find_first_not_of(' ') && StringRef(line).contains(" = ");
    if (isResult) {
      line = replace(line, operand, "%fuzz" + std::to_string(below(random, 1000)));
      continue;
    }
    line = replace(line, operand, valueOfTypeIn(text, line, values, random()));
  }
  const Span at = pick(lines, random);
  return replace(text, {at.begin, at.begin}, line + "\n");
}

std::string IrGrammar::change(const std::string &text, Random &random) const {
  const size_t way = below(random, 100);
  if (way < 25)
    return changeType(text, random);
  if (way < 45)
    return changeNumber(text, random);
  if (way < 57)
    return changeOp(text, random);
  if (way < 69)
    return changeOperand(text, random);
  if (way < 79)
    return changeAttribute(text, random);
  if (way < 93)
    return transplant(text, random);
  const std::vector<Span> lines = findOpLines(text);
  if (lines.empty())
    return text;
  const Span line = pick(lines, random);
  if (way < 97)
    return replace(text, line, "");
  if (way < 99)
    return replace(text, {line.begin, line.begin}, line.of(text).str() + "\n");
  // Any piece, inside of many brackets.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> brackets[] = {
      {"(", ")"}, {"[", "]"}, {"{", "}"}, {"tuple<", ">"}, {"!tt.ptr<", ">"}, {"loc(callsite(", "))"}};
  const auto &[open, close] = pick(brackets, random);
  const size_t depth = 1 + below(random, below(random, 3) ? 150 : 100000);
  std::string piece;
  for (size_t i = 0; i < depth; ++i)
    piece += open;
  piece += "i32";
  for (size_t i = 0; i < depth; ++i)
    piece += close;
  const std::vector<Span> types = findTypes(text);
  return types.empty() ? text : replace(text, pick(types, random), piece);
}

std::unique_ptr<Grammar> createIrGrammar(llvm::ArrayRef<std::string> corpus, RunKind kind) {
  return std::make_unique<IrGrammar>(corpus, kind);
}

} // namespace triton::fuzz
