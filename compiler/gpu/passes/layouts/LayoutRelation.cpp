#include "compiler/gpu/passes/layouts/LayoutRelation.h"

#include "compiler/tensor/rules/Rules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

using Kind = LayoutRelation::Kind;

namespace {

/// Asks a rule of tensor IR for the layout it gives; null, and no diagnostic, where it gives none.
template <typename Rule> Attribute ask(MLIRContext *context, Rule rule) {
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) { return success(); });
  auto type = rule([&] { return emitError(UnknownLoc::get(context)); });
  if (failed(type))
    return {};
  return cast<RankedTensorType>(Type(*type)).getEncoding();
}

Attribute transposed(RankedTensorType type, ArrayRef<int32_t> order) {
  return ask(type.getContext(), [&](tensor::EmitError error) { return tensor::inferTrans(type, order, error); });
}

Attribute reshaped(RankedTensorType type, ArrayRef<int64_t> shape) {
  return ask(type.getContext(), [&](tensor::EmitError error) { return tensor::inferReshape(type, shape, error); });
}

Attribute joined(RankedTensorType type) {
  return ask(type.getContext(), [&](tensor::EmitError error) { return tensor::inferJoin(type, type, error); });
}

Attribute split(RankedTensorType type) {
  if (type.getRank() < 2)
    return {};
  return ask(type.getContext(), [&](tensor::EmitError error) { return tensor::inferSplit(type, error); });
}

Attribute concatenated(RankedTensorType type) {
  return ask(type.getContext(), [&](tensor::EmitError error) { return tensor::inferCat(type, type, error); });
}

SmallVector<int32_t> inverse(ArrayRef<int32_t> order) {
  SmallVector<int32_t> result(order.size());
  for (auto [index, from] : llvm::enumerate(order))
    result[from] = index;
  return result;
}

} // namespace

Attribute LayoutRelation::follow(Attribute from, RankedTensorType slot, RankedTensorType type) const {
  switch (kind) {
  case Kind::Same:
    return from;
  case Kind::Slice:
    return SliceAttr::get(axis, cast<DistributedAttr>(from));
  case Kind::Transposed:
    return transposed(withLayout(slot, from), order);
  case Kind::Reshaped:
    return reshaped(withLayout(slot, from), type.getShape());
  case Kind::Joined:
    return joined(withLayout(slot, from));
  case Kind::Concatenated:
    return concatenated(withLayout(slot, from));
  case Kind::Fixed:
    return layout;
  case Kind::Any:
    return {};
  }
  return {};
}

Attribute LayoutRelation::trace(Attribute to, RankedTensorType slot, RankedTensorType type) const {
  Attribute from;
  switch (kind) {
  case Kind::Same:
    return to;
  case Kind::Slice:
    if (auto slice = dyn_cast<SliceAttr>(to); slice && slice.getDim() == axis)
      return slice.getParent();
    return {};
  case Kind::Transposed:
    from = transposed(withLayout(type, to), inverse(order));
    break;
  case Kind::Reshaped:
    from = reshaped(withLayout(type, to), slot.getShape());
    break;
  case Kind::Joined:
    from = split(withLayout(type, to));
    break;
  case Kind::Concatenated:
  case Kind::Fixed:
  case Kind::Any:
    return {};
  }
  // A map may have several names: only one that leads back will do.
  return from && follow(from, slot, type) == to ? from : Attribute();
}

// Both elements of a pair in every thread.
static Attribute pairLayout(MLIRContext *context, CtaThreads threads) {
  return BlockedAttr::get(context, {2}, {threads.lanes}, {threads.warps}, {0});
}

static Attribute plainLayout(RankedTensorType type, CtaThreads threads) {
  return getDefaultBlockedLayout(type.getContext(), type.getShape(), threads);
}

static LayoutRelation fixedTo(Attribute layout) { return {.kind = Kind::Fixed, .layout = layout}; }

LayoutRelation relationOf(OpOperand &operand, CtaThreads threads) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  return llvm::TypeSwitch<Operation *, LayoutRelation>(operand.getOwner())
      .Case<tensor::ExpandDimsOp>([&](auto op) { return LayoutRelation{.kind = Kind::Slice, .axis = op.getAxis()}; })
      .Case<tensor::SplitOp>([&](auto op) {
        if (!isa<RankedTensorType>(op.getOutLHS().getType()))
          return fixedTo(pairLayout(type.getContext(), threads));
        return LayoutRelation{.kind = Kind::Joined};
      })
      .Case<tensor::GatherOp>([&](tensor::GatherOp op) {
        return LayoutRelation{.kind = operand.get() == op.getIndices() ? Kind::Same : Kind::Any};
      })
      .Case<tensor::CallOp, tensor::ReturnOp>([&](auto) { return fixedTo(plainLayout(type, threads)); })
      .Case<tensor::PrintOp, tensor::AssertOp, tensor::UnsplatOp, tensor::DescriptorStoreOp, tensor::DescriptorReduceOp,
            tensor::DescriptorGatherOp, tensor::DescriptorScatterOp>(
          [&](auto) { return LayoutRelation{.kind = Kind::Any}; })
      .Default(LayoutRelation());
}

LayoutRelation relationOf(OpResult result, CtaThreads threads) {
  auto type = cast<RankedTensorType>(result.getType());
  return llvm::TypeSwitch<Operation *, LayoutRelation>(result.getOwner())
      .Case<tensor::ReduceOp>([&](auto op) { return LayoutRelation{.kind = Kind::Slice, .axis = op.getAxis()}; })
      .Case<tensor::TransOp>(
          [&](auto op) { return LayoutRelation{.kind = Kind::Transposed, .order = llvm::to_vector(op.getOrder())}; })
      .Case<tensor::ReshapeOp>([&](auto) { return LayoutRelation{.kind = Kind::Reshaped}; })
      .Case<tensor::JoinOp>([&](tensor::JoinOp op) {
        if (!isa<RankedTensorType>(op.getLhs().getType()))
          return fixedTo(pairLayout(type.getContext(), threads));
        return LayoutRelation{.kind = Kind::Joined};
      })
      .Case<tensor::CatOp>([&](auto) { return LayoutRelation{.kind = Kind::Concatenated}; })
      .Case<tensor::HistogramOp, tensor::CallOp>([&](auto) { return fixedTo(plainLayout(type, threads)); })
      .Default(LayoutRelation());
}

RankedTensorType slotType(Operation *op) {
  auto firstTensor = [](TypeRange types) -> RankedTensorType {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        return tensor;
    return {};
  };
  RankedTensorType operand = firstTensor(op->getOperandTypes()), result = firstTensor(op->getResultTypes());
  if (isa<tensor::ReduceOp, tensor::TransOp, tensor::ReshapeOp, tensor::JoinOp, tensor::CatOp, tensor::HistogramOp>(op))
    return operand ? operand : result;
  if (isa<tensor::GatherOp, tensor::DotOp>(op) || result)
    return result;
  return operand;
}

// Whether the lowest register bits count neighbours, in row-major order, up to `count` of them.
static bool holdsNeighbours(RankedTensorType type, int64_t count) {
  const layout::LinearLayout &layout = toLinear(type);
  for (int64_t bit = 0; (int64_t(1) << bit) < count; ++bit) {
    if (layout.inputSize("register") <= (int64_t(1) << bit))
      return false;
    int64_t position = 0;
    for (auto [component, size] : llvm::zip_equal(layout.basis("register", bit), type.getShape()))
      position = position * size + component;
    if (position != (int64_t(1) << bit))
      return false;
  }
  return true;
}

bool isLegal(Operation *op, RankedTensorType slot, Attribute layout) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<tensor::MapElementwiseOp>(
          [&](auto map) { return holdsNeighbours(withLayout(slot, layout), map.getPack()); })
      .Case<tensor::ElementwiseInlineAsmOp>([&](auto assembly) {
        return toLinear(withLayout(slot, layout)).inputSize("register") >= assembly.getPackedElement();
      })
      .Default(true);
}

Attribute defaultLayout(Operation *op, RankedTensorType type, CtaThreads threads) {
  int64_t neighbours = 1;
  if (auto map = dyn_cast_or_null<tensor::MapElementwiseOp>(op))
    neighbours = map.getPack();
  if (auto assembly = dyn_cast_or_null<tensor::ElementwiseInlineAsmOp>(op))
    neighbours = assembly.getPackedElement();
  if (neighbours == 1)
    return getDefaultBlockedLayout(type.getContext(), type.getShape(), threads);
  // Registers take the neighbours; the rest of each dimension goes to lanes, then to warps.
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> registers(shape.size()), lanes(shape.size()), warps(shape.size());
  SmallVector<unsigned> order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
  int64_t lanesLeft = threads.lanes, warpsLeft = threads.warps;
  for (unsigned dimension : order) {
    int64_t left = shape[dimension];
    auto take = [&](int64_t &from) {
      const int64_t taken = std::min(from, left);
      from /= taken;
      left /= taken;
      return taken;
    };
    registers[dimension] = take(neighbours);
    lanes[dimension] = take(lanesLeft);
    warps[dimension] = take(warpsLeft);
  }
  lanes[0] *= lanesLeft;
  warps[0] *= warpsLeft;
  return BlockedAttr::get(type.getContext(), registers, lanes, warps, order);
}

} // namespace triton::gpu
