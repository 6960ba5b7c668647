// Ops that make tensors or move their elements about, without computing new ones.
#ifndef TRITON_TENSOR_SHAPE_OPS
#define TRITON_TENSOR_SHAPE_OPS

include "compiler/tensor/dialect/OpBase.td"

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "the integers from `start` to `end` - 1";
  let description = [{
    ```mlir
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let builders = [OpBuilder<(ins "int32_t":$start, "int32_t":$end)>];
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_SplatOp : TT_Op<"splat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "a tensor whose elements are all the same";
  let description = [{
    ```mlir
    %x = arith.constant 1.0 : f32
    %t = tt.splat %x : f32 -> tensor<128x32xf32>
    ```
  }];
  let arguments = (ins TT_Scalar:$src);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$scalar, "::llvm::ArrayRef<int64_t>":$shape)>];
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", [InferTypeOpAdaptor, Pure]> {
  let summary = "the element of a one-element tensor";
  let description = [{
    ```mlir
    %t = arith.constant dense<1.0> : tensor<1x1xf32>
    %x = tt.unsplat %t : tensor<1x1xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasFolder = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [InferTypeOpAdaptorWithIsCompatible, Pure]> {
  let summary = "inserts a dimension of size 1";
  let description = [{
    `axis` counts in the result: 0 puts the new dimension first, the rank of the operand puts it last.

    ```mlir
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %c = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let summary = "repeats dimensions of size 1";
  let description = [{
    The rank stays. Each dimension either stays or grows from 1.

    ```mlir
    %r = arith.constant dense<[[0], [1]]> : tensor<2x1xi32>
    %b = tt.broadcast %r : tensor<2x1xi32> -> tensor<2x64xi32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor, "::llvm::ArrayRef<int64_t>":$shape)>];
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the same elements in another shape";
  let description = [{
    In row-major order, unless `allow_reorder` leaves the order to the compiler. `efficient_layout` asks later passes to keep
    the layout they find.

    ```mlir
    %t = arith.constant dense<0> : tensor<4x8xi32>
    %a = tt.reshape %t : tensor<4x8xi32> -> tensor<32xi32>
    %b = tt.reshape %t allow_reorder : tensor<4x8xi32> -> tensor<8x4xi32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor, "::llvm::ArrayRef<int64_t>":$shape,
    CArg<"bool", "false">:$allowReorder)>];
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_TransOp : TT_Op<"trans", [InferTypeOpAdaptorWithIsCompatible, Pure]> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the operand.

    ```mlir
    %t = arith.constant dense<0> : tensor<4x8xi32>
    %r = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_CatOp : TT_Op<"cat", [Pure, SameTypeOperands]> {
  let summary = "puts two tensors into one, in any order";
  let description = [{
    The result has the elements of both operands along the first dimension. Which element stands where is left to the compiler.

    ```mlir
    %a = arith.constant dense<0> : tensor<32xi32>
    %b = arith.constant dense<1> : tensor<32xi32>
    %c = tt.cat %a, %b : tensor<32xi32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_JoinOp : TT_Op<"join", [InferTypeOpAdaptorWithIsCompatible, Pure, SameTypeOperands]> {
  let summary = "stacks two values along a new last dimension of size 2";
  let description = [{
    ```mlir
    %a = arith.constant dense<0.0> : tensor<4x8xf32>
    %b = arith.constant dense<1.0> : tensor<4x8xf32>
    %c = tt.join %a, %b : tensor<4x8xf32> -> tensor<4x8x2xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[TT_Tensor, TT_Scalar]>:$lhs, AnyTypeOf<[TT_Tensor, TT_Scalar]>:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
}

def TT_SplitOp : TT_Op<"split", [AllTypesMatch<["outLHS", "outRHS"]>, InferTypeOpAdaptorWithIsCompatible, Pure]> {
  let summary = "takes the last dimension, of size 2, apart";
  let description = [{
    ```mlir
    %t = arith.constant dense<0.0> : tensor<4x8x2xf32>
    %a, %b = tt.split %t : tensor<4x8x2xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs AnyTypeOf<[TT_Tensor, TT_Scalar]>:$outLHS, AnyTypeOf<[TT_Tensor, TT_Scalar]>:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasFolder = 1;
}

def TT_GatherOp : TT_Op<"gather", [InferTypeOpAdaptor, Pure]> {
  let summary = "picks elements along one dimension";
  let description = [{
    `result[i, j] = src[indices[i, j], j]` when `axis` is 0, likewise for other axes. The result has the shape of `indices`
    and the element type of `src`. An index out of range gives an unspecified value.

    ```mlir
    %src = arith.constant dense<0.0> : tensor<64x16xf32>
    %indices = arith.constant dense<3> : tensor<8x16xi32>
    %r = tt.gather %src[%indices] {axis = 0 : i32} : (tensor<64x16xf32>, tensor<8x16xi32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$indices, "int":$axis)>];
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif
