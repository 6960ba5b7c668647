// Prints what the access analysis knows: each op that makes an integer or a pointer, `=>`, and the facts; loop variables and carried
// values behind the loop that has them. Leaves the IR as it is. For tests, and for the question why an access is narrow.
#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_PRINTACCESS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct PrintAccess : impl::PrintAccessBase<PrintAccess> {
  void run() override {
    AccessAnalysis analysis(getOperation());
    AsmState names(getOperation(), OpPrintingFlags().skipRegions().useLocalScope()); // once: it walks the whole module
    auto print = [&](Value value, auto what) {
      Type element = getElementTypeOrSelf(value.getType());
      if (!element.isIntOrIndex() && !isa<tensor::PointerType>(element))
        return;
      what();
      llvm::outs() << "  =>  ";
      analysis.of(value).print(llvm::outs());
      llvm::outs() << "\n";
    };
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        print(result, [&] { op->print(llvm::outs(), names); });
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          print(argument, [&] { llvm::outs() << op->getName() << " argument " << argument.getArgNumber(); });
    });
  }
};

} // namespace

} // namespace triton::gpu
