// The dialect `proton`: what a kernel notes of itself, for the profiler (docs/how-to/profile.md).
#ifndef TRITON_TENSOR_RECORD_OPS
#define TRITON_TENSOR_RECORD_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RecordDialect : Dialect {
  let name = "proton";
  let cppNamespace = "::triton::record";
  let summary = "scopes inside kernels";
}

// Where records go. No load or store touches it, so that records stand in the way of none, and keep their order among themselves.
def Record_Memory : Resource<"::triton::record::RecordMemory">;

def Record_RecordOp : Op<RecordDialect, "record", [MemoryEffects<[MemRead<Record_Memory>, MemWrite<Record_Memory>]>]> {
  let summary = "notes when a program enters or leaves a scope";
  let description = [{
    Each warp notes it for itself.

    ```mlir
    proton.record start "loads"
    proton.record end "loads"
    ```
  }];
  let arguments = (ins UnitAttr:$isStart, StrAttr:$name);
  let assemblyFormat = "(`start` $isStart^) : (`end`)? $name attr-dict";
}

#endif
