// The families of ops, each in a file of its own. A function here is asked about any op and answers for those of its family.
#pragma once

#include "compiler/interpreter/Interpreter.h"

namespace triton::interpreter {

/// Nothing: the op belongs to another family. Failure: a diagnostic was given.
using Answer = std::optional<mlir::FailureOr<Arrays>>;

/// `arith`: numbers, comparisons, casts.
Answer evaluateArith(mlir::Operation *op, llvm::ArrayRef<Array> operands);
/// `math`, and the elementwise ops of `tt`.
Answer evaluateMath(mlir::Operation *op, llvm::ArrayRef<Array> operands);
/// Ops of `tt` that make tensors or move elements.
Answer evaluateShape(mlir::Operation *op, llvm::ArrayRef<Array> operands);
/// Products of matrices.
Answer evaluateProduct(mlir::Operation *op, llvm::ArrayRef<Array> operands);
/// Loads, stores, atomics, block pointers and descriptors.
Answer evaluateMemory(mlir::Operation *op, llvm::ArrayRef<Array> operands, const Memory &memory);
/// `tt.print` and `tt.assert`.
Answer evaluateDebug(mlir::Operation *op, llvm::ArrayRef<Array> operands, const Program &program,
                     llvm::raw_ostream &output);

/// The value of a library function, by the name `tt.extern_elementwise` calls it, for one element of each operand; nothing when there is
/// no such function.
std::optional<uint64_t> callLibrary(llvm::StringRef symbol, mlir::Type result, llvm::ArrayRef<Array> operands,
                                    size_t index);

/// A new array, element by element, of the shape of the largest operand: one-element operands are repeated.
template <typename FunctionT> Array generate(mlir::Type element, llvm::ArrayRef<Array> operands, FunctionT function) {
  const Array *largest = operands.begin();
  for (const Array &operand : operands)
    if (operand.size() > largest->size())
      largest = &operand;
  std::vector<uint64_t> bits(largest->size());
  for (size_t index = 0; index < bits.size(); ++index)
    bits[index] = truncate(element, function(index));
  return Array(element, largest->shape(), std::move(bits));
}

/// Where element `index` of the result finds its operand: one-element operands are repeated.
inline size_t at(const Array &operand, size_t index) { return operand.size() == 1 ? 0 : index; }

} // namespace triton::interpreter
