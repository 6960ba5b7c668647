// A kernel that goes on with programs which have not begun, by cluster launch control: the option `clc`.
//
//   %x = tt.get_program_id x
//   "body"(%x)
// becomes
//   %answer = ttg.local_alloc : memdesc<2xi64, …, mutable>
//   %barrier = ttg.local_alloc : memdesc<1xi64, …, mutable>
//   ttng.init_barrier %barrier, 1
//   %first = tt.get_program_id x
//   scf.while (%goesOn = %true, %phase = 0, %x = %first) {
//     ttng.barrier_expect %barrier, 16, %true
//     ttng.clc_try_cancel %answer, %barrier        asks for the next program while this one runs
//     "body"(%x)
//     ttng.wait_barrier %barrier, %phase
//     %result = ttg.clc_load_result %answer
//     yield is_canceled(%result), %phase ^ 1, program_id(%result, x)
//   }
//   ttng.inval_barrier %barrier
//
// So a launch's programs are shared out as multiprocessors become free, and what a program begins with is paid for once. Runs when tensors have layouts and the
// module says how many CTAs a program has; before loops are pipelined, which then are loops inside of a loop like any others.
#include "compiler/gpu/Target.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LOOPOVERPROGRAMS
#include "compiler/gpu/passes/Passes.h.inc"

/// What the hardware writes: the number of the program that it gives away, and whether there was one.
static constexpr int64_t answerBytes = 16;

static MemDescType answerType(MLIRContext *context) {
  return MemDescType::get({2}, IntegerType::get(context, 64), SwizzledSharedAttr::get(context, 1, 1, 1, {0}),
                          SharedMemoryAttr::get(context), /*mutableMemory=*/true);
}

namespace {
struct LoopOverPrograms : impl::LoopOverProgramsBase<LoopOverPrograms> {
  void run() override {
    ModuleOp module = getOperation();
    if (std::optional<int> capability = getComputeCapability(module); !capability || *capability < 100) {
      module.emitError() << "cluster launch control needs compute capability 10.0 or newer";
      return signalPassFailure();
    }
    for (auto function : module.getOps<tensor::FuncOp>())
      if (failed(function.isPublic() ? loopOver(function) : checkCalled(function)))
        return signalPassFailure();
  }

  /// What a kernel calls cannot see which program runs now.
  static LogicalResult checkCalled(tensor::FuncOp function) {
    WalkResult result = function.walk([](tensor::GetProgramIdOp op) {
      op.emitError()
          << "with clc=True a function that is not inlined cannot ask for tl.program_id: pass it as an argument";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// All CTAs of a cluster are here. One of them asks for all: their barriers must be ready, and the last answer read.
  static void meet(OpBuilder &builder, Location loc, int numCtas) {
    if (numCtas == 1)
      return;
    ClusterArriveOp::create(builder, loc, /*relaxed=*/false);
    ClusterWaitOp::create(builder, loc);
  }

  static LogicalResult loopOver(tensor::FuncOp kernel) {
    if (!kernel.getBody().hasOneBlock())
      return kernel.emitError() << "clc=True needs a kernel without jumps";
    const int numCtas = getNumCtas(kernel->getParentOfType<ModuleOp>());
    Block &body = kernel.getBody().front();
    Operation *end = body.getTerminator();
    SmallVector<Operation *> work;
    for (Operation &op : body.without_terminator())
      work.push_back(&op);

    // The programs' numbers, along the axes that the kernel asks for.
    SmallVector<tensor::ProgramIDDim> axes;
    SmallVector<tensor::GetProgramIdOp> asked;
    kernel.walk([&](tensor::GetProgramIdOp op) {
      asked.push_back(op);
      if (!llvm::is_contained(axes, op.getAxis()))
        axes.push_back(op.getAxis());
    });

    OpBuilder builder(end);
    Location loc = kernel.getLoc();
    Value answer = LocalAllocOp::create(builder, loc, answerType(kernel.getContext()));
    Value barrier = LocalAllocOp::create(builder, loc, barrierType(kernel.getContext(), std::nullopt));
    InitBarrierOp::create(builder, loc, barrier, 1);
    meet(builder, loc, numCtas);
    Value isTrue = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
    SmallVector<Value> inits = {isTrue, zero};
    for (tensor::ProgramIDDim axis : axes)
      inits.push_back(tensor::GetProgramIdOp::create(builder, loc, axis));

    auto loop = scf::WhileOp::create(
        builder, loc, TypeRange(ValueRange(inits)), inits,
        [](OpBuilder &builder, Location loc, ValueRange values) {
          scf::ConditionOp::create(builder, loc, values[0], values);
        },
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          BarrierExpectOp::create(builder, loc, barrier, answerBytes, isTrue);
          Operation *asks = CLCTryCancelOp::create(builder, loc, answer, barrier);
          WaitBarrierOp::create(builder, loc, barrier, values[1]);
          Value result = CLCLoadResultOp::create(builder, loc, builder.getIntegerType(128), answer);
          FenceAsyncSharedOp::create(builder, loc,
                                     /*bCluster=*/numCtas > 1); // the next answer is written behind this read
          meet(builder, loc, numCtas);
          SmallVector<Value> next = {CLCIsCanceledOp::create(builder, loc, builder.getI1Type(), result),
                                     arith::XOrIOp::create(builder, loc, values[1], one)};
          for (tensor::ProgramIDDim axis : axes)
            next.push_back(CLCGetProgramIdOp::create(builder, loc, builder.getI32Type(), result, axis));
          scf::YieldOp::create(builder, loc, next);
          for (Operation *op : llvm::reverse(work))
            op->moveAfter(asks);
        });
    InvalBarrierOp::create(builder, loc, barrier);
    for (tensor::GetProgramIdOp op : asked) {
      auto place = llvm::find(axes, op.getAxis()) - axes.begin();
      op.getResult().replaceAllUsesWith(loop.getAfterArguments()[2 + place]);
      op.erase();
    }
    return success();
  }
};
} // namespace

} // namespace triton::gpu
