// The ops of `ttng`: what NVIDIA's hardware does asynchronously.
#ifndef TRITON_GPU_NVIDIA_OPS
#define TRITON_GPU_NVIDIA_OPS

include "compiler/gpu/dialect/BarrierOps.td"
include "compiler/gpu/dialect/TensorMemoryOps.td"
include "compiler/gpu/dialect/TmaOps.td"

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [AllTypesMatch<["c", "d"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "d = a b + c by wgmma: `b` from shared memory, `a` from there or from registers";
  let description = [{
    With `isAsync` neither the result nor the buffers may be touched before a `ttng.warp_group_dot_wait` on the result. When
    `useC` is false, `c` counts as 0.

    ```mlir
    %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    ```
  }];
  let arguments = (ins AnyTypeOf<[TT_Tensor, TTG_MemDesc]>:$a, TTG_MemDesc:$b, TT_Tensor:$c, Optional<I1>:$useC,
    DefaultValuedAttr<TT_InputPrecisionAttr, "::triton::tensor::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc, DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:` qualified(type($a)) `*` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "waits until at most `pendings` of the newest dots are still running";
  let description = [{
    The results are the operands after the wait: use them instead.

    ```mlir
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x128xf32, #mma>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[TT_Tensor, TTG_MemDesc]>>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<AnyTypeOf<[TT_Tensor, TTG_MemDesc]>>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared"> {
  let summary = "what was written to shared memory before is seen by asynchronous readers after";
  let description = [{
    ```mlir
    ttng.fence_async_shared {bCluster = false}
    ```
  }];
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceAsyncGlobalOp : TTNG_Op<"fence_async_global"> {
  let summary = "what this thread wrote to global memory before, or has seen written, is seen by copies of TMA after";
  let description = [{
    ```mlir
    ttng.fence_async_global
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
