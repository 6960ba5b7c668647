// The dialect `gluon`: layouts that a kernel leaves open, and the rule that what is made of an open layout is open.
#include "compiler/gluon/Gluon.h"

#include "compiler/gpu/dialect/AmdOps.h"

#include "compiler/tensor/Encoding.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "compiler/gluon/GluonDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/gluon/GluonAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/gluon/GluonOps.cpp.inc"

namespace triton::gluon {

namespace {
/// What is inferred of one tensor is inferred of those made from it.
struct Placeholders : tensor::EncodingInterface {
  using EncodingInterface::EncodingInterface;
  using EmitError = tensor::EmitError;
  using Shape = llvm::ArrayRef<int64_t>;
  Inferred inferExpandDims(RankedTensorType type, int64_t, EmitError) const override { return type.getEncoding(); }
  Inferred inferReduce(RankedTensorType type, int64_t, EmitError) const override { return type.getEncoding(); }
  Inferred inferReshape(RankedTensorType type, Shape, EmitError) const override { return type.getEncoding(); }
  Inferred inferTrans(RankedTensorType type, ArrayRef<int32_t>, EmitError) const override { return type.getEncoding(); }
  Inferred inferCat(RankedTensorType type, EmitError) const override { return type.getEncoding(); }
  Inferred inferJoin(RankedTensorType type, EmitError) const override { return type.getEncoding(); }
  Inferred inferSplit(RankedTensorType type, EmitError) const override { return type.getEncoding(); }
  bool isReshape(RankedTensorType from, RankedTensorType to) const override {
    return from.getEncoding() == to.getEncoding();
  }
  bool isReorder(RankedTensorType from, RankedTensorType to) const override { return isReshape(from, to); }
  bool isSameEncoding(RankedTensorType lhs, RankedTensorType rhs) const override { return isReshape(lhs, rhs); }
  LogicalResult checkDot(RankedTensorType, RankedTensorType, RankedTensorType, EmitError error) const override {
    return error() << "takes operands whose layouts are named";
  }
};

/// Ops of GPU IR move with the function that they stand in.
struct Inlining : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
};
} // namespace

void GluonDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/gluon/GluonAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/gluon/GluonOps.cpp.inc"
      >();
  addInterfaces<Placeholders, Inlining>();
}

LogicalResult SetAutoLayoutOp::verify() {
  if (!isa<AutoEncodingAttr>(getSrc().getType().getEncoding()))
    return emitOpError() << "takes a tensor whose layout is inferred, got " << getSrc().getType();
  if (isa<AutoEncodingAttr>(getType().getEncoding()))
    return emitOpError() << "says no layout: " << getType();
  return success();
}

void registerGluonDialect(DialectRegistry &registry) {
  registry.insert<GluonDialect, mlir::gpu::GPUDialect>();
  registry.addExtension(+[](MLIRContext *, gpu::GpuDialect *dialect) { dialect->addInterfaces<Inlining>(); });
  registry.addExtension(+[](MLIRContext *, gpu::NvidiaDialect *dialect) { dialect->addInterfaces<Inlining>(); });
  registry.addExtension(+[](MLIRContext *, gpu::amd::AmdDialect *dialect) { dialect->addInterfaces<Inlining>(); });
}

} // namespace triton::gluon
