// Tensor memory, and the dots that accumulate in it (tcgen05).
#ifndef TRITON_GPU_TENSOR_MEMORY_OPS
#define TRITON_GPU_TENSOR_MEMORY_OPS

include "compiler/gpu/dialect/NvidiaAttributes.td"
include "compiler/gpu/dialect/OpBase.td"

def TTNG_TensorMemory : Resource<"::triton::gpu::TensorMemory">;

class TTNG_TensorMemoryOp<string mnemonic, list<Trait> traits = []> : TTNG_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def TTNG_TMEMAllocOp : TTNG_TensorMemoryOp<"tmem_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer in tensor memory, filled with `src` if there is one";
  let description = [{
    ```mlir
    %a = ttng.tmem_alloc %x : (tensor<128x128xf32, #linear>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %b, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    ```
  }];
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTG_MemDesc:$result, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}

def TTNG_TMEMLoadOp : TTNG_TensorMemoryOp<"tmem_load"> {
  let summary = "reads tensor memory into registers";
  let description = [{
    `[%t]` orders the read after what gave `%t`; the second result orders what follows.

    ```mlir
    %x = ttng.tmem_load %a : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #linear>
    %y, %u = ttng.tmem_load %a[%t] : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #linear>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTNG_TensorMemory>]>:$src, Optional<TTG_AsyncToken>:$dep);
  let results = (outs TT_Tensor:$result, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($token)) attr-dict `:` qualified(type($src)) `->` type($result)
  }];
}

def TTNG_TMEMStoreOp : TTNG_TensorMemoryOp<"tmem_store"> {
  let summary = "writes registers into tensor memory";
  let description = [{
    ```mlir
    ttng.tmem_store %x, %a, %pred : tensor<128x128xf32, #linear> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTNG_TensorMemory>]>:$dst, Optional<TTG_AsyncToken>:$dep, TT_Tensor:$src,
    I1:$pred);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred attr-dict `:` type($src) `->` qualified(type($dst))
  }];
}

def TTNG_TMEMSubsliceOp : TTNG_TensorMemoryOp<"tmem_subslice", [Pure]> {
  let summary = "the columns of a buffer from `N` on";
  let description = [{
    ```mlir
    %s = ttng.tmem_subslice %a {N = 64 : i32} : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$src, I32Attr:$N);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTNG_TMEMCopyOp : TTNG_TensorMemoryOp<"tmem_copy"> {
  let summary = "copies shared memory to tensor memory, without waiting";
  let description = [{
    The barrier, if there is one, gets an arrival when the copy is complete.

    ```mlir
    ttng.tmem_copy %buffer, %a, %barrier : !ttg.memdesc<128x128xf32, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src,
    Arg<TTG_MemDesc, "", [MemWrite<TTNG_TensorMemory>]>:$dst, Optional<TTG_MemDesc>:$barrier);
  let assemblyFormat = "$src `,` $dst (`,` $barrier^)? attr-dict `:` qualified(type(operands))";
}

class TTNG_Tcgen05ProductOp<string mnemonic, list<Trait> traits = []> : TTNG_TensorMemoryOp<mnemonic, !listconcat(traits,
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let results = (outs Optional<TTG_AsyncToken>:$token);
}

def TTNG_TCGen5MMAOp : TTNG_Tcgen05ProductOp<"tc_gen5_mma"> {
  let summary = "d = a b, or d + a b where `useD`, in tensor memory";
  let description = [{
    Each barrier gets an arrival when the dot is complete, where its predicate holds. With `is_async` the op does not wait.

    ```mlir
    ttng.tc_gen5_mma %a, %b, %d, %useD, %pred, %barrier[%true] {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$a, TTG_MemDesc:$b, TTG_MemDesc:$d, Optional<TTG_AsyncToken>:$acc_dep, I1:$useD, I1:$pred,
    Variadic<TTG_MemDesc>:$barriers, Variadic<I1>:$barrier_preds, UnitAttr:$is_async, UnitAttr:$two_ctas);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD `,` $pred ``
    custom<BarriersAndPredicates>($barriers, $barrier_preds) attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5MMAScaledOp : TTNG_Tcgen05ProductOp<"tc_gen5_mma_scaled"> {
  let summary = "the same in microscaling formats, scales in tensor memory";
  let description = [{
    ```mlir
    ttng.tc_gen5_mma_scaled %a, %b, %d, %a_scale, %b_scale, %useD, %pred lhs = e4m3 rhs = e4m3 {is_async} : !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>, !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$a, TTG_MemDesc:$b, TTG_MemDesc:$d, Optional<TTG_AsyncToken>:$acc_dep, TTG_MemDesc:$a_scale,
    TTG_MemDesc:$b_scale, TT_ScaleDotElemTypeAttr:$a_type, TT_ScaleDotElemTypeAttr:$b_type, I1:$useD, I1:$pred,
    Variadic<TTG_MemDesc>:$barriers, Variadic<I1>:$barrier_preds, UnitAttr:$is_async);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,` $useD `,` $pred
    `lhs` `=` $a_type `rhs` `=` $b_type `` custom<BarriersAndPredicates>($barriers, $barrier_preds) attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) `,` qualified(type($a_scale)) `,`
    qualified(type($b_scale)) (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5CommitOp : TTNG_TensorMemoryOp<"tc_gen5_commit"> {
  let summary = "the barrier gets an arrival when all tcgen05 work begun before is complete";
  let description = [{
    ```mlir
    ttng.tc_gen5_commit %barrier : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier, Optional<I1>:$pred,
    UnitAttr:$two_ctas);
  let assemblyFormat = "$barrier (`,` $pred^)? attr-dict `:` qualified(type($barrier))";
}

#endif
