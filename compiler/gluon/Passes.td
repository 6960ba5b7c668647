// The passes on kernels that name layouts, in the order they run.
#ifndef TRITON_GLUON_PASSES
#define TRITON_GLUON_PASSES

include "mlir/Pass/PassBase.td"

class GluonPass<string name>
    : PassBase<name, "::triton::tensor::CheckedPass<::mlir::ModuleOp, ::triton::tensor::checkKernelIr>">;

def Settle : GluonPass<"gluon-settle"> {
  let summary = "make what kernels show to be read into what is left to do";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def InferCoalesced : GluonPass<"gluon-infer-coalesced"> {
  let summary = "give accesses to memory that ask for it the layout that suits them";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

def ResolveAuto : GluonPass<"gluon-resolve-auto"> {
  let summary = "infer the layouts that kernels leave open from those they name";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

#endif
