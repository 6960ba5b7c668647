// How tensor IR is inlined by MLIR's inliner: any op may move into any region of tensor IR; calls of functions marked `noinline` stay.
#include "compiler/tensor/Inliner.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace triton::tensor {
namespace {

struct InlineTensorIr : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto function = dyn_cast<FuncOp>(callable);
    return function && !function.isNoInline();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  /// The callee is one block, so its `tt.return` just names the values.
  void handleTerminator(Operation *terminator, ValueRange results) const final {
    for (auto [result, value] : llvm::zip(results, terminator->getOperands()))
      result.replaceAllUsesWith(value);
  }
  void handleTerminator(Operation *terminator, Block *next) const final {
    OpBuilder builder(terminator);
    cf::BranchOp::create(builder, terminator->getLoc(), next, terminator->getOperands());
    terminator->erase();
  }
};

} // namespace

void addInlinerInterface(TensorDialect &dialect) { dialect.addInterfaces<InlineTensorIr>(); }

} // namespace triton::tensor
