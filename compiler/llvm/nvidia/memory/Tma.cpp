// Blocks of tensors between global and shared memory by TMA. One thread starts a copy; a block larger than the box that one
// instruction moves takes several.
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/memory/CachePolicy.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;
using layout::LinearLayout;

namespace {

/// The instructions that move one block, each with the place of its box in the block.
class BoxCopies {
public:
  BoxCopies(Emitter &emitter, Operation *op, Value descriptor, ValueRange coordinates, Value buffer)
      : emitter(emitter), builder(emitter.builder), op(op), type(cast<gpu::MemDescType>(buffer.getType())),
        map(emitter.scalar(descriptor)), place(placeOf(emitter, buffer)) {
    for (Value coordinate : coordinates)
      first.push_back(emitter.scalar(coordinate));
    part = gpu::copiedShape(cast<gpu::NvmmaSharedAttr>(type.getEncoding()), type.getShape());
    addPlaceInCluster();
  }

  LogicalResult check() {
    auto layout = cast<gpu::NvmmaSharedAttr>(type.getEncoding());
    if (layout.getTransposed())
      return op->emitError() << "TMA moves rows: " << type << " has columns";
    if (layout.getSwizzlingByteWidth() && box().back() > part.back())
      return op->emitError() << "TMA moves rows of " << layout.getSwizzlingByteWidth() << " bytes, " << type
                             << " has a part of each";
    if (emitter.numCtas() != 1 && type.getShape() != type.getAllocBufferShape())
      return op->emitError() << "copies into a part of a buffer are for programs of one CTA, not of "
                             << emitter.numCtas();
    return success();
  }

  /// Calls `copy` with the shared address and the coordinates, innermost first, of each box.
  void forEach(llvm::function_ref<void(llvm::Value *, llvm::ArrayRef<llvm::Value *>)> copy) {
    layout::Coordinates box = this->box();
    for (auto [size, whole] : llvm::zip(box, part))
      size = std::min(size, whole);
    LinearLayout places = gpu::toLinear(type).pseudoInvert();
    llvm::SmallVector<int64_t> start(box.size(), 0);
    for (bool more = true; more;) {
      copy(address(places, start), coordinatesOf(start));
      more = false;
      for (size_t dim = start.size(); dim-- > 0 && !more;) {
        start[dim] += box[dim];
        more = start[dim] < part[dim];
        if (!more)
          start[dim] = 0;
      }
    }
  }

  /// Whether all CTAs of the cluster hold the whole block: one of them stores it.
  bool isHeldByAll() {
    return llvm::none_of(gpu::toLinear(type).inputs(), [](const LinearLayout::Input &input) {
      return input.name == "block" && llvm::any_of(input.bases, [](const layout::Coordinates &basis) {
               return llvm::any_of(basis, [](int64_t step) { return step != 0; });
             });
    });
  }

  llvm::Value *mapAddress() { return map; }
  size_t rank() const { return first.size(); }

private:
  /// What one instruction moves: that of the whole buffer, of which this may be a part.
  layout::Coordinates box() const {
    auto layout = cast<gpu::NvmmaSharedAttr>(type.getEncoding());
    return layout.getLayout().tmaBox(gpu::copiedShape(layout, type.getAllocBufferShape()));
  }

  /// Each CTA copies what it holds, behind what the CTAs before it hold.
  void addPlaceInCluster() {
    const LinearLayout &map = gpu::toLinear(type);
    const size_t leading = first.size() - part.size();
    for (const LinearLayout::Input &input : map.inputs()) {
      if (input.name != "block")
        continue;
      for (auto [bit, basis] : llvm::enumerate(input.bases))
        for (auto [dim, step] : llvm::enumerate(basis))
          if (step) {
            llvm::Value *isThere = builder.CreateAnd(builder.CreateLShr(emitter.ctaRank(), bit), emitter.i32(1));
            llvm::Value *&place = first[leading + dim];
            place = builder.CreateAdd(place, builder.CreateMul(isThere, emitter.i32(step)));
          }
    }
  }

  llvm::Value *address(const LinearLayout &places, llvm::ArrayRef<int64_t> start) {
    llvm::SmallVector<layout::DimensionSize> at;
    for (auto [dim, value] : llvm::enumerate(start))
      at.emplace_back(layout::dimension(dim), value);
    int64_t offset = 0;
    for (auto [output, value] : llvm::zip(places.outputs(), places.apply(at)))
      if (output.name == "offset")
        offset = value;
    llvm::Value *pointer = elementAddress(emitter, place, nullptr, 0, offset, type.getElementBits());
    return builder.CreatePtrToInt(pointer, builder.getInt32Ty());
  }

  llvm::SmallVector<llvm::Value *> coordinatesOf(llvm::ArrayRef<int64_t> start) {
    llvm::SmallVector<llvm::Value *> result;
    // A buffer of lower rank than the tensor holds a block whose leading sizes are 1.
    size_t leading = first.size() - start.size();
    for (size_t dim = first.size(); dim-- > 0;)
      result.push_back(dim < leading || start[dim - leading] == 0
                           ? first[dim]
                           : builder.CreateAdd(first[dim], emitter.i32(start[dim - leading])));
    return result;
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
  gpu::MemDescType type;
  llvm::Value *map;
  SharedPlace place;
  llvm::SmallVector<llvm::Value *> first;
  llvm::SmallVector<int64_t> part; // of the buffer, in this CTA
};

} // namespace

/// `{$2, $3}`, and the constraints of `count` coordinates.
static std::string coordinateList(unsigned first, size_t count) {
  std::string list = "{";
  for (size_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return list + "}";
}

static std::string repeat(const char *text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

namespace {
/// The CTAs that hold copies of one part of a buffer: their numbers differ in the bits `copies`.
struct CopyGroup {
  uint64_t copies = 0;

  /// Of the CTAs 0, …, those in the group of the first.
  uint32_t mask() const {
    uint32_t ctas = 0;
    for (uint64_t subset = copies;; subset = (subset - 1) & copies) {
      ctas |= uint32_t(1) << subset;
      if (!subset)
        return ctas;
    }
  }
};
} // namespace

static CopyGroup copyGroup(gpu::MemDescType type) {
  CopyGroup group;
  for (const LinearLayout::Input &input : gpu::toLinear(type).inputs())
    if (input.name == "block")
      for (auto [bit, basis] : llvm::enumerate(input.bases))
        if (llvm::all_of(basis, [](int64_t step) { return step == 0; }))
          group.copies |= uint64_t(1) << bit;
  return group;
}

static llvm::LogicalResult emitLoad(Emitter &emitter, gpu::AsyncTmaCopyGlobalToLocalOp op) {
  BoxCopies boxes(emitter, op, op.getDesc(), op.getCoord(), op.getResult());
  if (failed(boxes.check()))
    return failure();
  size_t rank = boxes.rank();
  llvm::Value *barrier =
      emitter.builder.CreatePtrToInt(emitter.registers(op.getBarrier())[0], emitter.builder.getInt32Ty());
  llvm::Value *issues = isFirstThread(emitter, op.getPred());
  // The first of the CTAs that hold a part copies it for all of them; each one's own barrier counts its bytes.
  const CopyGroup group = op->hasAttr(gpu::multicastName) ? copyGroup(op.getResult().getType()) : CopyGroup();
  llvm::Value *ctas = nullptr;
  if (group.copies) {
    llvm::IRBuilder<> &builder = emitter.builder;
    llvm::Value *rank = emitter.ctaRank();
    issues = builder.CreateAnd(
        issues, builder.CreateICmpEQ(builder.CreateAnd(rank, emitter.i32(group.copies)), emitter.i32(0)));
    ctas = builder.CreateTrunc(builder.CreateShl(emitter.i32(group.mask()), rank), builder.getInt16Ty());
  }
  const std::optional<CachePolicy> policy = cachePolicyOf(emitter, op);
  llvm::Value *hint = policy ? policy->hint : nullptr;
  std::string text = "@$0 cp.async.bulk.tensor." + std::to_string(rank) +
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
                     (ctas ? ".multicast::cluster" : "") + (hint ? ".L2::cache_hint" : "") + " [$1], [$2, " +
                     coordinateList(4, rank) + "], [$3]" + (ctas ? ", $" + std::to_string(4 + rank) : "") +
                     (hint ? ", $" + std::to_string(4 + rank + (ctas ? 1 : 0)) : "") + ";";
  boxes.forEach([&](llvm::Value *address, llvm::ArrayRef<llvm::Value *> coordinates) {
    llvm::SmallVector<llvm::Value *> arguments{issues, address, boxes.mapAddress(), barrier};
    arguments.append(coordinates.begin(), coordinates.end());
    if (ctas)
      arguments.push_back(ctas);
    if (hint)
      arguments.push_back(hint);
    emitter.inlineAsm(text, "b,r,l,r" + repeat(",r", rank) + (ctas ? ",h" : "") + (hint ? ",l" : "") + ",~{memory}",
                      emitter.builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  });
  return success();
}

/// Stores and updates: `operation` is the instruction up to its operands.
static llvm::LogicalResult emitStore(Emitter &emitter, Operation *op, Value descriptor, ValueRange coordinates,
                                     Value source, const std::string &before, const std::string &after) {
  BoxCopies boxes(emitter, op, descriptor, coordinates, source);
  if (failed(boxes.check()))
    return failure();
  size_t rank = boxes.rank();
  llvm::Value *issues = isFirstThread(emitter, Value());
  if (emitter.numCtas() != 1 && boxes.isHeldByAll())
    issues = emitter.builder.CreateAnd(issues, emitter.builder.CreateICmpEQ(emitter.ctaRank(), emitter.i32(0)));
  const std::optional<CachePolicy> policy = cachePolicyOf(emitter, op);
  llvm::Value *hint = policy ? policy->hint : nullptr;
  std::string text = "@$0 " + before + std::to_string(rank) + "d" + after + (hint ? ".L2::cache_hint" : "") + " [$2, " +
                     coordinateList(3, rank) + "], [$1]" + (hint ? ", $" + std::to_string(3 + rank) : "") + ";";
  boxes.forEach([&](llvm::Value *address, llvm::ArrayRef<llvm::Value *> place) {
    llvm::SmallVector<llvm::Value *> arguments{issues, address, boxes.mapAddress()};
    arguments.append(place.begin(), place.end());
    if (hint)
      arguments.push_back(hint);
    emitter.inlineAsm(text, "b,r,l" + repeat(",r", rank) + (hint ? ",l" : "") + ",~{memory}",
                      emitter.builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  });
  emitter.inlineAsm("@$0 cp.async.bulk.commit_group;", "b,~{memory}", emitter.builder.getVoidTy(), {issues},
                    AsmEffects::SideEffect);
  return success();
}

static llvm::LogicalResult emitUpdate(Emitter &emitter, gpu::AsyncTmaReduceOp op) {
  std::string kind = tensor::stringifyDescriptorReduceKind(op.getKind()).str();
  return emitStore(emitter, op, op.getDesc(), op.getCoord(), op.getSrc(), "cp.reduce.async.bulk.tensor.",
                   ".global.shared::cta." + kind + ".tile.bulk_group");
}

Emitted triton::nvidia::emitTma(Emitter &emitter, Operation *op) {
  bool isTma = isa<gpu::AsyncTmaCopyGlobalToLocalOp, gpu::AsyncTmaCopyLocalToGlobalOp, gpu::AsyncTmaReduceOp,
                   gpu::TmaStoreWaitOp>(op);
  if (isTma && !emitter.target().hasTma())
    return op->emitError() << "'" << op->getName() << "' needs compute capability 9.0 or newer, not "
                           << emitter.target().str();
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::AsyncTmaCopyGlobalToLocalOp op) { return emitLoad(emitter, op); })
      .Case([&](gpu::AsyncTmaCopyLocalToGlobalOp op) {
        return emitStore(emitter, op, op.getDesc(), op.getCoord(), op.getSrc(), "cp.async.bulk.tensor.",
                         ".global.shared::cta.tile.bulk_group");
      })
      .Case([&](gpu::AsyncTmaReduceOp op) { return emitUpdate(emitter, op); })
      .Case([&](gpu::TmaStoreWaitOp op) {
        // By all threads: those that stored nothing have nothing to wait for.
        std::string what = op.getWritten() ? "" : ".read";
        emitter.inlineAsm("cp.async.bulk.wait_group" + what + " " + std::to_string(op.getPendings()) + ";", "~{memory}",
                          emitter.builder.getVoidTy(), {}, AsmEffects::SideEffect);
        return success();
      })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
