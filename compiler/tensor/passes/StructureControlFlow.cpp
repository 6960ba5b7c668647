// Turns branches between blocks into `scf`.
//
//   tt.func private @f(%c: i1, %x: i32) -> i32 {
//     cf.cond_br %c, ^early, ^late
//   ^early:
//     tt.return %x : i32
//   ^late:
//     %y = arith.addi %x, %x : i32
//     tt.return %y : i32
//   }
// becomes
//   tt.func private @f(%c: i1, %x: i32) -> i32 {
//     %r = scf.if %c -> (i32) {
//       scf.yield %x : i32
//     } else {
//       %y = arith.addi %x, %x : i32
//       scf.yield %y : i32
//     }
//     tt.return %r : i32
//   }
//
// Our own frontend emits `scf`; IR from a file may branch. Runs first: every later pass, and the inliner, then sees
// functions of one block. Leaves alone what has one block already.
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CFGToSCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_STRUCTURECONTROLFLOW
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// As MLIR does it for `func`, but a function that never returns ends in `tt.return`.
struct BranchesToScf : ControlFlowToSCFTransformation {
  FailureOr<Operation *> createUnreachableTerminator(Location location, OpBuilder &builder, Region &region) override {
    auto function = dyn_cast<FuncOp>(region.getParentOp());
    if (!function)
      return emitError(location) << "an endless loop needs a function around it";
    SmallVector<Value> results;
    for (Type type : function.getFunctionType().getResults())
      results.push_back(getUndefValue(location, builder, type));
    return ReturnOp::create(builder, location, results).getOperation();
  }
};

struct StructureControlFlow : impl::StructureControlFlowBase<StructureControlFlow> {
  void run() override {
    BranchesToScf transformation;
    bool changed = false;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!isa<FuncOp, MapElementwiseOp>(op) || llvm::hasNItemsOrLess(op->getRegion(0), 1))
        return WalkResult::advance();
      IRRewriter rewriter(op->getContext());
      changed |= succeeded(eraseUnreachableBlocks(rewriter, op->getRegions()));
      if (llvm::hasNItemsOrLess(op->getRegion(0), 1))
        return WalkResult::advance();
      auto &dominance = op == getOperation() ? getAnalysis<DominanceInfo>() : getChildAnalysis<DominanceInfo>(op);
      FailureOr<bool> structured = transformCFGToSCF(op->getRegion(0), transformation, dominance);
      changed |= succeeded(structured) && *structured;
      return failed(structured) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace triton::tensor
