// Reads, writes and atomic updates through pointers and block pointers.
#ifndef TRITON_TENSOR_MEMORY_OPS
#define TRITON_TENSOR_MEMORY_OPS

include "compiler/tensor/dialect/OpBase.td"

class TT_MaskOf<string ptr> : OptionalTypesMatchWith<"the mask has the shape of the pointers", ptr, "mask",
    "::triton::tensor::getMaskType(::triton::tensor::getAccessedType($_self))">;
class TT_ValueOf<string ptr, string value>
    : OptionalTypesMatchWith<value # " has the type the pointers point to", ptr, value,
        "::triton::tensor::getAccessedType($_self)">;

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                               InferTypeOpAdaptor, TT_MaskOf<"ptr">, TT_ValueOf<"ptr", "other">]> {
  let summary = "reads through a pointer, a tensor of pointers or a block pointer";
  let description = [{
    Where `mask` is false memory is not touched and the element is `other`, or unspecified without `other`. Through a block
    pointer there is no mask: `boundaryCheck` lists the dimensions along which elements outside of the tensor are not touched,
    and `padding` (1 zero, 2 NaN) is what they read as. A volatile load is never removed or merged.

    ```mlir
    %x = tt.load %base : !tt.ptr<f32>
    %y = tt.load %pointers, %mask, %other cacheModifier = cg evictionPolicy = evict_last : tensor<128x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, Optional<AnyTypeOf<[TT_Tensor, TT_Scalar]>>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<TT_PaddingOptionAttr>:$padding,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tensor::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tensor::EvictionPolicy::Normal">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyTypeOf<[TT_Tensor, TT_Scalar]>:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask, CArg<"::mlir::Value", "{}">:$other,
      CArg<"CacheModifier", "CacheModifier::None">:$cache, CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict,
      CArg<"bool", "false">:$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$blockPointer, "::llvm::ArrayRef<int32_t>":$boundaryCheck,
      "std::optional<PaddingOption>":$padding, CArg<"CacheModifier", "CacheModifier::None">:$cache,
      CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict, CArg<"bool", "false">:$isVolatile)>];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_StoreOp : TT_Op<"store", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>, TT_MaskOf<"ptr">, TT_ValueOf<"ptr", "value">]> {
  let summary = "writes through a pointer, a tensor of pointers or a block pointer";
  let description = [{
    Where `mask` is false nothing is written. When several elements go to one address, which of them stays is unspecified.
    Through a block pointer there is no mask: `boundaryCheck` lists the dimensions along which elements outside of the tensor
    are dropped.

    ```mlir
    tt.store %pointers, %other, %mask : tensor<128x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, AnyTypeOf<[TT_Tensor, TT_Scalar]>:$value, Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tensor::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tensor::EvictionPolicy::Normal">:$evict);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, "::mlir::Value":$mask, "CacheModifier":$cache,
      CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict)>,
    OpBuilder<(ins "::mlir::Value":$blockPointer, "::mlir::Value":$value, "::llvm::ArrayRef<int32_t>":$boundaryCheck,
      CArg<"CacheModifier", "CacheModifier::None">:$cache, CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict)>];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [InferTypeOpAdaptor,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "updates memory atomically and gives what was there";
  let description = [{
    Per element, `memory = update(memory, val)`. Elements whose mask is false touch nothing and are unspecified. `max` and `min`
    on floats order -0.0 below +0.0; `fadd` adds floats, `add` integers.

    ```mlir
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %pointers, %other, %mask : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
    ```
  }];
  let arguments = (ins TT_RMWOpAttr:$atomic_rmw_op, TT_PtrLike:$ptr, AnyTypeOf<[TT_Tensor, TT_Scalar]>:$val,
    Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs AnyTypeOf<[TT_Tensor, TT_Scalar]>:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [InferTypeOpAdaptor,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes `val` where memory holds `cmp`, atomically, and gives what was there";
  let description = [{
    Compares bits, so that a NaN equals itself and +0.0 is not -0.0.

    ```mlir
    %old = tt.atomic_cas acq_rel, gpu, %base, %x, %x : (!tt.ptr<f32>, f32, f32) -> f32
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, AnyTypeOf<[TT_Tensor, TT_Scalar]>:$cmp, AnyTypeOf<[TT_Tensor, TT_Scalar]>:$val,
    TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs AnyTypeOf<[TT_Tensor, TT_Scalar]>:$result);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif
