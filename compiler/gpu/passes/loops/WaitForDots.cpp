// Waits for dots by tcgen05 right behind the op: tensor cores work on their own, and arrive at an mbarrier when they are done.
//
//   ttng.tc_gen5_mma %a, %b, %d, %useD, %true
// becomes
//   %barrier = ttg.local_alloc : memdesc<1xi64, …, mutable>
//   ttng.init_barrier %barrier, 1
//   ttng.tc_gen5_mma %a, %b, %d, %useD, %true, %barrier[%true] {is_async}
//   ttng.wait_barrier %barrier, 0
//   ttng.inval_barrier %barrier
// In a loop the barrier is made before it, and the loop counts its phases: 0, 1, 0, …. A phase and the one after the next look the same, so warps wait for each other behind the
// last dot of an iteration: the one that issues dots would otherwise be two phases ahead of a warp that has yet to look.
//
// Runs after loops are pipelined, which leaves some dots in flight. Those are asynchronous here already, and left alone.
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_WAITFORDOTS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct Waiting {
  IRRewriter rewriter;
  Location loc;

  Waiting(Operation *at) : rewriter(at->getContext()), loc(at->getLoc()) {}

  Value makeBarrier() {
    Value barrier = LocalAllocOp::create(rewriter, loc, barrierType(rewriter.getContext(), std::nullopt));
    InitBarrierOp::create(rewriter, loc, barrier, 1);
    return barrier;
  }
  Value constant(int32_t value) { return arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(value)); }

  template <typename Op> void wait(Op product, Value barrier, Value phase) {
    rewriter.setInsertionPoint(product);
    Value isTrue = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    product.getBarriersMutable().append(barrier);
    product.getBarrierPredsMutable().append(isTrue);
    product.setIsAsync(true);
    rewriter.setInsertionPointAfter(product);
    Value predicate = matchPattern(product.getPred(), m_One()) ? Value() : product.getPred();
    WaitBarrierOp::create(rewriter, loc, barrier, phase, predicate, ValueRange());
  }

  void waitBy(Operation *product, Value barrier, Value phase) {
    if (auto scaled = dyn_cast<TCGen5MMAScaledOp>(product))
      wait(scaled, barrier, phase);
    else
      wait(cast<TCGen5MMAOp>(product), barrier, phase);
  }

  void waitOnce(Operation *product) {
    rewriter.setInsertionPoint(product);
    Value barrier = makeBarrier(), phase = constant(0);
    waitBy(product, barrier, phase);
    rewriter.setInsertionPointAfter(product->getNextNode());
    InvalBarrierOp::create(rewriter, loc, barrier);
  }

  /// Dots that every iteration does once: one barrier each, one phase for all.
  void waitInLoop(scf::ForOp loop, ArrayRef<Operation *> products) {
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> barriers;
    for (size_t i = 0; i < products.size(); ++i)
      barriers.push_back(makeBarrier());
    Value zero = constant(0);
    auto flip = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
      Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
      return {arith::XOrIOp::create(builder, loc, arguments.back(), one)};
    };
    auto replaced = cast<scf::ForOp>(
        loop.replaceWithAdditionalYields(rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, flip)->getOperation());
    for (auto [product, barrier] : llvm::zip_equal(products, barriers))
      waitBy(product, barrier, replaced.getRegionIterArgs().back());
    if (getNumWarps(replaced) > 1)
      BarrierOp::create(rewriter, loc);
    rewriter.setInsertionPointAfter(replaced);
    for (Value barrier : barriers)
      InvalBarrierOp::create(rewriter, loc, barrier);
  }
};

bool isSynchronous(Operation *op) { return isa<TCGen5MMAOp, TCGen5MMAScaledOp>(op) && !op->hasAttr("is_async"); }

struct WaitForDots : impl::WaitForDotsBase<WaitForDots> {
  void run() override {
    SmallVector<Operation *> single;
    SmallVector<scf::ForOp> loops;
    auto isAlways = [](Operation *op) {
      return matchPattern(
          isa<TCGen5MMAOp>(op) ? cast<TCGen5MMAOp>(op).getPred() : cast<TCGen5MMAScaledOp>(op).getPred(), m_One());
    };
    getOperation().walk([&](Operation *op) {
      if (!isSynchronous(op))
        return;
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()); loop && isAlways(op)) {
        if (loops.empty() || loops.back() != loop)
          loops.push_back(loop);
      } else {
        single.push_back(op);
      }
    });
    for (Operation *product : single)
      Waiting(product).waitOnce(product);
    // Inner loops first: replacing a loop moves its body, and those in it stay as they are.
    llvm::SetVector<Operation *> unique(loops.begin(), loops.end());
    for (Operation *op : unique) {
      auto loop = cast<scf::ForOp>(op);
      SmallVector<Operation *> products;
      for (Operation &inner : *loop.getBody())
        if (isSynchronous(&inner))
          products.push_back(&inner);
      Waiting(loop).waitInLoop(loop, products);
    }
  }
};

} // namespace

} // namespace triton::gpu
