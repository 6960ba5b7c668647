#include "compiler/tensor/MemoryAccess.h"

#include "compiler/tensor/Roots.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::tensor {

std::optional<MemoryAccess> accessOf(Operation *op) {
  using Kind = Access::Kind;
  // Only what is done to one element can be meant to order others.
  auto atomic = [](auto op, Value mask) {
    auto shaped = dyn_cast<RankedTensorType>(op.getPtr().getType());
    const bool isSingle = !shaped || shaped.getNumElements() == 1;
    const MemSemantic sem = op.getSem();
    const bool both = sem == MemSemantic::AcquireRelease;
    return MemoryAccess{Kind::Atomic, isSingle && (both || sem == MemSemantic::Acquire),
                        isSingle && (both || sem == MemSemantic::Release), op.getPtr(), mask};
  };
  return llvm::TypeSwitch<Operation *, std::optional<MemoryAccess>>(op)
      .Case([](LoadOp load) {
        return MemoryAccess{Kind::Read, load.getIsVolatile(), false, load.getPtr(), load.getMask()};
      })
      .Case([](StoreOp store) { return MemoryAccess{Kind::Write, false, false, store.getPtr(), store.getMask()}; })
      .Case([&](AtomicRMWOp update) { return atomic(update, update.getMask()); })
      .Case([&](AtomicCASOp swap) { return atomic(swap, Value()); })
      .Case<DescriptorLoadOp, DescriptorGatherOp>(
          [](auto load) { return MemoryAccess{Kind::Read, false, false, load.getDesc(), Value()}; })
      .Case<DescriptorStoreOp, DescriptorScatterOp>(
          [](auto store) { return MemoryAccess{Kind::Write, false, false, store.getDesc(), Value()}; })
      .Case(
          [](DescriptorReduceOp update) { return MemoryAccess{Kind::Atomic, false, false, update.getDesc(), Value()}; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<RMWOp> updateOf(DescriptorReduceKind kind, Type element) {
  const bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case DescriptorReduceKind::Add:
    return isFloat ? RMWOp::FAdd : RMWOp::Add;
  case DescriptorReduceKind::Min:
    return isUnsigned ? RMWOp::UMin : RMWOp::Min;
  case DescriptorReduceKind::Max:
    return isUnsigned ? RMWOp::UMax : RMWOp::Max;
  case DescriptorReduceKind::And:
    return RMWOp::And;
  case DescriptorReduceKind::Or:
    return RMWOp::Or;
  case DescriptorReduceKind::Xor:
    return RMWOp::Xor;
  case DescriptorReduceKind::Inc:
  case DescriptorReduceKind::Dec:
  case DescriptorReduceKind::None:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Whether a value is what a launch gave: an argument of a kernel, or in interpreter mode a value set from outside.
static bool isTensorOfLaunch(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto function = dyn_cast_or_null<FuncOp>(argument.getOwner()->getParentOp());
    return function && !function.isPrivate();
  }
  return isa<ub::PoisonOp>(root.getDefiningOp()) && isa<NameLoc>(root.getLoc());
}

/// The variable a value was assigned to; empty if it has no name.
static std::string nameOf(Value value) {
  auto named = dyn_cast<NameLoc>(value.getLoc());
  return named ? named.getName().str() : "";
}

AccessSite siteOf(Operation *op, const MemoryAccess &access) {
  AccessSite site;
  if (auto where = op->getLoc()->findInstanceOf<FileLineColLoc>())
    site.place = (where.getFilename().strref() + ":" + Twine(where.getLine()) + ":" + Twine(where.getColumn())).str();
  site.variable = nameOf(access.pointers);
  const SmallVector<Value> roots = rootsOf(access.pointers);
  site.isTrusted = !llvm::all_of(roots, isTensorOfLaunch);
  if (roots.size() == 1 && !site.isTrusted)
    site.tensor = nameOf(roots.front());
  if (auto shaped = dyn_cast<RankedTensorType>(access.pointers.getType()))
    site.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  return site;
}

} // namespace triton::tensor
