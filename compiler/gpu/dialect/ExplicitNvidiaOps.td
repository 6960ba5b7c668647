// Ops of `ttng` that only kernels write: no pass makes them, or looks into them.
#ifndef TRITON_GPU_EXPLICIT_NVIDIA_OPS
#define TRITON_GPU_EXPLICIT_NVIDIA_OPS

include "compiler/gpu/dialect/OpBase.td"

def TTNG_CLCTryCancelOp : TTNG_Op<"clc_try_cancel"> {
  let summary = "asks for a program that has not begun, to run it in its place";
  let description = [{
    The answer is written to a buffer of 16 bytes, in every CTA of the cluster; these bytes count towards the barrier's phase.

    ```mlir
    ttng.clc_try_cancel %answer, %barrier : !ttg.memdesc<2xi64, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$result,
    Arg<TTG_MemDesc, "the mbarrier", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier);
  let assemblyFormat = "$result `,` $barrier attr-dict `:` qualified(type($result)) `,` qualified(type($barrier))";
  let hasVerifier = 1;
}

def TTNG_CLCLoadResultOp : TTNG_Op<"clc_load_result"> {
  let summary = "the answer to `ttng.clc_try_cancel`, when the barrier's phase is complete";
  let description = [{
    ```mlir
    %r = ttng.clc_load_result %answer : !ttg.memdesc<2xi64, #shared, #smem, mutable> -> i128
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src);
  let results = (outs I<128>:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def TTNG_CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [Pure]> {
  let summary = "whether there was a program left";
  let description = [{
    ```mlir
    %c = ttng.clc_is_canceled %r : i128 -> i1
    ```
  }];
  let arguments = (ins I<128>:$answer);
  let results = (outs I1:$result);
  let assemblyFormat = "$answer attr-dict `:` type($answer) `->` type($result)";
}

def TTNG_CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [Pure]> {
  let summary = "which program that is, along one dimension of the grid; anything if there was none";
  let description = [{
    ```mlir
    %x = ttng.clc_get_program_id %r, x : i128 -> i32
    ```
  }];
  let arguments = (ins I<128>:$answer, TT_ProgramDimAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$answer `,` $axis attr-dict `:` type($answer) `->` type($result)";
}

#endif
