// The passes on GPU IR, one line each, in the order in which Pipeline.cpp runs them (PassOrder.py looks); those that only look come last. What a
// pass does and why it runs where it runs is told in its own file.
#ifndef TRITON_GPU_PASSES
#define TRITON_GPU_PASSES

include "mlir/Pass/PassBase.td"

// All that GPU passes make ops of. `check` is what the IR must pass before one runs: `checkUnassigned` before tensors have layouts, `checkAssigned` after.
class GpuPass<string name, string check>
    : PassBase<name, "::triton::tensor::CheckedPass<::mlir::ModuleOp, " # check # ">"> {
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}
class EarlyPass<string name> : GpuPass<name, "::triton::gpu::checkUnassigned">;
class LatePass<string name> : GpuPass<name, "::triton::gpu::checkAssigned">;
class AnyPass<string name> : GpuPass<name, "::triton::tensor::checkKernelIr">;

def SetTarget : EarlyPass<"gpu-set-target"> {
  let summary = "note on the module what it is compiled for";
  let options = [Option<"target", "target", "std::string", "\"cuda:90\"", "cuda:80, cuda:90, …">,
                 Option<"numWarps", "num-warps", "int", "4", "warps of a CTA">,
                 Option<"numCtas", "num-ctas", "int", "1", "CTAs of a cluster">];
}

def FlattenLoops : EarlyPass<"gpu-flatten-loops"> {
  let summary = "make one loop of nested ones that ask for it";
}

def AccumulateReductions : EarlyPass<"gpu-accumulate-reductions"> {
  let summary = "reduce over threads behind loops instead of in them";
}

def LegalizeDots : EarlyPass<"gpu-legalize-dots"> {
  let summary = "rewrite dots that no instruction takes as they are";
}

def TransposeDots : EarlyPass<"gpu-transpose-dots"> {
  let summary = "swap operands of dots that tensor cores then read as they lie";
}

def AssignLayouts : EarlyPass<"gpu-assign-layouts"> {
  let summary = "give every tensor a layout";
  let options = [Option<"printPlan", "print-plan", "bool", "false", "print the plan to standard output">];
}

def SpreadOverCtas : LatePass<"gpu-spread-over-ctas"> {
  let summary = "say which CTA of a cluster holds which elements";
  let options = [Option<"numCtas", "num-ctas", "int", "1", "CTAs of a cluster">];
}

def LoopOverPrograms : LatePass<"gpu-loop-over-programs"> {
  let summary = "go on with programs that have not begun, by cluster launch control";
}

def ReduceInThreads : LatePass<"gpu-reduce-in-threads"> {
  let summary = "carry one partial sum of a row per thread around loops";
}

def LowerDots : LatePass<"gpu-lower-dots"> {
  let summary = "put operands of dots into shared memory, and accumulators into tensor memory";
}

def PipelineLoops : LatePass<"gpu-pipeline-loops"> {
  let summary = "software pipelining: overlap the loads of later iterations with the work of this one";
  let options = [Option<"numStages", "num-stages", "int", "3", "for loops that do not say">,
                 Option<"printPlan", "print-plan", "bool", "false", "print the plan of each loop to standard output">];
}

def LowerDescriptors : LatePass<"gpu-lower-descriptors"> {
  let summary = "leave accesses through tensor descriptors to TMA";
}

def OrderCopies : LatePass<"gpu-order-copies"> {
  let summary = "order copies of TMA with other accesses of the same global memory";
}

def MakeTensorMaps : LatePass<"gpu-make-tensor-maps"> {
  let summary = "write TMA's maps of tensors that the kernel describes itself";
}

def SkipMasks : LatePass<"gpu-skip-masks"> {
  let summary = "choose by masks only where they are not all the same";
}

def FactorMaxima : LatePass<"gpu-factor-maxima"> {
  let summary = "multiply maxima instead of all numbers";
}

def LowerBufferAccesses : LatePass<"gpu-lower-buffer-accesses"> {
  let summary = "accesses by a base and offsets become accesses by pointers";
}

def ExpandMath : LatePass<"gpu-expand-math"> {
  let summary = "elementary functions become arithmetic where the target has no library for them";
}

def WaitForDots : LatePass<"gpu-wait-for-dots"> {
  let summary = "wait, at an mbarrier, for dots that tensor cores do on their own";
}

def AllocateTensorMemory : LatePass<"gpu-allocate-tensor-memory"> {
  let summary = "give columns of tensor memory to buffers";
}

def AllocateGlobalScratch : LatePass<"gpu-allocate-global-scratch"> {
  let summary = "place what a CTA keeps in global memory while it runs";
}

def AllocateShared : LatePass<"gpu-allocate-shared"> {
  let summary = "give shared memory to buffers and to the ops that need scratch";
}

def InsertBarriers : LatePass<"gpu-insert-barriers"> {
  let summary = "make threads wait where they touch each other's shared memory";
}

def PlacePartitions : LatePass<"gpu-place-partitions"> {
  let summary = "give partitions their warps and registers";
  let options = [Option<"maxRegisters", "max-registers", "int", "0", "of a thread; 0: as many as there are">];
}

def AllocateRecords : LatePass<"gpu-allocate-records"> {
  let summary = "place what kernels note for the profiler";
  let options = [Option<"mode", "mode", "std::string", "\"proton\"", "who notes how much: compiler/gpu/Records.h">];
}

// Those that change nothing, anywhere.

def CheckStage : LatePass<"gpu-check-stage"> {
  let summary = "check what later passes rely on, when a stage ends";
  let options = [Option<"stage", "stage", "std::string", "\"code\"", "layouts, loops or code">];
}

def PrintAccess : AnyPass<"gpu-print-access"> {
  let summary = "print what is known about integers and pointers";
}

#endif
