// The passes on GPU IR, one line each, in the order they run. What a pass does and why it runs where it runs is told in its own file.
#ifndef TRITON_GPU_PASSES
#define TRITON_GPU_PASSES

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"gpu-set-target", "::mlir::ModuleOp"> {
  let summary = "note on the module what it is compiled for";
  let options = [Option<"target", "target", "std::string", "\"cuda:90\"", "cuda:80, cuda:90, …">,
                 Option<"numWarps", "num-warps", "int", "4", "warps of a CTA">,
                 Option<"numCtas", "num-ctas", "int", "1", "CTAs of a cluster">];
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect"];
}

def FlattenLoops : Pass<"gpu-flatten-loops", "::mlir::ModuleOp"> {
  let summary = "make one loop of nested ones that ask for it";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def AccumulateReductions : Pass<"gpu-accumulate-reductions", "::mlir::ModuleOp"> {
  let summary = "reduce over threads behind loops instead of in them";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LegalizeDots : Pass<"gpu-legalize-dots", "::mlir::ModuleOp"> {
  let summary = "rewrite products that no instruction takes as they are";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TurnDots : Pass<"gpu-turn-dots", "::mlir::ModuleOp"> {
  let summary = "swap operands of products that tensor cores then read as they lie";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"gpu-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "give every tensor a layout";
  let options = [Option<"printPlan", "print-plan", "bool", "false", "print the plan to standard output">];
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

def SpreadOverCtas : Pass<"gpu-spread-over-ctas", "::mlir::ModuleOp"> {
  let summary = "say which CTA of a cluster holds which elements";
  let options = [Option<"numCtas", "num-ctas", "int", "1", "CTAs of a cluster">];
}

def LowerDots : Pass<"gpu-lower-dots", "::mlir::ModuleOp"> {
  let summary = "put operands of products into shared memory, and sums into tensor memory";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def PipelineLoops : Pass<"gpu-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "overlap the loads of later iterations with the work of this one";
  let options = [Option<"numStages", "num-stages", "int", "3", "for loops that do not say">];
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def LowerDescriptors : Pass<"gpu-lower-descriptors", "::mlir::ModuleOp"> {
  let summary = "leave accesses through tensor descriptors to the copy engine";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def WaitForProducts : Pass<"gpu-wait-for-products", "::mlir::ModuleOp"> {
  let summary = "wait, at a barrier in memory, for products that tensor cores do on their own";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def AllocateTensorMemory : Pass<"gpu-allocate-tensor-memory", "::mlir::ModuleOp"> {
  let summary = "give columns of tensor memory to buffers";
}

def OrderCopies : Pass<"gpu-order-copies", "::mlir::ModuleOp"> {
  let summary = "order copies of the copy engine with other accesses of the same global memory";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect"];
}

def MakeTensorMaps : Pass<"gpu-make-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "write the copy engine's maps of tensors that the kernel describes itself";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def SkipMasks : Pass<"gpu-skip-masks", "::mlir::ModuleOp"> {
  let summary = "choose by masks only where they are not all the same";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FactorMaxima : Pass<"gpu-factor-maxima", "::mlir::ModuleOp"> {
  let summary = "multiply maxima instead of all numbers";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def AllocateGlobalScratch : Pass<"gpu-allocate-global-scratch", "::mlir::ModuleOp"> {
  let summary = "place what a CTA keeps in global memory while it runs";
}

def AllocateShared : Pass<"gpu-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "give shared memory to buffers and to the ops that need scratch";
}

def InsertBarriers : Pass<"gpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "make threads wait where they touch each other's shared memory";
}

def PrintAccess : Pass<"gpu-print-access", "::mlir::ModuleOp"> {
  let summary = "print what is known about integers and pointers";
}

def PlacePartitions : Pass<"gpu-place-partitions", "::mlir::ModuleOp"> {
  let summary = "give partitions their warps and registers";
  let options = [Option<"maxRegisters", "max-registers", "int", "0", "of a thread; 0: as many as there are">];
}

#endif
