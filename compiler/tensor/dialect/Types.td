// The types of `tt`, and the constraints its ops place on operands.
#ifndef TRITON_TENSOR_TYPES
#define TRITON_TENSOR_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "compiler/tensor/dialect/Dialect.td"

class TT_TypeDef<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<TensorDialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TT_Ptr : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "the address of a value in memory, or of a block of a larger tensor";
  let description = [{
    `!tt.ptr<f32>` is an address in global memory (address space 1), `!tt.ptr<f32, 3>` one in another space. A tensor of
    pointers, `tensor<128x!tt.ptr<f32>>`, addresses each element on its own. A block pointer, `!tt.ptr<tensor<64x32xf16>>`,
    is what `tt.make_tensor_ptr` gives: a window of that shape onto a larger tensor.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, DefaultValuedParameter<"int", "1">:$addressSpace);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
    return $_get(pointeeType.getContext(), pointeeType, addressSpace);
  }]>];
  let extraClassDeclaration = [{
    /// Whether this points to a block, as `tt.make_tensor_ptr` makes, and not to one element.
    bool isBlockPointer() const { return ::llvm::isa<::mlir::RankedTensorType>(getPointeeType()); }
  }];
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDesc : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "a tensor in memory with its shape and strides, accessed one block at a time";
  let description = [{
    `!tt.tensordesc<tensor<128x64xf16>>` reads and writes blocks of shape 128x64. Integer elements may be written `si32` or
    `ui32`: the descriptor then also says how `min` and `max` of `tt.descriptor_reduce` compare. Blocks themselves are always
    signless.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let assemblyFormat = "`<` $blockType `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$blockType), [{
    return $_get(blockType.getContext(), blockType);
  }]>];
  let extraClassDeclaration = [{
    /// The type of the blocks this descriptor loads and stores: `getBlockType()` with signless elements.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E4M3B11FNUZ, F16, BF16, F32, F64], "float">;
def TT_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer">;

def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr], [], "tensor of numbers or pointers">;
def TT_FloatTensor : RankedTensorOf<[TT_Float], [], "tensor of floats">;
def TT_IntTensor : RankedTensorOf<[TT_Int], [], "tensor of integers">;

def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor], "float or tensor of floats">;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor], "integer or tensor of integers">;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>], "i1 or tensor of i1">;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>], "i64 or tensor of i64">;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, RankedTensorOf<[TT_Ptr]>], "pointer or tensor of pointers">;
def TT_ElementPtr : Type<And<[TT_Ptr.predicate, CPred<"!::llvm::cast<::triton::tensor::PointerType>($_self).isBlockPointer()">]>,
                         "pointer to one element", "::triton::tensor::PointerType">;
def TT_AddressLike : AnyTypeOf<[TT_ElementPtr, RankedTensorOf<[TT_Ptr]>], "pointer to one element or tensor of pointers">;
def TT_Scalar : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr], "number or pointer">;
def TT_Any : AnyTypeOf<[TT_Scalar, TT_Tensor, TT_TensorDesc], "number, pointer, descriptor or tensor">;

#endif
