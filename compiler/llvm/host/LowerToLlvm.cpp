// All patterns come from MLIR; this file only gathers them and says what must be gone afterwards.
#include "compiler/llvm/host/LowerToLlvm.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// `llvm.loop_annotation` on an scf loop arrives at the loop's backward branch as a foreign attribute; translation reads the
/// branch's own.
static void adoptLoopAnnotation(Operation *op) {
  auto annotation = op->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
  if (!annotation)
    return;
  op->removeAttr("llvm.loop_annotation");
  if (auto branch = dyn_cast<LLVM::BrOp>(op))
    branch.setLoopAnnotationAttr(annotation);
  else if (auto branch = dyn_cast<LLVM::CondBrOp>(op))
    branch.setLoopAnnotationAttr(annotation);
}

namespace {
struct LowerToLlvm : PassWrapper<LowerToLlvm, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLlvm)

  StringRef getArgument() const override { return "host-lower-to-llvm"; }
  StringRef getDescription() const override { return "Bring loops over vectors to the LLVM dialect"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, cf::ControlFlowDialect>();
  }

  LogicalResult initialize(MLIRContext *context) override {
    LowerToLLVMOptions options(context);
    typeConverter = std::make_shared<LLVMTypeConverter>(context, options);
    RewritePatternSet set(context);
    populateSCFToControlFlowConversionPatterns(set);
    cf::populateControlFlowToLLVMConversionPatterns(*typeConverter, set);
    populateFuncToLLVMConversionPatterns(*typeConverter, set);
    arith::populateCeilFloorDivExpandOpsPatterns(set);
    arith::populateArithToLLVMConversionPatterns(*typeConverter, set);
    index::populateIndexToLLVMConversionPatterns(*typeConverter, set);
    populateMathToLLVMConversionPatterns(*typeConverter, set, /*approximateLog1p=*/false);
    vector::populateVectorStepLoweringPatterns(set);
    vector::populateVectorShapeCastLoweringPatterns(set);
    vector::populateVectorInterleaveToShufflePatterns(set);
    vector::populateVectorBroadcastLoweringPatterns(set);
    vector::populateVectorMaskMaterializationPatterns(set, /*force32BitVectorIndices=*/true);
    vector::populateVectorInsertExtractStridedSliceTransforms(set);
    populateVectorToLLVMConversionPatterns(*typeConverter, set, /*reassociateFPReductions=*/false,
                                           /*force32BitVectorIndices=*/true);
    ub::populateUBToLLVMConversionPatterns(*typeConverter, set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(getOperation(), target, patterns)))
      return signalPassFailure();
    getOperation().walk([](Operation *op) { adoptLoopAnnotation(op); });
  }

  std::shared_ptr<LLVMTypeConverter> typeConverter;
  FrozenRewritePatternSet patterns;
};
} // namespace

std::unique_ptr<Pass> triton::host::createLowerToLlvm() { return std::make_unique<LowerToLlvm>(); }

void triton::host::buildLowerToLlvm(OpPassManager &passManager) {
  passManager.addPass(createLowerToLlvm());
  // Lowering repeats constants and address arithmetic; removing them here is cheaper than in LLVM.
  passManager.addPass(createCSEPass());
}

void triton::host::registerLowerToLlvm() { PassRegistration<LowerToLlvm>(); }
