// Puts the bodies of functions in the place of calls to them.
//
//   %y = tt.call @double(%x) : (f32) -> f32
// becomes
//   %y = arith.addf %x, %x : f32
//
// Functions that nobody calls any more go, unless they are public. Runs once control flow is structured: almost all functions have one block then, and fit
// anywhere. MLIR's inliner moves the rest of the caller's block three times for every call, which takes the square of the number of calls; here nothing
// moves. Leaves to it functions of several blocks and those that call themselves, and alone those that are not to be inlined; of these, with
// `inlines-blocks`, only the ones between which scalars pass, for targets whose calls take nothing else.
#include "compiler/tensor/passes/Passes.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_INLINECALLS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// Says of everything in `op` that it was called from `call`.
void addCaller(Operation *op, Location call) {
  op->walk([&](Operation *inner) {
    inner->setLoc(CallSiteLoc::get(inner->getLoc(), call));
    for (Region &region : inner->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(CallSiteLoc::get(argument.getLoc(), call));
  });
}

void inlineBody(CallOp call, Block &body) {
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    addCaller(builder.clone(op, mapping), call.getLoc());
  for (auto [result, value] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void run() override {
    OpPassManager rest(ModuleOp::getOperationName());
    if (!inlineBlocks())
      rest.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    rest.addPass(createSymbolDCEPass());
    if (failed(runPipeline(rest, getOperation())))
      signalPassFailure();
  }

  /// All calls of functions of one block. Whether only calls of functions that are not to be inlined are left.
  bool inlineBlocks() {
    const CallGraph graph(getOperation());
    SymbolTableCollection symbols;
    DenseSet<Operation *> finished;
    bool isDone = true;
    // Callees first: what is copied calls nothing more.
    for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component) {
      if (component.hasCycle()) {
        isDone = false;
        continue;
      }
      if (component->front()->isExternal())
        continue;
      auto function = dyn_cast<FuncOp>(component->front()->getCallableRegion()->getParentOp());
      if (!function)
        continue;
      SmallVector<CallOp> calls;
      function.walk([&](CallOp call) { calls.push_back(call); });
      for (CallOp call : calls) {
        auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr());
        if (finished.contains(callee) && fits(call, callee))
          inlineBody(call, callee.getBody().front());
        else
          isDone &= staysCall(callee);
      }
      finished.insert(function);
    }
    return isDone;
  }

  bool staysCall(FuncOp callee) const {
    auto hasBlock = [](TypeRange types) { return llvm::any_of(types, llvm::IsaPred<RankedTensorType>); };
    return callee.isExternal() || (callee.isNoInline() && !(inlinesBlocks && (hasBlock(callee.getArgumentTypes()) ||
                                                                              hasBlock(callee.getResultTypes()))));
  }

  bool fits(CallOp call, FuncOp callee) const {
    return !staysCall(callee) && callee.getBody().hasOneBlock() &&
           isa<ReturnOp>(callee.getBody().front().getTerminator()) &&
           call.getOperandTypes() == TypeRange(callee.getArgumentTypes()) &&
           call.getResultTypes() == TypeRange(callee.getResultTypes());
  }
};

} // namespace

} // namespace triton::tensor
