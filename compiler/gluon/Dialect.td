// The dialect `gluon`: what kernels that name layouts leave to be inferred.
#ifndef TRITON_GLUON_DIALECT
#define TRITON_GLUON_DIALECT

include "compiler/tensor/dialect/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def GluonDialect : Dialect {
  let name = "gluon";
  let cppNamespace = "::triton::gluon";
  let summary = "layouts that are inferred from those a kernel names";
  let dependentDialects = ["::triton::tensor::TensorDialect", "::triton::gpu::GpuDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Gluon_AutoAttr : AttrDef<GluonDialect, "AutoEncoding"> {
  let mnemonic = "auto_encoding";
  let summary = "the layout of whatever named layout the tensor meets";
}

def Gluon_CoalescedAttr : AttrDef<GluonDialect, "CoalescedEncoding"> {
  let mnemonic = "coalesced_encoding";
  let summary = "the layout that suits the accesses to memory the tensor takes part in";
}

def Gluon_SetAutoLayoutOp : Op<GluonDialect, "set_auto_layout", [Pure, SameOperandsAndResultElementType, SameOperandsAndResultShape]> {
  let summary = "says which layout a tensor has whose layout is inferred";
  let description = [{
    ```mlir
    %y = gluon.set_auto_layout %x : tensor<128xf32, #gluon.auto_encoding> -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif
