// What the op definitions of `tt` share.
#ifndef TRITON_TENSOR_OP_BASE
#define TRITON_TENSOR_OP_BASE

include "compiler/tensor/dialect/Attributes.td"
include "compiler/tensor/dialect/Dialect.td"
include "compiler/tensor/dialect/Types.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<TensorDialect, mnemonic, traits>;

// One scalar result per element, from the elements at the same place of the operands. Works on scalars as well.
class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat(ElementwiseMappable.traits, [SameOperandsAndResultShape], traits)>;

// The memory kernels are given pointers into. Ops that touch it say so, which is what orders them.
def TT_GlobalMemory : Resource<"::triton::tensor::GlobalMemory">;

#endif
