// TMA: copies between global and shared memory of whole blocks, by tensor descriptors.
#ifndef TRITON_GPU_TMA_OPS
#define TRITON_GPU_TMA_OPS

include "compiler/gpu/dialect/NvidiaAttributes.td"
include "compiler/gpu/dialect/OpBase.td"

class TTNG_TmaOp<string mnemonic, list<Trait> traits = []> : TTNG_Op<mnemonic, traits> {
  let hasVerifier = 1;
}
def TTNG_ReadDescriptor : Arg<TT_TensorDesc, "", [MemRead<TT_GlobalMemory>]>;
def TTNG_WrittenDescriptor : Arg<TT_TensorDesc, "", [MemWrite<TT_GlobalMemory>]>;
def TTNG_UpdatedDescriptor : Arg<TT_TensorDesc, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>;
def TTNG_ReadBuffer : Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>;
def TTNG_WrittenBuffer : Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>;

def TTNG_AsyncTmaCopyGlobalToLocalOp : TTNG_TmaOp<"async_tma_copy_global_to_local"> {
  let summary = "copies the block at `coord` into a buffer; the bytes count towards the barrier's phase";
  let description = [{
    ```mlir
    ttng.async_tma_copy_global_to_local %desc[%x, %y] %buffer, %barrier, %pred : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_ReadDescriptor:$desc, Variadic<I32>:$coord,
    Arg<TTG_MemDesc, "the mbarrier", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier,
    TTNG_WrittenBuffer:$result, I1:$pred,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tensor::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tensor::EvictionPolicy::Normal">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let assemblyFormat = [{
    $desc `[` $coord `]` $result `,` $barrier `,` $pred oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
}

def TTNG_AsyncTmaCopyLocalToGlobalOp : TTNG_TmaOp<"async_tma_copy_local_to_global"> {
  let summary = "copies a buffer to the block at `coord`, as one group of stores";
  let description = [{
    ```mlir
    ttng.async_tma_copy_local_to_global %desc[%x, %y] %buffer : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_WrittenDescriptor:$desc, Variadic<I32>:$coord, TTNG_ReadBuffer:$src);
  let assemblyFormat = "$desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))";
}

def TTNG_AsyncTmaReduceOp : TTNG_TmaOp<"async_tma_reduce"> {
  let summary = "updates the block at `coord` by a buffer, atomically, as one group of stores";
  let description = [{
    ```mlir
    ttng.async_tma_reduce add, %desc[%x, %y] %buffer : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind, TTNG_UpdatedDescriptor:$desc, Variadic<I32>:$coord,
    TTNG_ReadBuffer:$src);
  let assemblyFormat = "$kind `,` $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))";
}

def TTNG_AsyncTmaGatherOp : TTNG_TmaOp<"async_tma_gather"> {
  let summary = "copies one row for each of `x_offsets` into a buffer";
  let description = [{
    Each thread has four neighbouring offsets, which all lanes of a warp have alike.

    ```mlir
    ttng.async_tma_gather %rows[%xs, %y] %buffer, %barrier, %pred : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #offsets>, i32, !ttg.memdesc<1xi64, #shared1, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, i1
    ```
  }];
  let arguments = (ins TTNG_ReadDescriptor:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
    Arg<TTG_MemDesc, "the mbarrier", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier,
    TTNG_WrittenBuffer:$result, I1:$pred);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` type(operands)
  }];
}

def TTNG_AsyncTmaScatterOp : TTNG_TmaOp<"async_tma_scatter"> {
  let summary = "copies the rows of a buffer to those that `x_offsets` names";
  let description = [{
    ```mlir
    ttng.async_tma_scatter %rows[%xs, %y] %buffer : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #offsets>, i32, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_WrittenDescriptor:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TTNG_ReadBuffer:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)";
}

def TTNG_TmaStoreWaitOp : TTNG_TmaOp<"async_tma_store_wait"> {
  let summary = "waits until at most `pendings` of the newest groups of stores still read shared memory";
  let description = [{
    With `written`, until the others have written global memory too.

    ```mlir
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.async_tma_store_wait {pendings = 0 : i32, written}
    ```
  }];
  let arguments = (ins I32Attr:$pendings, UnitAttr:$written);
  let assemblyFormat = "attr-dict";
}

def TTNG_TensormapCreateOp : TTNG_TmaOp<"tensormap_create", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes the 128 bytes that describe a tensor to TMA";
  let description = [{
    The numbers are those of the driver's tensor maps: sizes of the box and of the tensor, strides in bytes of all dims but the
    first, fastest dim first.

    ```mlir
    ttng.tensormap_create %map, %base, [%box, %box], [%n, %n], [%stride], [%one, %one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ```
  }];
  let arguments = (ins TT_Ptr:$desc_ptr, TT_Ptr:$global_address, Variadic<I32>:$box_dim, Variadic<I32>:$global_dim,
    Variadic<I64>:$global_stride, Variadic<I32>:$element_stride, ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<15>]>:$elem_type,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$interleave_layout,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<3>]>:$swizzle_mode,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` $global_stride `]` `,`
    `[` $element_stride `]` attr-dict `:` functional-type(operands, results)
  }];
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire",
    [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "a tensor map written by threads is seen by TMA after this";
  let description = [{
    ```mlir
    ttng.tensormap_fenceproxy_acquire %map : !tt.ptr<i8>
    ```
  }];
  let arguments = (ins TT_Ptr:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "the tensor map at an address, as a descriptor";
  let description = [{
    ```mlir
    %d = ttng.reinterpret_tensor_descriptor %map : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared>>
    ```
  }];
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))";
}

#endif
