// What a layout attribute answers, whatever its name.
#ifndef TRITON_GPU_INTERFACES
#define TRITON_GPU_INTERFACES

include "mlir/IR/OpBase.td"

def TTG_LayoutAttr : AttrInterface<"LayoutAttr"> {
  let cppNamespace = "::triton::gpu";
  let description = [{
    A way to write a linear map down. Analyses and code generation look at the map only, through `toLinear` of a type.
  }];
  let methods = [
    InterfaceMethod<"How many dimensions a tensor in this layout has.", "int64_t", "getRank">,
    InterfaceMethod<"Whether a tensor of this shape can be laid out so; an error if not.", "::llvm::LogicalResult", "checkShape",
      (ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$error)>,
    InterfaceMethod<"The map on a tensor of this shape, which `checkShape` accepts. Not cached: ask `toLinear` of a type.",
      "::triton::layout::LinearLayout", "toLinear", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
  ];
}

def TTG_DistributedAttr : AttrInterface<"DistributedAttr", [TTG_LayoutAttr]> {
  let cppNamespace = "::triton::gpu";
  let description = "A layout of a tensor in registers: register, lane, warp, block -> dim0, dim1, ….";
}

def TTG_SharedAttr : AttrInterface<"SharedAttr", [TTG_LayoutAttr]> {
  let cppNamespace = "::triton::gpu";
  let description = "A layout of a buffer in shared memory: offset (in elements), block -> dim0, dim1, ….";
  let methods = [
    InterfaceMethod<"Of the buffer's start, in bytes.", "int64_t", "getAlignment">,
  ];
}

#endif
