// Tensor memory: the space, and the layouts of what lies there.
#ifndef TRITON_GPU_NVIDIA_ATTRIBUTES
#define TRITON_GPU_NVIDIA_ATTRIBUTES

include "compiler/gpu/dialect/Attributes.td"

class TTNG_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<NvidiaDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def TTNG_TensorMemoryAttr : TTNG_Attr<"TensorMemory", "tensor_memory"> {
  let summary = "the memory that tcgen05 dots accumulate in";
}

def TTNG_TensorMemoryEncodingAttr : TTNG_Attr<"TensorMemoryEncoding", "tensor_memory_encoding", [TTG_LayoutAttr]> {
  let summary = "accumulators and operands in tensor memory, in blocks of `blockM` rows and `blockN` columns";
  let description = [{
    A column of elements takes `colStride` columns of the memory. row (128), col -> dim0, dim1.

    ```mlir
    #tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
    ```
  }];
  let parameters = (ins "int64_t":$blockM, "int64_t":$blockN, "int64_t":$colStride,
    DefaultValuedParameter<"int64_t", "1">:$CTASplitM, DefaultValuedParameter<"int64_t", "1">:$CTASplitN,
    DefaultValuedParameter<"bool", "false">:$twoCTAs);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = layoutMethods;
  let genVerifyDecl = 1;
}

def TTNG_TensorMemoryScalesAttr : TTNG_Attr<"TensorMemoryScales", "tensor_memory_scales_encoding", [TTG_LayoutAttr]> {
  let summary = "8-bit block scales in tensor memory";
  let description = [{
    ```mlir
    #scales = #ttng.tensor_memory_scales_encoding<>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$CTASplitM, DefaultValuedParameter<"int64_t", "1">:$CTASplitN);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = layoutMethods;
  let genVerifyDecl = 1;
}

#endif
