// Dots by wgmma: four warps multiply 64 rows of A by up to 256 columns of B, asynchronously.
//   In:  b, and a or its registers in `#ttg.dot_op`, in shared memory in an order that wgmma has a descriptor for; the accumulator in
//        `#ttg.nvidia_mma` of version 3.
// Accumulators pass through every assembly statement as operands tied to results: nothing that reads or writes them can move across one, and
// they stay in the same registers, also around loops.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/llvm/gpu/Elementwise.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/nvidia/dots/MatrixDescriptor.h"
#include "compiler/llvm/nvidia/dots/TensorCores.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::nvidia {

static char constraintOf(llvm::Type *type) {
  if (type->isFloatTy())
    return 'f';
  return type->isDoubleTy()                     ? 'd'
         : type->getPrimitiveSizeInBits() == 64 ? 'l'
         : type->getPrimitiveSizeInBits() == 16 ? 'h'
                                                : 'r';
}

/// Runs `text` with `values` tied to its results $0, …; `extra` follow as $(2 n), ….
static Registers callTied(Emitter &emitter, llvm::StringRef text, llvm::ArrayRef<llvm::Value *> values,
                          llvm::ArrayRef<llvm::Value *> extra = {}) {
  llvm::IRBuilder<> &builder = emitter.builder;
  std::string constraints, ties;
  llvm::SmallVector<llvm::Value *> arguments(values);
  llvm::SmallVector<llvm::Type *> types;
  for (auto [i, value] : llvm::enumerate(values)) {
    types.push_back(value->getType());
    constraints += std::string(i ? ",=" : "=") + constraintOf(value->getType());
    ties += "," + std::to_string(i);
  }
  constraints += ties;
  for (llvm::Value *value : extra) {
    bool isPredicate = value->getType()->isIntegerTy(1);
    constraints += std::string(constraints.empty() ? "" : ",") + (isPredicate ? 'b' : constraintOf(value->getType()));
    arguments.push_back(value);
  }
  llvm::Type *result = types.empty() ? builder.getVoidTy() : types.size() == 1 ? types.front() : resultsType(types);
  llvm::Value *call = emitter.inlineAsm(text, constraints, result, arguments, AsmEffects::Convergent);
  if (types.size() == 1)
    return {call};
  Registers results;
  for (unsigned i = 0; i < types.size(); ++i)
    results.push_back(builder.CreateExtractValue(call, i));
  return results;
}

/// Halves and bytes go into assembly as words of several.
static Registers packWords(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values) {
  unsigned bits = values.front()->getType()->getPrimitiveSizeInBits().getFixedValue();
  if (bits >= 32)
    return Registers(values.begin(), values.end());
  Registers words;
  for (unsigned i = 0; i < values.size(); i += 32 / bits)
    words.push_back(packWord(emitter, values.slice(i, 32 / bits)));
  return words;
}

static Registers unpackWords(Emitter &emitter, llvm::ArrayRef<llvm::Value *> words, llvm::Type *type) {
  if (type->getPrimitiveSizeInBits() >= 32)
    return Registers(words.begin(), words.end());
  Registers values;
  for (llvm::Value *word : words)
    llvm::append_range(values, unpackWord(emitter, word, type));
  return values;
}

namespace {

/// An operand in shared memory: its descriptor for this warpgroup, to which a tile's offset is added.
struct SharedOperand {
  layout::LinearLayout inverse;
  MatrixDescriptor descriptor;
  llvm::Value *base;
  int64_t elementBytes;

  llvm::Value *at(Emitter &emitter, int64_t row, int64_t column) const {
    layout::Coordinates offset = inverse.apply({{"dim0", row}, {"dim1", column}});
    return emitter.builder.CreateAdd(base, emitter.i64(offset.front() * elementBytes >> 4));
  }
};

struct WarpGroupDot {
  Emitter &emitter;
  gpu::WarpGroupDotOp op;
  llvm::IRBuilder<> &builder = emitter.builder;
  RankedTensorType type = cast<RankedTensorType>(op.getD().getType());
  gpu::MmaAttr mma = cast<gpu::MmaAttr>(type.getEncoding());
  int64_t n = mma.getInstrShape()[1], k = mma.getInstrShape()[2];
  RegisterIndex index{emitter.layout(type)};

  /// What the warps of a warpgroup share: bits of the warp above the lowest two, as a map to offsets in the buffer.
  layout::LinearLayout warpOffsets(const layout::LinearLayout &inverse, bool isLeft) {
    const layout::LinearLayout &map = emitter.layout(type);
    unsigned dim = isLeft ? 0 : 1;
    std::vector<layout::Coordinates> bases;
    for (unsigned bit = 0; (int64_t(1) << bit) < map.inputSize("warp"); ++bit) {
      int64_t along = bit < 2 ? 0 : map.basis("warp", bit)[dim];
      bases.push_back(inverse.apply({{dim == 0 ? "dim0" : "dim1", along}}));
    }
    std::vector<layout::LinearLayout::Output> outputs(inverse.outputs().begin(), inverse.outputs().end());
    return layout::LinearLayout({{"warp", bases}}, outputs);
  }

  FailureOr<SharedOperand> sharedOperand(Value value, bool isLeft) {
    auto buffer = cast<gpu::MemDescType>(value.getType());
    layout::LinearLayout inverse = gpu::toLinear(buffer).pseudoInvert();
    OperandTile tile = isLeft ? OperandTile{0, 1, 64, k} : OperandTile{1, 0, n, k};
    std::optional<MatrixDescriptor> descriptor = matchDescriptor(inverse, tile, buffer.getElementBits());
    if (!descriptor)
      return op.emitError() << "wgmma has no descriptor for operand " << (isLeft ? "a" : "b") << " of type "
                            << value.getType();
    llvm::ArrayRef<llvm::Value *> view = emitter.registers(value);
    int64_t bytes = buffer.getElementBits() / 8;
    llvm::Value *offset = emitter.apply(warpOffsets(inverse, isLeft), {{"warp", emitter.warpId()}}).front();
    offset = builder.CreateMul(builder.CreateXor(offset, view[1]), emitter.i32(bytes));
    llvm::Value *address = builder.CreateAdd(builder.CreatePtrToInt(view[0], builder.getInt32Ty()), offset);
    address = builder.CreateAnd(builder.CreateLShr(address, 4), emitter.i32(0x3fff));
    llvm::Value *base =
        builder.CreateOr(builder.CreateZExt(address, builder.getInt64Ty()), emitter.i64(descriptor->encode()));
    return SharedOperand{inverse, *descriptor, base, bytes};
  }

  static Type elementOf(Value operand) {
    if (auto buffer = dyn_cast<gpu::MemDescType>(operand.getType()))
      return buffer.getElementType();
    return cast<RankedTensorType>(operand.getType()).getElementType();
  }

  std::string instructionName() {
    Type accumulator = type.getElementType();
    llvm::StringRef accumulatorName = accumulator.isF32() ? "f32" : accumulator.isF16() ? "f16" : "s32";
    return ("wgmma.mma_async.sync.aligned.m64n" + llvm::Twine(n) + "k" + llvm::Twine(k) + "." + accumulatorName + "." +
            multiplicandName(elementOf(op.getA())) + "." + multiplicandName(elementOf(op.getB())))
        .str();
  }

  /// One instruction: `left` is a descriptor or four words. `addsTo` says whether the accumulators count; null: always.
  Registers multiply(llvm::ArrayRef<llvm::Value *> accumulators, llvm::ArrayRef<llvm::Value *> left, llvm::Value *right,
                     llvm::Value *addsTo, bool aTransposed, bool bTransposed) {
    unsigned next = accumulators.size() * 2;
    std::string text = instructionName() + " {";
    for (unsigned i = 0; i < accumulators.size(); ++i)
      text += (i ? ",$" : "$") + std::to_string(i);
    text += "}, ";
    llvm::SmallVector<llvm::Value *> extra(left);
    if (left.size() == 1) {
      text += "$" + std::to_string(next++);
    } else {
      for (unsigned i = 0; i < left.size(); ++i)
        text += (i ? ",$" : "{$") + std::to_string(next++);
      text += "}";
    }
    text += ", $" + std::to_string(next++) + ", ";
    extra.push_back(right);
    auto *known = llvm::dyn_cast_or_null<llvm::ConstantInt>(addsTo);
    if (!addsTo || known) {
      text += !addsTo || known->isOne() ? "1" : "0";
    } else {
      text += "$" + std::to_string(next++);
      extra.push_back(addsTo);
    }
    Type element = elementOf(op.getA());
    if (!element.isInteger())
      text += ", 1, 1";
    if (element.isF16() || element.isBF16()) {
      if (left.size() == 1)
        text += aTransposed ? ", 1" : ", 0";
      text += bTransposed ? ", 1" : ", 0";
    }
    return callTied(emitter, text + ";", accumulators, extra);
  }

  /// Words of operand A for a tile of 64 rows, by instruction along K.
  std::vector<Registers> wordsOfA(int64_t row) {
    RegisterIndex registers(emitter.layout(op.getA()));
    llvm::ArrayRef<llvm::Value *> values = emitter.registers(op.getA());
    unsigned perWord = 32 / elementOf(op.getA()).getIntOrFloatBitWidth();
    int64_t depth = cast<RankedTensorType>(op.getA().getType()).getShape().back();
    std::vector<Registers> words;
    for (int64_t start = 0; start < depth; start += k) {
      Registers &slice = words.emplace_back();
      for (unsigned word = 0; word < 4; ++word) {
        llvm::SmallVector<llvm::Value *> elements;
        for (unsigned e = 0; e < perWord; ++e)
          elements.push_back(values[registers.at({row + 8 * (word % 2), start + word / 2 * k / 2 + e})]);
        slice.push_back(packWord(emitter, elements));
      }
    }
    return words;
  }

  void commit() {
    emitter.inlineAsm("wgmma.commit_group.sync.aligned;", "", builder.getVoidTy(), {}, AsmEffects::Convergent);
  }

  /// One instruction's accumulators: n/2 registers, in its order.
  struct Tile {
    int64_t row, column;
    llvm::SmallVector<unsigned> registers;
    Registers accumulators;      // as words
    std::vector<Registers> left; // words of A by instruction along K, if A is in registers
  };
  std::vector<Tile> tiles;
  FailureOr<SharedOperand> a = SharedOperand(), b = SharedOperand();
  bool isShared = isa<gpu::MemDescType>(op.getA().getType());
  int64_t depth = cast<gpu::MemDescType>(op.getB().getType()).getShape()[0];
  bool isZero = matchPattern(op.getC(), m_Zero()) || matchPattern(op.getC(), m_AnyZeroFloat());

  void makeTiles() {
    llvm::ArrayRef<llvm::Value *> c = emitter.registers(op.getC());
    for (unsigned reg = 0; reg < index.size(); ++reg) {
      const layout::Coordinates &element = index.element(reg);
      if (element[0] % 64 != 0 || element[1] % n != 0 || index.at(element) != reg)
        continue;
      Tile &tile = tiles.emplace_back(Tile{element[0], element[1], {}, {}, {}});
      Registers values;
      for (int64_t i = 0; i < n / 2; ++i) {
        tile.registers.push_back(index.at({element[0] + (i >> 1 & 1) * 8, element[1] + (i & 1) + (i >> 2) * 8}));
        values.push_back(c[tile.registers.back()]);
      }
      tile.accumulators = packWords(emitter, values);
      if (isZero) // the first instruction does not read them
        for (llvm::Value *&value : tile.accumulators)
          value = llvm::UndefValue::get(value->getType());
      if (!isShared)
        tile.left = wordsOfA(tile.row);
    }
  }

  /// Runs `text` with the accumulators, and with `alsoLeft` the words of A, going through it.
  void callOnTiles(llvm::StringRef text, bool alsoLeft) {
    llvm::SmallVector<llvm::Value **> held;
    for (Tile &tile : tiles) {
      for (llvm::Value *&value : tile.accumulators)
        held.push_back(&value);
      if (alsoLeft)
        for (Registers &slice : tile.left)
          for (llvm::Value *&value : slice)
            held.push_back(&value);
    }
    Registers values;
    for (llvm::Value **value : held)
      values.push_back(*value);
    for (auto [place, value] : llvm::zip_equal(held, callTied(emitter, text, values)))
      *place = value;
  }

  /// Adds the dot of K elements from `start` to `accumulators`.
  void step(Tile &tile, Registers &accumulators, int64_t start, llvm::Value *addsTo) {
    Registers left = isShared ? Registers{a->at(emitter, tile.row, start)} : tile.left[start / k];
    accumulators = multiply(accumulators, left, b->at(emitter, start, tile.column), addsTo,
                            isShared && a->descriptor.transposed, b->descriptor.transposed);
  }

  /// Whether accumulators of 8-bit dots are to be moved to f32 registers now and then: the tensor core adds them with few bits.
  bool isImprecise() {
    int64_t chunk = op.getMaxNumImpreciseAcc();
    return tensor::isFloat8(elementOf(op.getB())) && type.getElementType().isF32() && chunk > 0 && chunk <= depth;
  }

  void multiplyInChunks(llvm::Value *useC) {
    int64_t chunk = std::max<int64_t>(op.getMaxNumImpreciseAcc(), k);
    llvm::Value *zero = llvm::ConstantFP::get(emitter.type(type), 0);
    llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
    builder.setFastMathFlags(fastMathFlags(emitter, op));
    for (Tile &tile : tiles)
      for (int64_t start = 0; start < depth; start += chunk) {
        Registers partial(tile.accumulators.size(), llvm::UndefValue::get(zero->getType()));
        for (int64_t at = start; at < std::min(start + chunk, depth); at += k)
          step(tile, partial, at, at == start ? emitter.i1(false) : nullptr);
        commit();
        partial = callTied(emitter, "wgmma.wait_group.sync.aligned 0;", partial);
        for (auto [accumulator, term] : llvm::zip_equal(tile.accumulators, partial)) {
          if (start == 0 && useC)
            accumulator = isZero ? zero : builder.CreateSelect(useC, accumulator, zero);
          accumulator = builder.CreateFAdd(accumulator, term);
        }
      }
  }

  llvm::LogicalResult run() {
    b = sharedOperand(op.getB(), false);
    if (isShared)
      a = sharedOperand(op.getA(), true);
    if (failed(a) || failed(b))
      return failure();
    makeTiles();
    callOnTiles("wgmma.fence.sync.aligned;", true);
    llvm::Value *useC = op.getUseC() ? emitter.scalar(op.getUseC()) : isZero ? emitter.i1(false) : nullptr;
    if (isImprecise()) {
      multiplyInChunks(useC);
    } else {
      for (Tile &tile : tiles)
        for (int64_t start = 0; start < depth; start += k)
          step(tile, tile.accumulators, start, start == 0 ? useC : nullptr);
      commit();
      if (!op.getIsAsync())
        callOnTiles("wgmma.wait_group.sync.aligned 0;", false);
    }
    defineResult();
    return success();
  }

  /// Registers that are copies, where the tensor is smaller than the warps' tile, share a result.
  void defineResult() {
    std::vector<llvm::Value *> results(index.size());
    for (Tile &tile : tiles)
      for (auto [reg, value] :
           llvm::zip_equal(tile.registers, unpackWords(emitter, tile.accumulators, emitter.type(type))))
        results[reg] = value;
    Registers all;
    for (unsigned reg = 0; reg < index.size(); ++reg)
      all.push_back(results[index.at(index.element(reg))]);
    emitter.define(op.getD(), std::move(all));
  }
};

} // namespace

llvm::LogicalResult emitWarpGroupDot(Emitter &emitter, gpu::WarpGroupDotOp dot) {
  auto mma = dyn_cast_or_null<gpu::MmaAttr>(cast<RankedTensorType>(dot.getD().getType()).getEncoding());
  if (!mma || !mma.isWgmma())
    return dot.emitError() << "the result of a warpgroup's dot needs a #ttg.nvidia_mma layout of version 3";
  if (!emitter.target().hasWgmma())
    return dot.emitError() << "sm_" << emitter.target().capability << " has no wgmma";
  return WarpGroupDot{emitter, dot}.run();
}

/// ptxas does a wait as early as it can, and then all that the dots were to run under comes behind it. It does not move a wait over an
/// instruction that may or may not be executed, which here depends on what must be computed before; if it is, nothing happens.
static void holdBack(Emitter &emitter, llvm::ArrayRef<llvm::Value *> words) {
  constexpr size_t most = 4;
  const size_t step = llvm::divideCeil(words.size(), most);
  llvm::SmallVector<llvm::Value *> chosen;
  std::string code = "{ .reg .pred p; .reg .b32 t; mov.b32 t, $0; ", constraints;
  for (size_t index = step - 1; index < words.size(); index += step) {
    if (!chosen.empty())
      code += "and.b32 t, t, $" + std::to_string(chosen.size()) + "; ";
    constraints += chosen.empty() ? "r" : ",r";
    chosen.push_back(words[index]);
  }
  emitter.inlineAsm(code + "setp.eq.s32 p, t, -1; @p nanosleep.u32 0; }", constraints, emitter.builder.getVoidTy(),
                    chosen, AsmEffects::Convergent);
}

llvm::LogicalResult emitWarpGroupDotWait(Emitter &emitter, gpu::WarpGroupDotWaitOp wait) {
  Registers words;
  llvm::SmallVector<unsigned> counts;
  for (Value input : wait.getInputs()) {
    if (!isa<RankedTensorType>(input.getType()))
      continue;
    Registers packed = packWords(emitter, emitter.registers(input));
    counts.push_back(packed.size());
    llvm::append_range(words, packed);
  }
  if (wait->hasAttr(gpu::pinnedName))
    holdBack(emitter, llvm::ArrayRef(words).take_back(counts.back()));
  words = callTied(emitter, "wgmma.wait_group.sync.aligned " + std::to_string(wait.getPendings()) + ";", words);
  llvm::ArrayRef<llvm::Value *> rest = words;
  const unsigned *count = counts.begin();
  for (auto [input, output] : llvm::zip_equal(wait.getInputs(), wait.getOutputs())) {
    if (!isa<RankedTensorType>(input.getType())) {
      llvm::ArrayRef<llvm::Value *> held = emitter.registers(input);
      emitter.define(output, Registers(held.begin(), held.end()));
      continue;
    }
    emitter.define(output, unpackWords(emitter, rest.take_front(*count), emitter.type(input.getType())));
    rest = rest.drop_front(*count++);
  }
  return success();
}

} // namespace triton::nvidia
