// What the op definitions of `ttg` and `ttng` share.
#ifndef TRITON_GPU_OP_BASE
#define TRITON_GPU_OP_BASE

include "compiler/gpu/dialect/Attributes.td"
include "compiler/gpu/dialect/Types.td"
include "compiler/tensor/dialect/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TTG_Op<string mnemonic, list<Trait> traits = []> : Op<GpuDialect, mnemonic, traits>;
class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<NvidiaDialect, mnemonic, traits>;

def TTG_SharedMemory : Resource<"::triton::gpu::SharedMemory">;

#endif
