// Dots by tcgen05.mma: one thread tells the tensor cores to multiply A (in shared or tensor memory) and B (in shared memory) and to add to an
// accumulator in tensor memory. They run asynchronously, in the order they were begun; an mbarrier hears when they are done.
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/dots/InstructionDescriptor.h"
#include "compiler/llvm/nvidia/dots/MatrixDescriptor.h"
#include "compiler/llvm/nvidia/dots/TensorCores.h"
#include "compiler/llvm/nvidia/memory/TensorMemory.h"

#include "compiler/gpu/Buffers.h"
#include "compiler/layout/NamedLayouts.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

/// The descriptor of a buffer's first part; address and fields.
static llvm::Value *descriptorOf(Emitter &emitter, Value buffer, const MatrixDescriptor &fields) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::ArrayRef<llvm::Value *> view = emitter.registers(buffer);
  const int64_t bytes = cast<gpu::MemDescType>(buffer.getType()).getElementBits() / 8;
  llvm::Value *address = builder.CreateAdd(builder.CreatePtrToInt(view[0], builder.getInt32Ty()),
                                           builder.CreateMul(view[1], emitter.i32(bytes)));
  address = builder.CreateAnd(builder.CreateLShr(address, 4), emitter.i32(0x3fff));
  return builder.CreateOr(builder.CreateZExt(address, builder.getInt64Ty()), emitter.i64(fields.encodeForTcgen05()));
}

namespace {

/// An operand, and where the instruction at (row, column) of it finds its part.
struct Operand {
  Value value;
  layout::LinearLayout inverse;
  MatrixDescriptor descriptor{};
  llvm::Value *base = nullptr; // a descriptor; null for an operand in tensor memory
  int64_t elementBytes = 1;

  bool isShared() const { return base; }
  /// `row` and `column` in elements of the buffer.
  llvm::Value *at(Emitter &emitter, int64_t row, int64_t column) const {
    if (!isShared())
      return tensorMemoryAddress(emitter, value, row, column);
    int64_t offset = inverse.apply({{"dim0", row}, {"dim1", column}}).front();
    return emitter.builder.CreateAdd(base, emitter.i64(offset * elementBytes >> 4));
  }
};

struct Tcgen05Dot {
  Emitter &emitter;
  Operation *op;
  Value aValue, bValue, d, useD;
  InstructionDescriptor descriptor;
  int64_t depth;                    // along K
  int64_t step;                     // of one instruction
  Value aScale, bScale;             // null: there are none
  int64_t scalesPerStep = 0;        // per row
  int64_t aPacked = 1, bPacked = 1; // how many numbers along K an element of the buffer holds
  llvm::IRBuilder<> &builder = emitter.builder;
  gpu::MemDescType type = cast<gpu::MemDescType>(d.getType());
  gpu::TensorMemoryEncodingAttr layout = dyn_cast<gpu::TensorMemoryEncodingAttr>(type.getEncoding());
  Operand a{}, b{};

  FailureOr<Operand> operand(Value value, bool isLeft) {
    auto buffer = cast<gpu::MemDescType>(value.getType());
    if (gpu::isTensorMemory(buffer))
      return Operand{.value = value};
    layout::LinearLayout inverse = gpu::toLinear(buffer).pseudoInvert();
    int64_t m = descriptor.m, n = descriptor.n;
    auto swizzled = dyn_cast<gpu::NvmmaSharedAttr>(buffer.getEncoding());
    bool isPadded = swizzled && swizzled.getFp4Padded();
    if (isPadded != ((isLeft ? aPacked : bPacked) == 2 && descriptor.kind == MmaKind::Mxf8f6f4))
      return op->emitError() << "tcgen05.mma of kind " << name(descriptor.kind) << " reads operand "
                             << (isLeft ? "a" : "b") << (isPadded ? " without padding" : " with fp4Padded = true")
                             << ", got " << value.getType();
    OperandTile tile =
        isLeft ? OperandTile{0, 1, m, step / aPacked, isPadded} : OperandTile{1, 0, n, step / bPacked, isPadded};
    auto matched = matchDescriptor(inverse, tile, buffer.getElementBits(), /*isTcgen05=*/true);
    if (!matched)
      return op->emitError() << "tcgen05 has no descriptor for operand " << (isLeft ? "a" : "b") << " of type "
                             << value.getType();
    return Operand{value, inverse, *matched, descriptorOf(emitter, value, *matched), buffer.getElementBits() / 8};
  }

  llvm::LogicalResult checkShape() {
    if (!layout)
      return op->emitError() << "accumulates in a #ttng.tensor_memory_encoding, got " << d.getType();
    int64_t m = layout.getBlockM(), n = layout.getBlockN(), least = m == 64 ? 8 : 16;
    bool isKind = !descriptor.isScaled() || m == 128;
    if (n < least || n > 256 || !isKind)
      return op->emitError() << "tcgen05.mma of kind " << name(descriptor.kind) << " has no instruction for blocks of "
                             << m << "x" << n;
    if (depth < step)
      return op->emitError() << "tcgen05.mma of kind " << name(descriptor.kind) << " multiplies " << step
                             << " elements along K at a time, got " << depth;
    descriptor.m = m;
    descriptor.n = n;
    return success();
  }

  /// Which cell and which byte of it the first scale of (row, group) is; steps of one instruction never cross a cell.
  llvm::Value *scaleAt(Value scale, int64_t row, int64_t group, unsigned &byte) {
    byte = group % 4;
    return tensorMemoryAddress(emitter, scale, row, group / 4 * 4);
  }

  void issue(int64_t row, int64_t column, int64_t start, llvm::Value *addsTo) {
    InstructionDescriptor word = descriptor;
    word.aTransposed = a.isShared() && a.descriptor.transposed;
    word.bTransposed = b.descriptor.transposed;
    llvm::SmallVector<llvm::Value *> arguments{tensorMemoryAddress(emitter, d, row, column),
                                               a.at(emitter, row, start / aPacked),
                                               b.at(emitter, start / bPacked, column)};
    std::string text = "tcgen05.mma.cta_group::1.kind::" + name(descriptor.kind).str();
    std::string constraints = a.isShared() ? "r,l,l,r" : "r,r,l,r", scales;
    std::string left = a.isShared() ? "$1" : "[$1]", use = "$4";
    if (aScale) {
      int64_t group = start / step * scalesPerStep;
      llvm::Value *aAt = scaleAt(aScale, row, group, word.aScale), *bAt = scaleAt(bScale, column, group, word.bScale);
      arguments.append({emitter.i32(word.encode()), aAt, bAt});
      text += ".block_scale.scale_vec::" + std::to_string(scalesPerStep) + "X";
      constraints += ",r,r";
      scales = "[$4], [$5], ";
      use = "$6";
    } else {
      arguments.push_back(emitter.i32(word.encode()));
    }
    arguments.push_back(addsTo);
    emitter.inlineAsm(text + " [$0], " + left + ", $2, $3, " + scales + use + ";", constraints + ",b,~{memory}",
                      builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  }

  llvm::LogicalResult run(Value predicate, ValueRange barriers, ValueRange barrierPredicates) {
    if (failed(checkShape()))
      return failure();
    FailureOr<Operand> left = operand(aValue, true), right = operand(bValue, false);
    if (failed(left) || failed(right))
      return failure();
    a = *left;
    b = *right;
    emitByIssuer(emitter, predicate, [&] {
      for (int64_t row = 0; row < type.getShape()[0]; row += layout.getBlockM())
        for (int64_t column = 0; column < type.getShape()[1]; column += layout.getBlockN())
          for (int64_t start = 0; start < depth; start += step)
            issue(row, column, start, start == 0 ? emitter.scalar(useD) : emitter.i1(true));
      for (auto [barrier, isWanted] : llvm::zip_equal(barriers, barrierPredicates))
        commit(emitter, barrier, isWanted);
    });
    return success();
  }

  static void commit(Emitter &emitter, Value barrier, Value predicate) {
    llvm::Value *address = emitter.builder.CreatePtrToInt(emitter.registers(barrier)[0], emitter.builder.getInt32Ty());
    bool always = !predicate || matchPattern(predicate, m_One());
    std::string text = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];";
    llvm::SmallVector<llvm::Value *> arguments{address};
    if (!always)
      arguments.push_back(emitter.scalar(predicate));
    emitter.inlineAsm(always ? text : "@$1 " + text, always ? "r,~{memory}" : "r,b,~{memory}",
                      emitter.builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  }
};

} // namespace

static llvm::LogicalResult emitMma(Emitter &emitter, gpu::TCGen5MMAOp op) {
  gpu::MemDescType a = op.getA().getType(), b = op.getB().getType(), d = op.getD().getType();
  auto descriptor = describeDot(a.getElementType(), b.getElementType(), d.getElementType());
  if (!descriptor)
    return op.emitError() << "tcgen05 does not multiply " << a.getElementType() << " by " << b.getElementType()
                          << " into " << d.getElementType();
  if (descriptor->kind == MmaKind::I8 && !emitter.target().hasTcgen05Integers())
    return op.emitError() << "tcgen05 of sm_" << emitter.target().capability << " does not multiply integers";
  if (op.getTwoCtas())
    return op.emitError() << "products of two CTAs are not supported";
  Tcgen05Dot dot{emitter,
                 op,
                 op.getA(),
                 op.getB(),
                 op.getD(),
                 op.getUseD(),
                 *descriptor,
                 a.getShape()[1],
                 int64_t(descriptor->k()),
                 Value(),
                 Value()};
  return dot.run(op.getPred(), op.getBarriers(), op.getBarrierPreds());
}

static llvm::LogicalResult emitScaledMma(Emitter &emitter, gpu::TCGen5MMAScaledOp op) {
  gpu::MemDescType a = op.getA().getType(), scale = op.getAScale().getType();
  auto packed = [](tensor::ScaleDotElemType type) { return type == tensor::ScaleDotElemType::E2M1 ? 2 : 1; };
  int64_t aPacked = packed(op.getAType()), bPacked = packed(op.getBType()), k = a.getShape()[1] * aPacked;
  int64_t block = k / scale.getShape()[1];
  bool hasExponents = !tensor::isFloat8(scale.getElementType());
  auto descriptor = describeScaledDot(op.getAType(), op.getBType(), block, hasExponents);
  if (!descriptor)
    return op.emitError() << "tcgen05 does not multiply " << tensor::stringifyScaleDotElemType(op.getAType()) << " by "
                          << tensor::stringifyScaleDotElemType(op.getBType()) << " with one scale for " << block
                          << " elements";
  int64_t step = descriptor->k();
  Tcgen05Dot dot{emitter, op,   op.getA(),      op.getB(),      op.getD(),    op.getUseD(), *descriptor,
                 k,       step, op.getAScale(), op.getBScale(), step / block, aPacked,      bPacked};
  return dot.run(op.getPred(), op.getBarriers(), op.getBarrierPreds());
}

static void issueCopy(Emitter &emitter, llvm::StringRef shape, llvm::Value *to, llvm::Value *from) {
  emitter.inlineAsm("tcgen05.cp.cta_group::1." + shape.str() + " [$0], $1;", "r,l,~{memory}",
                    emitter.builder.getVoidTy(), {to, from}, AsmEffects::SideEffect);
}

/// Whether scales lie in memory as they go into tensor memory: 32 rows of 16 bytes, one such chunk behind the other.
static bool isInChunks(gpu::MemDescType from, gpu::MemDescType to) {
  if (from.getShape() != to.getShape())
    return true; // packed by the kernel, in a shape of its own
  layout::LinearLayout inverse = gpu::toLinear(from).pseudoInvert();
  layout::LinearLayout scales = layout::tensorMemoryScales(to.getShape());
  auto offsetOf = [&](llvm::StringRef input, unsigned bit) {
    layout::Coordinates at = scales.basis(input, bit);
    return inverse.apply({{"dim0", at[0]}, {"dim1", at[1]}}).front();
  };
  constexpr unsigned columnBits = 4, rowBits = 5;
  for (unsigned bit = 0; bit < llvm::Log2_64(scales.inputSize("col")); ++bit)
    if (offsetOf("col", bit) != int64_t(1) << (bit < columnBits ? bit : bit + rowBits))
      return false;
  for (unsigned bit = 0; bit < rowBits; ++bit)
    if (offsetOf("row", bit) != int64_t(1) << (bit + columnBits))
      return false;
  return true;
}

/// Shared memory to tensor memory, in the order of other work of the tensor cores.
static llvm::LogicalResult emitCopy(Emitter &emitter, gpu::TMEMCopyOp op) {
  gpu::MemDescType from = op.getSrc().getType(), to = op.getDst().getType();
  auto hasNone = [&] { return op.emitError() << "tcgen05.cp has no descriptor for " << from << " to " << to; };
  llvm::SmallVector<std::array<llvm::Value *, 2>> copies;
  llvm::StringRef shape = "32x128b.warpx4";
  llvm::IRBuilder<> &builder = emitter.builder;
  if (isa<gpu::TensorMemoryScalesAttr>(to.getEncoding())) {
    constexpr int64_t chunk = 512, columns = 4; // bytes; cells
    if (!isInChunks(from, to) || from.getNumElements() % chunk != 0)
      return hasNone();
    llvm::Value *first =
        descriptorOf(emitter, op.getSrc(), {.swizzleBytes = 0, .transposed = false, .leading = 0, .stride = 8 * 16});
    for (int64_t index = 0; index < from.getNumElements() / chunk; ++index)
      copies.push_back({builder.CreateAdd(emitter.scalar(op.getDst()), emitter.i32(columns * index)),
                        builder.CreateAdd(first, emitter.i64(index * chunk >> 4))});
  } else {
    auto layout = dyn_cast<gpu::TensorMemoryEncodingAttr>(to.getEncoding());
    constexpr int64_t rows = 128, columns = 8; // of an instruction
    shape = "128x256b";
    layout::LinearLayout inverse = gpu::toLinear(from).pseudoInvert();
    auto matched = matchDescriptor(inverse, {0, 1, rows, columns}, from.getElementBits(), /*isTcgen05=*/true);
    if (!layout || layout.getBlockM() != rows || to.getShape()[1] % columns != 0 || !matched || matched->transposed)
      return hasNone();
    const Operand source{op.getSrc(), inverse, *matched, descriptorOf(emitter, op.getSrc(), *matched),
                         from.getElementBits() / 8};
    for (int64_t row = 0; row < to.getShape()[0]; row += rows)
      for (int64_t column = 0; column < to.getShape()[1]; column += columns)
        copies.push_back({tensorMemoryAddress(emitter, op.getDst(), row, column), source.at(emitter, row, column)});
  }
  emitByIssuer(emitter, Value(), [&] {
    for (auto [target, source] : copies)
      issueCopy(emitter, shape, target, source);
    if (op.getBarrier())
      Tcgen05Dot::commit(emitter, op.getBarrier(), Value());
  });
  return success();
}

Emitted nvidia::emitTcgen05(Emitter &emitter, Operation *op) {
  auto defineToken = [&](Value token) {
    if (token)
      emitter.define(token, Registers{});
  };
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::TCGen5MMAOp op) {
        defineToken(op.getToken());
        return emitMma(emitter, op);
      })
      .Case([&](gpu::TCGen5MMAScaledOp op) {
        defineToken(op.getToken());
        return emitScaledMma(emitter, op);
      })
      .Case([&](gpu::TMEMCopyOp op) { return emitCopy(emitter, op); })
      .Case([&](gpu::TCGen5CommitOp op) {
        emitByIssuer(emitter, op.getPred(), [&] { Tcgen05Dot::commit(emitter, op.getBarrier(), Value()); });
        return success();
      })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
