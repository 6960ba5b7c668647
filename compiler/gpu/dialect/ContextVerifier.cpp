#include "compiler/gpu/dialect/ContextVerifier.h"

#include "compiler/tensor/Stages.h"

using namespace mlir;

namespace triton::gpu {

namespace {
struct ContextVerifier {
  int threadsPerWarp, numCtas;
  /// Types found right for a number of warps.
  DenseSet<std::pair<Type, int>> checked;

  LogicalResult checkType(Operation *op, Type type, int numWarps) {
    if (!hasLayout(type) || checked.contains({type, numWarps}))
      return success();
    const layout::LinearLayout &map = toLinear(cast<RankedTensorType>(type));
    if (int64_t lanes = map.inputSize("lane"); lanes != threadsPerWarp)
      return op->emitOpError() << "has a layout of " << lanes << " threads per warp, but the module requires "
                               << threadsPerWarp << ": " << type;
    if (int64_t warps = map.inputSize("warp"); warps != numWarps)
      return op->emitOpError() << "has a layout of " << warps << " warps per CTA, but the context requires " << numWarps
                               << ": " << type;
    if (int64_t ctas = map.inputSize("block"); ctas != numCtas)
      return op->emitOpError() << "has a layout of " << ctas << " CTAs per CGA, but the module requires " << numCtas
                               << ": " << type;
    checked.insert({type, numWarps});
    return success();
  }

  /// One element of each result from the elements at its place: where they are, the result is.
  static LogicalResult checkElementwise(Operation *op) {
    if (!op->hasTrait<OpTrait::Elementwise>() && !isa<tensor::MapElementwiseOp>(op))
      return success();
    Attribute common;
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor || !tensor.getEncoding())
          continue;
        if (common && common != tensor.getEncoding())
          return op->emitOpError() << "works element by element and needs one layout, got " << common << " and "
                                   << tensor.getEncoding();
        common = tensor.getEncoding();
      }
    return success();
  }

  LogicalResult check(Operation *op, int numWarps) {
    if (failed(checkElementwise(op)))
      return failure();
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (failed(checkType(op, type, numWarps)))
          return failure();
    for (Region &region : op->getRegions()) {
      int inside = getNumWarps(region, numWarps);
      for (Block &block : region) {
        for (Type type : block.getArgumentTypes())
          if (failed(checkType(op, type, inside)))
            return failure();
        for (Operation &nested : block)
          if (failed(check(&nested, inside)))
            return failure();
      }
    }
    return success();
  }

  /// The warps that run `region`, where `outside` run the op that has it.
  static int getNumWarps(Region &region, int outside) {
    if (std::optional<int> partition = getPartitionWarps(region))
      return *partition;
    auto own = region.getParentOp()->getAttrOfType<IntegerAttr>(numWarpsName);
    return own ? static_cast<int>(own.getInt()) : outside;
  }
};
} // namespace

LogicalResult verifyLayoutContext(ModuleOp module) {
  ContextVerifier verifier{getThreadsPerWarp(module), getNumCtas(module), {}};
  return verifier.check(module, getNumWarps(module));
}

LogicalResult requireLayouts(ModuleOp module) {
  auto lacksLayout = [](Type type) { return isa<RankedTensorType>(type) && !hasLayout(type); };
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (lacksLayout(type))
        return op->emitOpError() << "has a result without a layout: " << type;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (lacksLayout(type))
            return op->emitOpError() << "has an argument without a layout: " << type;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkUnassigned(ModuleOp module) { return tensor::checkTensorIr(module); }

LogicalResult checkAssigned(ModuleOp module) {
  if (failed(tensor::checkKernelIr(module)) || failed(requireLayouts(module)))
    return failure();
  // The attribute's own check has done the same already.
  return module->hasAttr(numWarpsName) ? success() : verifyLayoutContext(module);
}

} // namespace triton::gpu
