#include "compiler/tensor/Inlining.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace triton::tensor {

namespace {

struct TensorInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool) const final {
    auto function = dyn_cast<FuncOp>(callable);
    if (!function || function.isNoInline() || function.isExternal())
      return false;
    // Only the body of a function takes more than one block.
    return function.getBody().hasOneBlock() || isa<FuncOp>(call->getParentOp());
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  void handleTerminator(Operation *op, Block *next) const final {
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), next, op->getOperands());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, value] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(value);
  }
};

struct LlvmInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const final { return isa<LLVM::AssumeOp>(op); }
};

} // namespace

void addInlinerInterface(TensorDialect *dialect) { dialect->addInterfaces<TensorInliner>(); }

void registerLlvmInlining(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, LLVM::LLVMDialect *dialect) { dialect->addInterfaces<LlvmInliner>(); });
}

} // namespace triton::tensor
