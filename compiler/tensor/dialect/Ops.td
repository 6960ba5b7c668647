// Every op of `tt`, by what it is about. TableGen reads this file; the ops stand in the files it includes.
#ifndef TRITON_TENSOR_OPS
#define TRITON_TENSOR_OPS

include "compiler/tensor/dialect/FunctionOps.td"
include "compiler/tensor/dialect/ShapeOps.td"
include "compiler/tensor/dialect/MathOps.td"
include "compiler/tensor/dialect/ReduceOps.td"
include "compiler/tensor/dialect/MemoryOps.td"
include "compiler/tensor/dialect/DescriptorOps.td"

#endif
