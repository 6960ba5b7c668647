// Ops whose meaning is a region: reductions, scans, maps; and counting.
#ifndef TRITON_TENSOR_REDUCE_OPS
#define TRITON_TENSOR_REDUCE_OPS

include "compiler/tensor/dialect/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def TT_ReduceOp : TT_Op<"reduce", [RecursiveMemoryEffects, RecursivelySpeculatable, SameOperandsShape, SingleBlock]> {
  let summary = "combines all elements along one dimension";
  let description = [{
    The region combines two groups of scalars, one scalar per operand: first the left group, then the right. The order of
    combination is unspecified. The result lacks the dimension `axis`; a tensor of rank 1 gives a scalar.

    ```mlir
    %x = arith.constant dense<1.0> : tensor<64x32xf32>
    %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %s = arith.addf %lhs, %rhs : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<AnyTypeOf<[TT_Tensor, TT_Scalar]>>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis)>];
  let extraClassDeclaration = [{
    /// The type of each operand's elements.
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    /// The op of the region, when the region is that one op on its two arguments in order (or a commutative op in any order).
    ::mlir::Operation *getSingleCombiner();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [HasParent<"ReduceOp">, Pure, ReturnLike, Terminator]> {
  let summary = "the combined values of one step of a reduction";
  let description = "See `tt.reduce`.";
  let arguments = (ins Variadic<TT_Scalar>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan", [RecursiveMemoryEffects, RecursivelySpeculatable, SameOperandsShape, SingleBlock]> {
  let summary = "all prefixes of a reduction along one dimension";
  let description = [{
    Element `i` along `axis` of the result combines elements 0 to `i`, or with `reverse` the elements from the end down to `i`.
    The region takes what was accumulated so far first, then the next element.

    ```mlir
    %x = arith.constant dense<1.0> : tensor<64x32xf32>
    %cumulated = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %s = arith.addf %lhs, %rhs : f32
      tt.scan.return %s : f32
    }) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis, "bool":$reverse)>];
  let extraClassDeclaration = "::llvm::SmallVector<::mlir::Type> getElementTypes();";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [HasParent<"ScanOp">, Pure, ReturnLike, Terminator]> {
  let summary = "the combined values of one step of a scan";
  let description = "See `tt.scan`.";
  let arguments = (ins Variadic<TT_Scalar>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects, SameOperandsAndResultShape]> {
  let summary = "runs a scalar function on every element";
  let description = [{
    The region takes `pack` neighbouring elements of the first operand, then of the second, and so on, and returns `pack`
    elements of each result in the same grouping. It may branch.

    ```mlir
    %x = arith.constant dense<1> : tensor<64xi32>
    %r = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%e: i32):
      %d = arith.addi %e, %e : i32
      tt.map_elementwise.return %d : i32
    }) : (tensor<64xi32>) -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [HasParent<"MapElementwiseOp">, Pure, ReturnLike, Terminator]> {
  let summary = "the results of a scalar function for one group of elements";
  let description = "See `tt.map_elementwise`.";
  let arguments = (ins Variadic<TT_Scalar>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

def TT_HistogramOp : TT_Op<"histogram", [Pure, OptionalTypesMatchWith<"the mask has the shape of the operand",
    "src", "mask", "::triton::tensor::getMaskType($_self)">]> {
  let summary = "counts how often each number from 0 occurs";
  let description = [{
    Element `i` of the result is the number of elements equal to `i`. Elements whose `mask` is false do not count. Numbers the
    result has no place for are not counted anywhere.

    ```mlir
    %x = arith.constant dense<3> : tensor<256xi32>
    %h = tt.histogram %x : tensor<256xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins TT_IntTensor:$src, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$mask, "int64_t":$bins)>];
  let hasVerifier = 1;
}

#endif
