// The passes on kernels that name layouts, in the order they run.
#ifndef TRITON_GLUON_PASSES
#define TRITON_GLUON_PASSES

include "mlir/Pass/PassBase.td"

def Settle : Pass<"gluon-settle", "::mlir::ModuleOp"> {
  let summary = "make what kernels show to be read into what is left to do";
  let dependentDialects = ["::triton::gpu::GpuDialect", "::triton::gpu::NvidiaDialect", "::mlir::arith::ArithDialect"];
}

def InferCoalesced : Pass<"gluon-infer-coalesced", "::mlir::ModuleOp"> {
  let summary = "give accesses to memory that ask for it the layout that suits them";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

def ResolveAuto : Pass<"gluon-resolve-auto", "::mlir::ModuleOp"> {
  let summary = "infer the layouts that kernels leave open from those they name";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

#endif
