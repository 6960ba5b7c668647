// Windows onto tensors in memory: block pointers, which move, and tensor descriptors, which are told where to look.
#ifndef TRITON_TENSOR_DESCRIPTOR_OPS
#define TRITON_TENSOR_DESCRIPTOR_OPS

include "compiler/tensor/dialect/OpBase.td"

// Distances along a tensor: all of 32 bits, `[%x, %y]`, or all of 64, `[%x, %y : i64]`.
defvar TT_Offsets = Variadic<AnyTypeOf<[I32, I64]>>;

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize,
    TypesMatchWith<"base points to an element of the block", "result", "base", "::triton::tensor::getBasePointerType($_self)">]> {
  let summary = "a block pointer: a window onto a tensor in memory";
  let description = [{
    `base` is the tensor's first element, `shape` and `strides` (in elements) describe it, `offsets` is where the window stands.
    `order` names the dimensions from the fastest to the slowest; it is a hint.

    ```mlir
    %s = arith.constant 1024 : i64
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i32
    %p = tt.make_tensor_ptr %base, [%s, %s], [%s, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    ```
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, TT_Offsets:$offsets,
    DenseI32ArrayAttr:$order);
  let results = (outs TT_Ptr:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
    "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int32_t>":$blockShape, "::llvm::ArrayRef<int32_t>":$order)>];
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` custom<Offsets>($offsets, type($offsets)) attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [AllTypesMatch<["result", "ptr"]>, Pure]> {
  let summary = "the block pointer moved by `offsets`";
  let description = [{
    ```mlir
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %q = tt.advance %block_pointer, [%zero, %step] : <tensor<64x32xf32>>
    ```
  }];
  let arguments = (ins TT_Ptr:$ptr, TT_Offsets:$offsets);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "$ptr `,` custom<Offsets>($offsets, type($offsets)) attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "describes a tensor in memory";
  let description = [{
    `shape` counts elements, `strides` is in elements and the last one is 1. `padding` (1 zero, 2 NaN) is what loads give outside
    of the tensor.

    ```mlir
    %rows = arith.constant 1024 : i32
    %stride = arith.constant 1024 : i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %base, [%rows, %rows], [%stride, %one] : <f32>, <tensor<64x32xf32>>
    ```
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<TT_PaddingOptionAttr, "::triton::tensor::PaddingOption::Zero">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
    "::llvm::ArrayRef<int32_t>":$blockShape, "bool":$isSigned, CArg<"PaddingOption", "PaddingOption::Zero">:$padding)>];
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "reads the block at `indices`";
  let description = [{
    ```mlir
    %i = arith.constant 64 : i32
    %x = tt.descriptor_load %descriptor[%i, %i] : !tt.tensordesc<tensor<64x32xf32>> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tensor::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tensor::EvictionPolicy::Normal">:$evict);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::ValueRange":$indices,
    CArg<"CacheModifier", "CacheModifier::None">:$cache, CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict)>];
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict
    `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes the block at `indices`";
  let description = [{
    Elements outside of the tensor are dropped.

    ```mlir
    %i = arith.constant 64 : i32
    %x = arith.constant dense<1.0> : tensor<64x32xf32>
    tt.descriptor_store %descriptor[%i, %i], %x : !tt.tensordesc<tensor<64x32xf32>>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "updates the block at `indices` atomically";
  let description = [{
    Elements outside of the tensor are dropped. `min` and `max` compare unsigned when the descriptor's elements are unsigned.

    ```mlir
    %i = arith.constant 64 : i32
    %x = arith.constant dense<1.0> : tensor<64x32xf32>
    tt.descriptor_reduce add, %descriptor[%i, %i], %x : !tt.tensordesc<tensor<64x32xf32>>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind, TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "reads one row for each of `x_offsets`";
  let description = [{
    The descriptor's blocks are single rows. Row `i` of the result is row `x_offsets[i]` of the tensor, from column `y_offset` on.

    ```mlir
    %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %y = arith.constant 0 : i32
    %x = tt.descriptor_gather %row_descriptor[%rows, %y] : (!tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32) -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins TT_TensorDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::Value":$xOffsets, "::mlir::Value":$yOffset)>];
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes one row for each of `x_offsets`";
  let description = [{
    ```mlir
    %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %y = arith.constant 0 : i32
    %x = arith.constant dense<1.0> : tensor<32x64xf32>
    tt.descriptor_scatter %row_descriptor[%rows, %y], %x : !tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32, tensor<32x64xf32>
    ```
  }];
  let arguments = (ins TT_TensorDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

#endif
