// Elementwise ops that `arith` and `math` do not have, and products of matrices.
#ifndef TRITON_TENSOR_MATH_OPS
#define TRITON_TENSOR_MATH_OPS

include "compiler/tensor/dialect/OpBase.td"
include "mlir/Interfaces/CastInterfaces.td"

def TT_AddPtrOp : TT_ElementwiseOp<"addptr", [AllTypesMatch<["result", "ptr"]>, Pure]> {
  let summary = "the pointer `offset` elements further";
  let description = [{
    The offset is signed and counts elements of the pointee type, not bytes.

    ```mlir
    %p = tt.addptr %base, %n : !tt.ptr<f32>, i32
    %q = tt.addptr %pointers, %offsets : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    ```
  }];
  let arguments = (ins TT_AddressLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_AddressLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_IntToPtrOp : TT_ElementwiseOp<"int_to_ptr", [DeclareOpInterfaceMethods<CastOpInterface>, Pure]> {
  let summary = "reads an integer as an address";
  let description = [{
    ```mlir
    %a = arith.constant 0 : i64
    %p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
    ```
  }];
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_AddressLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_PtrToIntOp : TT_ElementwiseOp<"ptr_to_int", [DeclareOpInterfaceMethods<CastOpInterface>, Pure]> {
  let summary = "the address a pointer holds";
  let description = [{
    ```mlir
    %a = tt.ptr_to_int %base : !tt.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins TT_AddressLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_BitcastOp : TT_ElementwiseOp<"bitcast", [DeclareOpInterfaceMethods<CastOpInterface>, Pure]> {
  let summary = "the same bits as another type";
  let description = [{
    Between numbers of one width, or between pointers.

    ```mlir
    %x = arith.constant dense<1.0> : tensor<128xf32>
    %b = tt.bitcast %x : tensor<128xf32> -> tensor<128xi32>
    %q = tt.bitcast %base : !tt.ptr<f32> -> !tt.ptr<i8>
    ```
  }];
  let arguments = (ins AnyTypeOf<[TT_Tensor, TT_Scalar]>:$src);
  let results = (outs AnyTypeOf<[TT_Tensor, TT_Scalar]>:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp", [DeclareOpInterfaceMethods<CastOpInterface>, Pure]> {
  let summary = "converts between float formats, 8-bit ones included";
  let description = [{
    A narrowing conversion needs `rounding`, a widening one is exact and has none. Narrowing to an 8-bit float saturates: what
    is too large becomes the largest finite value.

    ```mlir
    %x = arith.constant dense<1.0> : tensor<128xf32>
    %n = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32> -> tensor<128xf8E5M2>
    %w = tt.fp_to_fp %n : tensor<128xf8E5M2> -> tensor<128xf16>
    ```
  }];
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ClampFOp : TT_ElementwiseOp<"clampf", [Pure, SameOperandsAndResultType]> {
  let summary = "limits `x` to the range from `min` to `max`";
  let description = [{
    With `propagateNan = all` a NaN in `x` stays NaN, with `none` it becomes `min`.

    ```mlir
    %x = arith.constant dense<4.0> : tensor<128xf32>
    %lo = arith.constant dense<0.0> : tensor<128xf32>
    %hi = arith.constant dense<1.0> : tensor<128xf32>
    %c = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<128xf32>
    ```
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}

def TT_PreciseSqrtOp : TT_ElementwiseOp<"precise_sqrt", [Pure, SameOperandsAndResultType]> {
  let summary = "the correctly rounded square root";
  let description = [{
    ```mlir
    %x = arith.constant dense<2.0> : tensor<128xf32>
    %r = tt.precise_sqrt %x : tensor<128xf32>
    ```
  }];
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_ElementwiseOp<"precise_divf", [Pure, SameOperandsAndResultType]> {
  let summary = "the correctly rounded quotient";
  let description = [{
    ```mlir
    %x = arith.constant dense<2.0> : tensor<128xf32>
    %r = tt.precise_divf %x, %x : tensor<128xf32>
    ```
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_ElementwiseOp<"mulhiui", [Commutative, Pure, SameOperandsAndResultType]> {
  let summary = "the high half of the unsigned product";
  let description = [{
    ```mlir
    %x = arith.constant dense<7> : tensor<128xi32>
    %r = tt.mulhiui %x, %x : tensor<128xi32>
    ```
  }];
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Elementwise, SameVariadicOperandSize]> {
  let summary = "calls a library function on every element";
  let description = [{
    `symbol` is the function in the bitcode library `libname` found at `libpath`. With `pure = false` the calls may have effects
    and are neither removed nor merged.

    ```mlir
    %x = arith.constant dense<0.5> : tensor<128xf32>
    %r = tt.extern_elementwise %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_tanf"} : (tensor<128xf32>) -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[TT_Tensor, TT_Scalar]>>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol,
    BoolAttr:$pure);
  let results = (outs AnyTypeOf<[TT_Tensor, TT_Scalar]>:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Elementwise]> {
  let summary = "runs assembly on every group of `packed_element` elements";
  let description = [{
    `constraints` are LLVM's: outputs first, then inputs. Elements narrower than 32 bits share a register.

    ```mlir
    %x = arith.constant dense<1> : tensor<128xi32>
    %r = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<128xi32> -> tensor<128xi32>
    ```
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
    Variadic<AnyTypeOf<[TT_Tensor, TT_Scalar]>>:$args);
  let results = (outs Variadic<AnyTypeOf<[TT_Tensor, TT_Scalar]>>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
  let hasVerifier = 1;
}

def TT_DotOp : TT_Op<"dot", [AllTypesMatch<["c", "d"]>, Pure]> {
  let summary = "d = a b + c, for matrices";
  let description = [{
    Of shapes `[M, K] x [K, N] + [M, N]`, with an optional leading batch dimension. `inputPrecision` says how f32 operands are
    read. `maxNumImpreciseAcc` is how many 8-bit float products may be summed in low precision; 0 is all.

    ```mlir
    %a = arith.constant dense<1.0> : tensor<64x32xf16>
    %b = arith.constant dense<1.0> : tensor<32x16xf16>
    %c = arith.constant dense<0.0> : tensor<64x16xf32>
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$c,
    DefaultValuedAttr<TT_InputPrecisionAttr, "::triton::tensor::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [AllTypesMatch<["c", "d"]>, AttrSizedOperandSegments, Pure]> {
  let summary = "d = (a scaled) (b scaled) + c, in microscaling formats";
  let description = [{
    Each group of elements along K is multiplied by one scale: 32 elements for i8 scales, read as exponents (`2^(s - 127)`,
    255 is NaN), 16 for f8E4M3FN scales. Scales are `[M, K / group]` and `[N, K / group]`. `e2m1` elements are packed in pairs,
    the first in the low bits, along K or, with `lhs_k_pack = false` or `rhs_k_pack = false`, along M or N.

    ```mlir
    %a = arith.constant dense<0> : tensor<128x32xi8>
    %sa = arith.constant dense<127> : tensor<128x2xi8>
    %b = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<128x64xf32>
    %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<64x64xf8E4M3FN> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[TT_Float, I8, I16]>:$a, RankedTensorOf<[TT_Float, I8, I16]>:$b, TT_FloatTensor:$c,
    Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$a_scale, Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$b_scale,
    TT_ScaleDotElemTypeAttr:$a_elem_type, TT_ScaleDotElemTypeAttr:$b_elem_type, BoolAttr:$fastMath,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack, DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

#endif
