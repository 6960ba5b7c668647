// Ops of `ttg` that only kernels write: no pass makes them, or looks into them.
#ifndef TRITON_GPU_EXPLICIT_OPS
#define TRITON_GPU_EXPLICIT_OPS

include "compiler/gpu/dialect/OpBase.td"

def TTG_LocalGatherOp : TTG_Op<"local_gather"> {
  let summary = "reads elements of a buffer that are chosen by an index along `axis`";
  let description = [{
    `result[i, j] = src[indices[i, j], j]` when `axis` is 0, likewise for other axes. An index out of range reads anything.

    ```mlir
    %x = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x32xi32, #blocked> -> tensor<16x32xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src, RankedTensorOf<[AnyInteger]>:$indices,
    I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalScatterOp : TTG_Op<"local_scatter"> {
  let summary = "writes elements of a buffer that are chosen by an index along `axis`";
  let description = [{
    `dst[indices[i, j], j] = values[i, j]` when `axis` is 0, likewise for other axes. Where two write one element, one of them stays.

    ```mlir
    ttg.local_scatter %b[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x32xi32, #blocked>, tensor<16x32xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dst, RankedTensorOf<[AnyInteger]>:$indices,
    TT_Tensor:$values, I32Attr:$axis);
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values attr-dict `:` qualified(type($dst)) `,` type($indices) `,` type($values)
  }];
  let hasVerifier = 1;
}

def TTG_LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw"> {
  let summary = "updates elements of a buffer atomically, chosen by an index along `axis`, and gives what was there";
  let description = [{
    Without order between elements. Where the mask is false nothing is touched, and the result is anything.

    ```mlir
    %o = ttg.local_atomic_scatter_rmw fadd, %b[%i], %v {axis = 0 : i32} : (!ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x32xf32, #blocked>, tensor<16x32xi32, #blocked>) -> tensor<16x32xf32, #blocked>
    ```
  }];
  let arguments = (ins TT_RMWOpAttr:$kind,
    Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$dst, TT_Tensor:$values,
    RankedTensorOf<[AnyInteger]>:$indices, Optional<RankedTensorOf<[I1]>>:$mask, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $kind `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TTG_InlineAsmOp : TTG_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "assembly that every thread runs once, on all that it holds";
  let description = [{
    An operand that is a tensor is all elements that the thread holds of it, in the order of its registers; one that is a buffer is its
    address, an i32. Results come first, as in LLVM's constraints.

    ```mlir
    %y = ttg.inline_asm "mov.b32 $0, $2; mov.b32 $1, $3;" {constraints = "=r,=r,r,r", pure = true} %x : (tensor<256xi32, #blocked>) -> tensor<256xi32, #blocked>
    ```
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
    Variadic<AnyTypeOf<[TT_Tensor, TT_Scalar, TTG_MemDesc]>>:$args);
  let results = (outs Variadic<AnyTypeOf<[TT_Tensor, TT_Scalar]>>:$results);
  let assemblyFormat = "$asm_string attr-dict ($args^)? `:` functional-type($args, $results)";
}

#endif
