// Rows of a tensor, named by number, between global and shared memory by TMA: four with each instruction. One thread of each warp
// starts those whose numbers the warp holds.
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

namespace {

/// Four rows of one box each: where they lie in shared memory, and their coordinates, the column first.
struct FourRows {
  llvm::Value *address;
  llvm::SmallVector<llvm::Value *> coordinates;
};

} // namespace

static void forEachFour(Emitter &emitter, Value rows, Value column, Value buffer,
                        llvm::function_ref<void(const FourRows &)> copy) {
  llvm::IRBuilder<> &builder = emitter.builder;
  auto type = cast<gpu::MemDescType>(buffer.getType());
  auto layout = cast<gpu::NvmmaSharedAttr>(type.getEncoding()).getLayout();
  SharedPlace place = placeOf(emitter, buffer);
  layout::LinearLayout places = gpu::toLinear(type).pseudoInvert();
  int64_t width = layout.tmaBox(type.getAllocBufferShape()).back();
  Registers numbers(emitter.registers(rows));
  auto inBuffer = emitter.coordinates(cast<RankedTensorType>(rows.getType()));
  for (unsigned first = 0; first < numbers.size(); first += 4)
    for (int64_t start = 0; start < type.getShape().back(); start += width) {
      // Rows are swizzled eight by eight: TMA does that itself, from where an unswizzled row would begin.
      llvm::Value *row = inBuffer[first][0];
      llvm::Value *eight = builder.CreateAnd(row, emitter.i32(~7));
      Indices offset = emitter.apply(places, {{"dim0", eight}, {"dim1", emitter.i32(start)}});
      llvm::Value *rest = builder.CreateMul(builder.CreateAnd(row, emitter.i32(7)), emitter.i32(width));
      llvm::Value *elements = builder.CreateAdd(offset[0], rest);
      llvm::Value *bytes = builder.CreateMul(elements, emitter.i32(type.getElementBits() / 8));
      llvm::Value *address = builder.CreateAdd(builder.CreatePtrToInt(place.base, builder.getInt32Ty()), bytes);
      FourRows four{address, {builder.CreateAdd(emitter.scalar(column), emitter.i32(start))}};
      four.coordinates.append(numbers.begin() + first, numbers.begin() + first + 4);
      copy(four);
    }
}

static llvm::LogicalResult check(Emitter &emitter, Operation *op, Value rows, Value buffer) {
  auto type = cast<RankedTensorType>(rows.getType());
  auto memory = cast<gpu::MemDescType>(buffer.getType());
  if (emitter.layout(type).freeBits("register"))
    return op->emitError() << "needs each row number once in a thread, got " << type;
  if (cast<gpu::NvmmaSharedAttr>(memory.getEncoding()).getTransposed() ||
      memory.getShape() != memory.getAllocBufferShape())
    return op->emitError() << "TMA moves whole rows: " << memory << " is not made of them";
  if (emitter.numCtas() != 1)
    return op->emitError() << "copies by TMA are for programs of one CTA, not of " << emitter.numCtas();
  return success();
}

/// Whether this thread starts the copies of the rows that its warp holds.
static llvm::Value *startsCopies(Emitter &emitter, Value rows, Value predicate) {
  llvm::Value *starts = emitter.writesElements(cast<RankedTensorType>(rows.getType()));
  return predicate ? emitter.builder.CreateAnd(starts, emitter.scalar(predicate)) : starts;
}

static llvm::LogicalResult emitGatherRows(Emitter &emitter, gpu::AsyncTmaGatherOp op) {
  if (failed(check(emitter, op, op.getXOffsets(), op.getResult())))
    return failure();
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *barrier = builder.CreatePtrToInt(emitter.registers(op.getBarrier())[0], builder.getInt32Ty());
  llvm::Value *starts = startsCopies(emitter, op.getXOffsets(), op.getPred());
  forEachFour(emitter, op.getXOffsets(), op.getYOffset(), op.getResult(), [&](const FourRows &four) {
    llvm::SmallVector<llvm::Value *> arguments{starts, four.address, emitter.scalar(op.getDesc()), barrier};
    arguments.append(four.coordinates);
    emitter.inlineAsm("@$0 cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes "
                      "[$1], [$2, {$4, $5, $6, $7, $8}], [$3];",
                      "b,r,l,r,r,r,r,r,r,~{memory}", builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  });
  return success();
}

static llvm::LogicalResult emitScatterRows(Emitter &emitter, gpu::AsyncTmaScatterOp op) {
  if (failed(check(emitter, op, op.getXOffsets(), op.getSrc())))
    return failure();
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *starts = startsCopies(emitter, op.getXOffsets(), Value());
  forEachFour(emitter, op.getXOffsets(), op.getYOffset(), op.getSrc(), [&](const FourRows &four) {
    llvm::SmallVector<llvm::Value *> arguments{starts, four.address, emitter.scalar(op.getDesc())};
    arguments.append(four.coordinates);
    emitter.inlineAsm("@$0 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                      "[$2, {$3, $4, $5, $6, $7}], [$1];",
                      "b,r,l,r,r,r,r,r,~{memory}", builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  });
  emitter.inlineAsm("@$0 cp.async.bulk.commit_group;", "b,~{memory}", builder.getVoidTy(), {starts},
                    AsmEffects::SideEffect);
  return success();
}

Emitted triton::nvidia::emitTmaRows(Emitter &emitter, Operation *op) {
  if (!isa<gpu::AsyncTmaGatherOp, gpu::AsyncTmaScatterOp>(op))
    return std::nullopt;
  if (!emitter.target().hasTmaGather())
    return op->emitError() << "'" << op->getName() << "' needs compute capability 10.x, not " << emitter.target().str();
  if (auto gather = dyn_cast<gpu::AsyncTmaGatherOp>(op))
    return emitGatherRows(emitter, gather);
  return emitScatterRows(emitter, cast<gpu::AsyncTmaScatterOp>(op));
}
