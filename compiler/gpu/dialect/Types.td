// The types of `ttg`: views of buffers, and tokens that order asynchronous work.
#ifndef TRITON_GPU_TYPES
#define TRITON_GPU_TYPES

include "mlir/IR/AttrTypeBase.td"
include "compiler/gpu/dialect/Attributes.td"
include "compiler/tensor/dialect/Types.td"

class TTG_TypeDef<string name, string typeMnemonic> : TypeDef<GpuDialect, name> {
  let mnemonic = typeMnemonic;
}

def TTG_MemDesc : TTG_TypeDef<"MemDesc", "memdesc"> {
  let summary = "a view of a buffer in shared or tensor memory";
  let description = [{
    `!ttg.memdesc<128x64xf16, #shared, #smem>` is never written again once it is filled; with `mutable` it is. One dimension more
    than the layout has is a row of buffers, all laid out alike, one behind the other. A view that is a part of a larger
    buffer names the shape of what it was cut from last: `!ttg.memdesc<128x16xf16, #shared, #smem, mutable, 128x64>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$encoding,
    "::mlir::Attribute":$memorySpace, "bool":$mutableMemory, ArrayRefParameter<"int64_t">:$allocShape);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace, CArg<"bool", "false">:$mutableMemory), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace, mutableMemory, shape);
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace, "bool":$mutableMemory,
      "::llvm::ArrayRef<int64_t>":$allocShape), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace, mutableMemory, allocShape);
    }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumElements() const { return ::llvm::product_of(getShape()); }
    unsigned getElementBits() const { return ::triton::tensor::getElementBits(getElementType()); }
    ::triton::gpu::LayoutAttr getLayout() const { return ::llvm::cast<::triton::gpu::LayoutAttr>(getEncoding()); }
    /// Whether the first dimension counts buffers.
    bool isMultiBuffered() const { return getRank() > getLayout().getRank(); }
    /// The shape of one buffer of this view: `getShape()` without the dimension that counts buffers.
    ::llvm::ArrayRef<int64_t> getBufferShape() const { return getShape().take_back(getLayout().getRank()); }
    /// The shape of one buffer of what this view was cut from: what the layout is laid over.
    ::llvm::ArrayRef<int64_t> getAllocBufferShape() const { return getAllocShape().take_back(getLayout().getRank()); }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTG_AsyncToken : TTG_TypeDef<"AsyncToken", "async.token"> {
  let summary = "orders an asynchronous op before those that take the token";
}

def TTG_RegisterTensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr], [], "tensor of numbers or pointers">;

#endif
