// Turns functions on tensors into functions of loops over vectors.
//
//   tt.func public @copy(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
//     %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
//     %source = tt.addptr (tt.splat %from), %range
//     %target = tt.addptr (tt.splat %to), %range
//     %x = tt.load %source
//     tt.store %target, %x
//     tt.return
//   }
// becomes
//   func.func @copy(%args, %grid, %begin, %end, %arena) {
//     %from, %to = the arguments, read from %args
//     scf.for %program = %begin to %end {
//       scf.for %i = 0 to 1024 step 64 {
//         %x = llvm.load %from + %i : vector<64xf32>
//         llvm.store %x, %to + %i
//       }
//     }
//   }
//
// No block tensor becomes one value: the loops work on vectors of a few registers, and tensors that must exist as a
// whole lie in buffers. What is computed where is decided by a plan first. Runs after the pipeline of tensor IR:
// control flow is structured, or a graph of blocks; there are no block pointers and no descriptors.
#include "compiler/cpu/passes/LowerToLoops.h"

#include "compiler/cpu/Lowering.h"
#include "compiler/tensor/Stages.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace triton::cpu {

/// Says why a function cannot be lowered, before anything is changed.
static LogicalResult check(tensor::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    for (Type type :
         llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes()))) {
      if (auto pointer = dyn_cast<tensor::PointerType>(type);
          pointer && isa<RankedTensorType>(pointer.getPointeeType())) {
        op->emitError() << "block pointers are rewritten before they are lowered to loops, got " << type;
        return WalkResult::interrupt();
      }
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      for (int64_t size : tensor.getShape())
        if (!llvm::isPowerOf2_64(size)) {
          op->emitError() << "the CPU target needs block sizes that are powers of two, got " << type;
          return WalkResult::interrupt();
        }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct LowerToLoops : PassWrapper<LowerToLoops, tensor::CheckedPass<ModuleOp, tensor::checkTensorIr>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLoops)

  LowerToLoops() = default;
  explicit LowerToLoops(const HostTarget &target) : target(target) {}
  LowerToLoops(const LowerToLoops &other) : PassWrapper(other), target(other.target) {}

  StringRef getArgument() const override { return "cpu-lower-to-loops"; }
  StringRef getDescription() const override { return "Turn functions on tensors into loops over vectors"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                    math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  }

  LogicalResult initialize(MLIRContext *context) override {
    if (cpu.empty())
      return success();
    auto named = HostTarget::byName(cpu);
    if (!named)
      return emitError(UnknownLoc::get(context)) << llvm::toString(named.takeError());
    target = *named;
    return success();
  }

  void run() override {
    llvm::DenseMap<Operation *, Waiting> waiting; // of all, before any of them is gone
    for (auto function : getOperation().getOps<tensor::FuncOp>())
      if (!function.isPrivate())
        waiting[function] = waitingOf(function);
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<tensor::FuncOp>()))
      if (failed(check(function)) || failed(Lowering(function, target, waiting.lookup(function)).run()))
        return signalPassFailure();
  }

  HostTarget target = HostTarget::detect();
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("processor to lower for, such as x86-64-v3; this machine's if empty")};
};
} // namespace

std::unique_ptr<Pass> createLowerToLoops(const HostTarget &target) { return std::make_unique<LowerToLoops>(target); }
void registerLowerToLoops() { PassRegistration<LowerToLoops>(); }

} // namespace triton::cpu
