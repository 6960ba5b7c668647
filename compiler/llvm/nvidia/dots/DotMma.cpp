// Dots by mma.sync: a warp multiplies 16 rows of A by 8 columns of B.
//   In:  a, b in `#ttg.dot_op` of the accumulator's `#ttg.nvidia_mma` of version 2.
// An instruction takes K in words: element e of word w of slice s is the (s, w, e)-th of a lane's elements along K. Which ones these are does
// not matter as long as A and B agree, so that any kWidth is right.
#include "compiler/llvm/nvidia/dots/TensorCores.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

/// The shape and types of one instruction, and how it is called.
struct MmaInstruction {
  std::string name; // up to the operands
  llvm::Type *accumulator;
  bool isPacked;     // accumulators are f16, two in a word
  unsigned perWord;  // multiplicands in a register
  char multiplicand; // constraint of one
};

} // namespace

static std::optional<MmaInstruction> chooseInstruction(Emitter &emitter, tensor::DotOp dot) {
  Type a = cast<RankedTensorType>(dot.getA().getType()).getElementType();
  Type b = cast<RankedTensorType>(dot.getB().getType()).getElementType();
  Type c = cast<RankedTensorType>(dot.getC().getType()).getElementType();
  llvm::StringRef aName = multiplicandName(a), bName = multiplicandName(b);
  if (aName.empty() || bName.empty() || a.getIntOrFloatBitWidth() != b.getIntOrFloatBitWidth())
    return std::nullopt;
  bool isDouble = a.isF64();
  llvm::StringRef cName = c.isF32() ? "f32" : c.isF16() ? "f16" : c.isF64() ? "f64" : c.isInteger(32) ? "s32" : "";
  if (cName.empty())
    return std::nullopt;
  unsigned perWord = isDouble ? 1 : 32 / a.getIntOrFloatBitWidth();
  llvm::StringRef shape = isDouble && emitter.target().capability < 90 ? "m8n8k4" : "m16n8k";
  std::string name = ("mma.sync.aligned." + shape).str();
  if (shape == "m16n8k")
    name += std::to_string(8 * perWord);
  name += c.isInteger(32) ? ".row.col.satfinite." : ".row.col."; // sums of integers end at the largest number
  name += (cName + "." + aName + "." + bName + "." + cName).str();
  return MmaInstruction{name, emitter.type(c), c.isF16(), perWord, isDouble ? 'd' : 'r'};
}

/// "{$first,…,$last}".
static std::string operandList(unsigned &next, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ",$" : "$") + std::to_string(next++);
  return text + "}";
}

/// d = a b + c on words; returns the words of d.
static Registers callMma(Emitter &emitter, const MmaInstruction &instruction, llvm::ArrayRef<llvm::Value *> a,
                         llvm::ArrayRef<llvm::Value *> b, llvm::ArrayRef<llvm::Value *> c) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Type *word = c.front()->getType();
  char constraint = word->isFloatTy() ? 'f' : word->isDoubleTy() ? 'd' : 'r';
  std::string constraints;
  for (unsigned i = 0; i < c.size(); ++i)
    constraints += std::string(i ? ",=" : "=") + constraint;
  unsigned next = 0;
  std::string text = instruction.name + " " + operandList(next, c.size());
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::ArrayRef<llvm::Value *> operand : {a, b, c}) {
    text += ", " + operandList(next, operand.size());
    for (llvm::Value *value : operand) {
      constraints += std::string(",") + (operand.data() == c.data() ? constraint : instruction.multiplicand);
      arguments.push_back(value);
    }
  }
  auto *result = llvm::StructType::get(emitter.context(), llvm::SmallVector<llvm::Type *>(c.size(), word));
  llvm::Value *call = callTogether(emitter, text + ";", constraints, result, arguments);
  Registers words;
  for (unsigned i = 0; i < c.size(); ++i)
    words.push_back(builder.CreateExtractValue(call, i));
  return words;
}

/// Before sm_90 an instruction of f64 covers a quarter of what the layout takes as one.
static Registers callMmaF64(Emitter &emitter, const MmaInstruction &instruction, llvm::ArrayRef<llvm::Value *> a,
                            llvm::ArrayRef<llvm::Value *> b, llvm::ArrayRef<llvm::Value *> c) {
  Registers d(c.begin(), c.end());
  for (unsigned k = 0; k < 2; ++k)
    for (unsigned row = 0; row < 2; ++row) {
      Registers half =
          callMma(emitter, instruction, a.slice(2 * k + row, 1), b.slice(k, 1), llvm::ArrayRef(d).slice(2 * row, 2));
      d[2 * row] = half[0];
      d[2 * row + 1] = half[1];
    }
  return d;
}

/// The elements along K that lane 0 holds, in the order of its registers.
static std::vector<int64_t> elementsAlongK(const layout::LinearLayout &map, unsigned k) {
  std::vector<int64_t> elements = {0};
  for (const layout::LinearLayout::Input &input : map.inputs())
    if (input.name == "register")
      for (const layout::Coordinates &basis : input.bases)
        if (basis[k] != 0)
          for (size_t i = 0, count = elements.size(); i < count; ++i)
            elements.push_back(elements[i] ^ basis[k]);
  return elements;
}

/// Along K, lanes of A and lanes of B hold the same elements.
static bool agreeAlongK(const layout::LinearLayout &a, const layout::LinearLayout &b, unsigned rank) {
  if (elementsAlongK(a, rank - 1) != elementsAlongK(b, rank - 2))
    return false;
  for (unsigned bit = 0; bit < 2; ++bit)
    if (a.basis("lane", bit)[rank - 1] != b.basis("lane", bit)[rank - 2])
      return false;
  return true;
}

namespace {

/// The instructions of one dot: which registers each takes, by where its part of the result begins.
struct MmaDot {
  Emitter &emitter;
  tensor::DotOp dot;
  MmaInstruction instruction;
  std::vector<int64_t> depth; // elements along K of lane 0
  RegisterIndex aIndex{emitter.layout(dot.getA())}, bIndex{emitter.layout(dot.getB())},
      cIndex{emitter.layout(dot.getC())};
  unsigned rank = cast<RankedTensorType>(dot.getD().getType()).getRank(), m = rank - 2, n = rank - 1;

  using Key = std::vector<int64_t>;
  static Key keyOf(const layout::Coordinates &element) { return Key(element.begin(), element.end()); }
  std::map<Key, Registers> accumulators; // words, by origin

  layout::Coordinates originOf(unsigned reg) const {
    layout::Coordinates origin = cIndex.element(reg);
    origin[m] &= ~int64_t(8);
    origin[n] &= ~int64_t(1);
    return origin;
  }

  void loadAccumulators() {
    llvm::ArrayRef<llvm::Value *> c = emitter.registers(dot.getC());
    for (unsigned reg = 0; reg < cIndex.size(); ++reg) {
      layout::Coordinates origin = originOf(reg);
      Registers &words = accumulators[keyOf(origin)];
      if (!words.empty())
        continue;
      Registers values;
      for (unsigned i = 0; i < 4; ++i) {
        layout::Coordinates element = origin;
        element[m] += 8 * (i / 2);
        element[n] += i % 2;
        values.push_back(c[cIndex.at(element)]);
      }
      words = values;
      if (instruction.isPacked)
        words = {packWord(emitter, {values[0], values[1]}), packWord(emitter, {values[2], values[3]})};
    }
  }

  /// The word that begins with the `first`th element along K, which is dimension `k`.
  llvm::Value *word(llvm::ArrayRef<llvm::Value *> registers, const RegisterIndex &index, layout::Coordinates element,
                    unsigned k, size_t first) {
    llvm::SmallVector<llvm::Value *> elements;
    for (unsigned e = 0; e < instruction.perWord; ++e) {
      element[k] = depth[first + e];
      elements.push_back(registers[index.at(element)]);
    }
    return instruction.multiplicand == 'd' ? elements.front() : packWord(emitter, elements);
  }

  Registers wordsOfA(layout::Coordinates rows, size_t slice) {
    Registers words;
    for (unsigned i = 0; i < 4; ++i) {
      layout::Coordinates element = rows;
      element[m] += 8 * (i % 2);
      words.push_back(
          word(emitter.registers(dot.getA()), aIndex, element, rank - 1, slice + i / 2 * instruction.perWord));
    }
    return words;
  }

  Registers wordsOfB(const layout::Coordinates &columns, size_t slice) {
    Registers words;
    for (unsigned i = 0; i < 2; ++i)
      words.push_back(word(emitter.registers(dot.getB()), bIndex, columns, rank - 2, slice + i * instruction.perWord));
    return words;
  }

  /// All instructions of a slice of K: neighbours do not wait for each other.
  void multiplySlice(size_t slice) {
    std::map<Key, Registers> left, right; // packed once for all instructions that take them
    for (auto &[origin, accumulator] : accumulators) {
      layout::Coordinates rows(origin.begin(), origin.end()), columns = rows;
      rows[n] = columns[m] = 0;
      Registers &a = left[keyOf(rows)], &b = right[keyOf(columns)];
      if (a.empty())
        a = wordsOfA(rows, slice);
      if (b.empty())
        b = wordsOfB(columns, slice);
      bool isQuarter = llvm::StringRef(instruction.name).contains("m8n8k4");
      accumulator = (isQuarter ? callMmaF64 : callMma)(emitter, instruction, a, b, accumulator);
    }
  }

  void defineResult() {
    for (auto &[origin, accumulator] : accumulators)
      if (instruction.isPacked) {
        Registers values = unpackWord(emitter, accumulator[0], instruction.accumulator);
        llvm::append_range(values, unpackWord(emitter, accumulator[1], instruction.accumulator));
        accumulator = values;
      }
    Registers results;
    for (unsigned reg = 0; reg < cIndex.size(); ++reg) {
      const layout::Coordinates &element = cIndex.element(reg);
      results.push_back(accumulators.at(keyOf(originOf(reg)))[(element[m] >> 3 & 1) * 2 + (element[n] & 1)]);
    }
    emitter.define(dot.getD(), std::move(results));
  }
};

} // namespace

llvm::LogicalResult emitMmaDot(Emitter &emitter, tensor::DotOp dot) {
  const layout::LinearLayout &a = emitter.layout(dot.getA()), &b = emitter.layout(dot.getB());
  unsigned rank = cast<RankedTensorType>(dot.getD().getType()).getRank();
  std::optional<MmaInstruction> instruction = chooseInstruction(emitter, dot);
  std::vector<int64_t> depth = elementsAlongK(a, rank - 1);
  if (!instruction || !agreeAlongK(a, b, rank) || depth.size() % (2 * instruction->perWord) != 0)
    return dot.emitError() << "no tensor core multiplies " << dot.getA().getType() << " by " << dot.getB().getType()
                           << " into " << dot.getD().getType();
  MmaDot mma{emitter, dot, *instruction, depth};
  mma.loadAccumulators();
  for (size_t slice = 0; slice < depth.size(); slice += 2 * instruction->perWord)
    mma.multiplySlice(slice);
  mma.defineResult();
  return success();
}

} // namespace triton::nvidia
