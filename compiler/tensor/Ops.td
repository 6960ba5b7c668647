// Every op of `tt`, by what it is about. TableGen reads this file; the ops stand in the files it includes.
#ifndef TRITON_TENSOR_OPS
#define TRITON_TENSOR_OPS

include "compiler/tensor/FunctionOps.td"
include "compiler/tensor/ShapeOps.td"
include "compiler/tensor/MathOps.td"
include "compiler/tensor/ReduceOps.td"
include "compiler/tensor/MemoryOps.td"
include "compiler/tensor/DescriptorOps.td"

#endif
