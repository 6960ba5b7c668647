// Squares of elements that are turned in registers: n vectors of n lanes, so that neither reading nor writing goes element by element.
#pragma once

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// n vectors of n elements: element j of vector i goes to element i of vector j.
void transposeSquare(mlir::OpBuilder &builder, mlir::Location loc, llvm::MutableArrayRef<mlir::Value> square);

} // namespace triton::cpu
