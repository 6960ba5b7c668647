// Reports every memory access right before it happens, for TRITON_SANITIZE.
//
//   %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
// becomes
//   tt.print "" {cpu.access = 4 : i32, cpu.site = "kernel.py:3:8\np\nx_ptr\n8", …} : %p, %m : tensor<8x!tt.ptr<f32>>, tensor<8xi1>
//   %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
//
// A report is a print that goes to the runtime's checker instead of the console, with the pointers and the mask as its operands. Runs after
// the tensor pipeline, when all accesses are through pointers, and before the plan, so that what reports need is planned for like
// anything else. Accesses inside of map_elementwise are left alone: there an op stands for single elements.
#include "compiler/cpu/passes/CheckAccesses.h"

#include "compiler/tensor/MemoryAccess.h"
#include "compiler/tensor/Stages.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::cpu {

static void report(Operation *op, const tensor::MemoryAccess &access) {
  OpBuilder builder(op);
  AccessSite site = tensor::siteOf(op, access);
  auto pointer = cast<tensor::PointerType>(getElementTypeOrSelf(access.pointers.getType()));
  const int32_t bytes = std::max<int64_t>(tensor::getElementBits(pointer.getPointeeType()) / 8, 1);
  const int32_t what = bytes | int32_t(access.kind) << 8 | access.acquires << 10 | access.releases << 11;
  std::string shape = llvm::join(llvm::map_range(site.shape, [](int64_t n) { return std::to_string(n); }), ",");
  SmallVector<Value> operands{access.pointers};
  if (access.mask)
    operands.push_back(access.mask);
  auto print =
      tensor::PrintOp::create(builder, op->getLoc(), "", false, operands, SmallVector<int32_t>(operands.size(), 0));
  print->setDiscardableAttr(accessAttribute, builder.getI32IntegerAttr(what));
  print->setDiscardableAttr(siteAttribute, builder.getStringAttr(site.place + "\n" + site.variable + "\n" +
                                                                 (site.isTrusted ? "*" : site.tensor) + "\n" + shape));
}

namespace {
struct CheckAccesses : PassWrapper<CheckAccesses, tensor::CheckedPass<void, tensor::checkTensorIr>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckAccesses)

  StringRef getArgument() const override { return "cpu-check-accesses"; }
  StringRef getDescription() const override { return "Report every memory access before it happens"; }

  void run() override {
    WalkResult result = getOperation()->walk([&](Operation *op) -> WalkResult {
      auto access = tensor::accessOf(op);
      if (!access || op->getParentOfType<tensor::MapElementwiseOp>())
        return WalkResult::advance();
      if (Type type = access->pointers.getType(); !isa<tensor::PointerType>(getElementTypeOrSelf(type)))
        return op->emitOpError() << "accesses memory through " << type << ": only pointers can be checked";
      report(op, *access);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createCheckAccesses() { return std::make_unique<CheckAccesses>(); }
void registerCheckAccesses() { PassRegistration<CheckAccesses>(); }

} // namespace triton::cpu
