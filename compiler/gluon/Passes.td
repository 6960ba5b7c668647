// The passes on kernels that name layouts, in the order they run.
#ifndef TRITON_GLUON_PASSES
#define TRITON_GLUON_PASSES

include "mlir/Pass/PassBase.td"

def InferCoalesced : Pass<"gluon-infer-coalesced", "::mlir::ModuleOp"> {
  let summary = "give accesses to memory that ask for it the layout that suits them";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

def ResolveAuto : Pass<"gluon-resolve-auto", "::mlir::ModuleOp"> {
  let summary = "infer the layouts that kernels leave open from those they name";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

#endif
