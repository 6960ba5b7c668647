// Moves what a loop computes again and again before the loop.
//
//   scf.for %i = %lo to %hi step %one : i32 {
//     %s = tt.splat %x : f32 -> tensor<128xf32>
//     tt.store %p, %s : tensor<128x!tt.ptr<f32>>
//   }
// becomes
//   %s = tt.splat %x : f32 -> tensor<128xf32>
//   scf.for %i = %lo to %hi step %one : i32 {
//     tt.store %p, %s : tensor<128x!tt.ptr<f32>>
//   }
//
// What a loop carries but never changes is first seen to be invariant:
//   scf.for … iter_args(%a = %x) { … yield %x }
// reads %x in place of %a, and carries it no more.
//
// MLIR's loop-invariant code motion, except for loops that ask to be left alone (`tl.range(…, disable_licm=True)`).
// Only ops that read no memory and may run when the loop does not are moved, so loads stay.
#include "compiler/tensor/TripCount.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_HOISTINVARIANTS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// `tl.range(…, disable_licm=True)` as the loop carries it.
bool forbidsHoisting(Operation *loop) {
  auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
  LLVM::LoopLICMAttr licm = annotation ? annotation.getLicm() : LLVM::LoopLICMAttr();
  return licm && licm.getDisable() && licm.getDisable().getValue();
}

/// Whether some carried value is now nobody's.
bool readInvariantsFromOutside(scf::ForOp loop) {
  bool hasChanged = false;
  for (auto [initial, argument, yielded, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults()))
    if (yielded == initial) {
      argument.replaceAllUsesWith(initial);
      result.replaceAllUsesWith(initial);
      hasChanged = true;
    }
  return hasChanged;
}

struct HoistInvariants : impl::HoistInvariantsBase<HoistInvariants> {
  void run() override {
    SmallVector<Operation *> changed;
    getOperation()->walk([&](scf::ForOp loop) {
      if (readInvariantsFromOutside(loop))
        changed.push_back(loop);
    });
    if (!changed.empty()) {
      RewritePatternSet patterns(&getContext());
      populateWideLoopPatterns(patterns);
      scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
      (void)applyOpPatternsGreedily(changed, std::move(patterns));
    }
    // Inner loops first: what leaves one may leave the next.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (!forbidsHoisting(loop))
        moveLoopInvariantCode(loop);
    });
  }
};

} // namespace

} // namespace triton::tensor
