// Random kernels in tensor IR whose results the semantics fix to the last bit.
//   In:  a seed.
//   Out: a module with one kernel, and what its parameters are.
// Float sums whose order is open, and functions that may differ in the last place, are left out.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>

namespace triton::differential {

/// One buffer the kernel is given, for all programs together.
struct Parameter {
  mlir::Type element;
  int64_t elements;
  bool isOutput;
};

struct RandomKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Parameter> parameters; // one pointer each; behind them comes the number of valid elements, an i32
  int32_t programs;
  int32_t validElements;
};

/// Which kinds of ops a kernel may have.
struct Vocabulary {
  bool shapes = true, reductions = true, controlFlow = true, products = true, narrowFloats = true, windows = true,
       truths = true, atomics = true;
};

RandomKernel makeRandomKernel(mlir::MLIRContext &context, uint64_t seed, const Vocabulary &vocabulary = {});

} // namespace triton::differential
