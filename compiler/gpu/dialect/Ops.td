// The ops of `ttg`: moves between layouts and between memories, views of buffers, asynchronous copies.
#ifndef TRITON_GPU_OPS
#define TRITON_GPU_OPS

include "compiler/gpu/dialect/OpBase.td"
include "compiler/gpu/dialect/WarpSpecializeOps.td"

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure, SameOperandsAndResultElementType, SameOperandsAndResultShape]> {
  let summary = "the same tensor, held by other threads";
  let description = [{
    ```mlir
    %y = ttg.convert_layout %x : tensor<128xf32, #blocked> -> tensor<128xf32, #blocked1>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure]> {
  let summary = "the two e2m1 numbers of each byte, the low one first, side by side along `axis`";
  let description = [{
    ```mlir
    %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<16x16xi8, #blocked> -> tensor<16x32xf16, #blocked1>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer in shared memory, filled with `src` if there is one";
  let description = [{
    Without `src` the buffer is mutable and holds anything. `alignment` is in bytes, and at least what the layout needs.

    ```mlir
    %a = ttg.local_alloc %x : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDesc:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$type, CArg<"::mlir::Value", "{}">:$src)>];
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// In bytes: what the attribute asks for, or else the layout.
    int64_t getAlignmentOrDefault();
  }];
  let hasVerifier = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let summary = "the buffer lives until here";
  let description = [{
    ```mlir
    ttg.local_dealloc %b : !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemFree<TTG_SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc", [MemoryEffects<[MemAlloc<TT_GlobalMemory>]>]> {
  let summary = "bytes in global memory that only this CTA uses, in this launch";
  let description = [{
    ```mlir
    %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$nbytes, ConfinedAttr<I32Attr, [IntPositive, IntPowerOf2]>:$alignment);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load"> {
  let summary = "reads a buffer into registers";
  let description = [{
    ```mlir
    %x = ttg.local_load %a : !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<128x64xf16, #blocked>
    %y = ttg.local_load %a token %t : !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<128x64xf16, #blocked>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$src), [{
    build($_builder, $_state, type, src, ::mlir::Value());
  }]>];
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store"> {
  let summary = "writes registers into a buffer";
  let description = [{
    ```mlir
    ttg.local_store %x, %a : tensor<128x64xf16, #blocked> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

class TTG_ViewOp<string mnemonic> : TTG_Op<mnemonic, [Pure]> {
  let results = (outs TTG_MemDesc:$result);
  let hasVerifier = 1;
}

def TTG_MemDescIndexOp : TTG_ViewOp<"memdesc_index"> {
  let summary = "one buffer of a row of buffers";
  let description = [{
    ```mlir
    %i = ttg.memdesc_index %b[%n] : !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$src, I32:$index);
  let builders = [
    // The type without the first dimension.
    OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$index)>];
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTG_MemDescSubsliceOp : TTG_ViewOp<"memdesc_subslice"> {
  let summary = "a part of a buffer that begins at `offsets`";
  let description = [{
    Each offset is a multiple of the part's size, and the part does not cut through the layout's swizzle.

    ```mlir
    %s = ttg.memdesc_subslice %a[0, 16] : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<128x16xf16, #shared, #smem, 128x64>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$offsets);
  let builders = [
    // The part of this shape.
    OpBuilder<(ins "::mlir::Value":$src, "::llvm::ArrayRef<int32_t>":$offsets, "::llvm::ArrayRef<int64_t>":$shape)>];
  let assemblyFormat = [{
    $src `[` custom<Offsets>($offsets) `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTG_MemDescTransOp : TTG_ViewOp<"memdesc_trans"> {
  let summary = "the buffer with its dimensions permuted";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the operand.

    ```mlir
    %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$order);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::llvm::ArrayRef<int32_t>":$order)>];
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTG_MemDescReshapeOp : TTG_ViewOp<"memdesc_reshape"> {
  let summary = "the buffer in another shape, elements in row-major order";
  let description = [{
    ```mlir
    %r = ttg.memdesc_reshape %a : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<2x64x64xf16, #shared1, #smem>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$src);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::llvm::ArrayRef<int64_t>":$shape)>];
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTG_MemDescReinterpretOp : TTG_ViewOp<"memdesc_reinterpret"> {
  let summary = "the bytes of a buffer as another type";
  let description = [{
    ```mlir
    %r = ttg.memdesc_reinterpret %a : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf32, #shared, #smem>
    ```
  }];
  let arguments = (ins TTG_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [AttrSizedOperandSegments,
    OptionalTypesMatchWith<"the mask has the shape of the pointers", "src", "mask", "::triton::tensor::getMaskType($_self)">,
    OptionalTypesMatchWith<"other has the type the pointers point to", "src", "other",
      "::triton::tensor::getAccessedType($_self)">]> {
  let summary = "copies from global to shared memory without registers, and does not wait";
  let description = [{
    Where `mask` is false the buffer gets `other`, or zeros.

    ```mlir
    %t = ttg.async_copy_global_to_local %pointers, %buffer mask %mask : tensor<128x64x!tt.ptr<f16>, #blocked> -> <128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<RankedTensorOf<[TT_Ptr]>, "", [MemRead<TT_GlobalMemory>]>:$src,
    Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$result, Optional<TT_BoolLike>:$mask, Optional<TT_Tensor>:$other,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tensor::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tensor::EvictionPolicy::Normal">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group"> {
  let summary = "closes the group of copies that this thread has begun since the last one";
  let description = [{
    ```mlir
    %g = ttg.async_commit_group tokens %t
    ```
  }];
  let arguments = (ins Variadic<TTG_AsyncToken>:$inputTokens);
  let results = (outs TTG_AsyncToken:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait"> {
  let summary = "waits until at most `num` of the newest groups are still copying";
  let description = [{
    ```mlir
    %w = ttg.async_wait %g {num = 2 : i32}
    ```
  }];
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
  let hasVerifier = 1;
}

def TTG_BarrierOp : TTG_Op<"barrier"> {
  let summary = "all threads of the CTA, or of the partition, have come here, and see what the others wrote";
  let description = [{
    ```mlir
    ttg.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
