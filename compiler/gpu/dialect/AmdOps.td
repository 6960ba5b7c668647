// The dialect `amdg`: what AMD's hardware adds, as kernels write it.
#ifndef TRITON_GPU_AMD_OPS
#define TRITON_GPU_AMD_OPS

include "compiler/gpu/dialect/OpBase.td"

def AmdDialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::triton::gpu::amd";
  let summary = "what AMD's hardware adds: accesses by a base and offsets, barriers in shared memory, the tensor data mover";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
}

class AMDG_Op<string mnemonic, list<Trait> traits = []> : Op<AmdDialect, mnemonic, traits>;

// What an access of a tensor by a scalar pointer and 32-bit offsets (in elements) consists of.
class AMDG_PointerOf<string value> : TypesMatchWith<"the pointer points to an element", value, "ptr",
    "::triton::tensor::PointerType::get(::mlir::getElementTypeOrSelf($_self), 1)">;
class AMDG_OffsetsOf<string value> : TypesMatchWith<"the offsets have the shape of the value", value, "offsets",
    "::mlir::cast<::mlir::RankedTensorType>($_self).clone(::mlir::IntegerType::get($_self.getContext(), 32))">;
class AMDG_MaskOf<string value> : OptionalTypesMatchWith<"the mask has the shape of the value", value, "mask",
    "::mlir::cast<::mlir::RankedTensorType>($_self).clone(::mlir::IntegerType::get($_self.getContext(), 1))">;
class AMDG_OtherOf<string value> : OptionalTypesMatchWith<"other has the type of the value", value, "other", "$_self">;
def AMDG_Cache : DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tensor::CacheModifier::None">;
def AMDG_Barrier : Arg<TTG_MemDesc, "the barrier", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>;

def AMDG_BufferLoadOp : AMDG_Op<"buffer_load", [AttrSizedOperandSegments, AMDG_PointerOf<"result">,
    AMDG_OffsetsOf<"result">, AMDG_MaskOf<"result">, AMDG_OtherOf<"result">]> {
  let summary = "reads elements at offsets from a base";
  let description = [{
    ```mlir
    %x = amdg.buffer_load %base[%offsets], %mask, %other cacheModifier = ca : tensor<64x64xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TT_Ptr, "", [MemRead<TT_GlobalMemory>]>:$ptr, TT_Tensor:$offsets, Optional<TT_Tensor>:$mask,
    Optional<TT_Tensor>:$other, AMDG_Cache:$cache);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache) attr-dict `:` type($result)
  }];
}

def AMDG_BufferStoreOp : AMDG_Op<"buffer_store", [AMDG_PointerOf<"value">, AMDG_OffsetsOf<"value">, AMDG_MaskOf<"value">]> {
  let summary = "writes elements at offsets from a base";
  let description = [{
    ```mlir
    amdg.buffer_store %x, %base[%offsets], %mask cacheModifier = cs : tensor<64x64xf32, #blocked>
    ```
  }];
  let arguments = (ins TT_Tensor:$value, Arg<TT_Ptr, "", [MemWrite<TT_GlobalMemory>]>:$ptr, TT_Tensor:$offsets,
    Optional<TT_Tensor>:$mask, AMDG_Cache:$cache);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache) attr-dict `:` type($value)
  }];
}

def AMDG_BufferAtomicRMWOp : AMDG_Op<"buffer_atomic_rmw", [AllTypesMatch<["result", "value"]>, AMDG_PointerOf<"result">,
    AMDG_OffsetsOf<"result">, AMDG_MaskOf<"result">]> {
  let summary = "updates elements at offsets from a base atomically, and gives what was there";
  let description = [{
    ```mlir
    %o = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %x, %base[%offsets], %mask : tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins TT_RMWOpAttr:$atomic_rmw_op, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope, TT_Tensor:$value,
    Arg<TT_Ptr, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr, TT_Tensor:$offsets,
    Optional<TT_Tensor>:$mask);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? attr-dict `:` type($result)
  }];
}

def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [AttrSizedOperandSegments,
    OptionalTypesMatchWith<"the mask has the shape of the offsets", "offsets", "mask",
      "::mlir::cast<::mlir::RankedTensorType>($_self).clone(::mlir::IntegerType::get($_self.getContext(), 1))">]> {
  let summary = "copies elements at offsets from a base into a buffer, without registers, and does not wait";
  let description = [{
    ```mlir
    %t = amdg.buffer_load_to_local %base[%offsets] mask = %mask other = %other into %b : <f16>[tensor<128x16xi32, #blocked>] tensor<128x16xf16, #blocked> -> <128x16xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dest,
    Arg<TT_Ptr, "", [MemRead<TT_GlobalMemory>]>:$ptr, TT_Tensor:$offsets, Optional<TT_Tensor>:$mask,
    Optional<TT_Tensor>:$other, AMDG_Cache:$cache);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? oilist(`cacheModifier` `=` $cache) `into` $dest
    attr-dict `:` type($ptr) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
}

def AMDG_AsyncTDMCopyGlobalToLocalOp : AMDG_Op<"async_tdm_copy_global_to_local", [AttrSizedOperandSegments]> {
  let summary = "copies the block at `indices` into a buffer by the tensor data mover";
  let description = [{
    ```mlir
    %t = amdg.async_tdm_copy_global_to_local %desc[%x, %y] into %b, %pred : !tt.tensordesc<tensor<16x64xf16, #shared>> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<TT_TensorDesc, "", [MemRead<TT_GlobalMemory>]>:$desc, Variadic<I32>:$indices,
    Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$result, I1:$pred, Optional<TTG_MemDesc>:$barrier);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $desc `[` $indices `]` `into` $result `,` $pred (`,` `barrier` `=` $barrier^)? attr-dict `:` qualified(type($desc))
    (`,` qualified(type($barrier))^)? `->` qualified(type($result))
  }];
}

def AMDG_AsyncTDMCopyLocalToGlobalOp : AMDG_Op<"async_tdm_copy_local_to_global"> {
  let summary = "copies a buffer to the block at `indices` by the tensor data mover";
  let description = [{
    ```mlir
    amdg.async_tdm_copy_local_to_global %desc[%x, %y] from %b : !ttg.memdesc<16x64xf16, #shared, #smem, mutable> -> !tt.tensordesc<tensor<16x64xf16, #shared>>
    ```
  }];
  let arguments = (ins Arg<TT_TensorDesc, "", [MemWrite<TT_GlobalMemory>]>:$desc, Variadic<I32>:$indices,
    Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src);
  let assemblyFormat = [{
    $desc `[` $indices `]` `from` $src attr-dict `:` qualified(type($src)) `->` qualified(type($desc))
  }];
}

def AMDG_AsyncTDMWaitOp : AMDG_Op<"async_tdm_wait", [MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "waits until at most `num` of the newest copies of the tensor data mover are running";
  let description = [{
    ```mlir
    %t = amdg.async_tdm_wait {num = 0 : i32}
    ```
  }];
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "$asyncToken attr-dict";
}

def AMDG_InitBarrierOp : AMDG_Op<"init_barrier"> {
  let summary = "makes a barrier of `count` arrivals per phase";
  let description = [{
    ```mlir
    amdg.init_barrier %barrier, 2 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins AMDG_Barrier:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def AMDG_WaitBarrierOp : AMDG_Op<"wait_barrier"> {
  let summary = "waits until the phase of parity `phase` is complete";
  let description = [{
    ```mlir
    amdg.wait_barrier %barrier, %phase : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins AMDG_Barrier:$alloc, I32:$phase);
  let assemblyFormat = "$alloc `,` $phase attr-dict `:` qualified(type($alloc))";
}

def AMDG_ArriveBarrierOp : AMDG_Op<"arrive_barrier"> {
  let summary = "arrives `count` times, and gives the parity of the phase before";
  let description = [{
    ```mlir
    %p = amdg.arrive_barrier %barrier, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i32
    ```
  }];
  let arguments = (ins AMDG_Barrier:$alloc, I32Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($result)";
}

def AMDG_AsyncCopyMbarrierArriveOp : AMDG_Op<"async_copy_mbarrier_arrive"> {
  let summary = "arrives once the copies begun before are complete";
  let description = [{
    ```mlir
    amdg.async_copy_mbarrier_arrive %barrier : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins AMDG_Barrier:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

#endif
