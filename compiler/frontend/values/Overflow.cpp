#include "compiler/frontend/values/Overflow.h"

#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/values/Literals.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::frontend {

static llvm::StringRef operationName(BinaryOperation operation) {
  return operation == BinaryOperation::Add ? "add" : operation == BinaryOperation::Sub ? "sub" : "mul";
}

// Computed once more in 64 bits, where no operand of 32 bits or less can overflow (products of two uint32 can, but their top bit then is set: below zero).
void assertNoOverflow(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs) {
  const Type type = lhs.type();
  if (!emitter.options().debug || !emitter.options().sanitizeOverflow || !type.isInteger() || type.bitWidth() >= 64)
    return;
  const auto [low, high] = rangeOf(type.element());
  const Type wide = type.withElement(Type::int64());
  Value left = *cast(emitter, lhs, Type::int64()), right = *cast(emitter, rhs, Type::int64());
  Value exact = *binary(emitter, operation, left, right, /*sanitizeOverflow=*/false);
  Value isAbove = *binary(emitter, BinaryOperation::Ge, exact, *constantOf(emitter, Value::integer(low), wide));
  Value isBelow = *binary(emitter, BinaryOperation::Le, exact, *constantOf(emitter, Value::integer(high), wide));
  Value fits = *binary(emitter, BinaryOperation::And, isAbove, isBelow);
  const std::string message =
      type.element().str() + " overflow detected for operation " + operationName(operation).str();
  tensor::AssertOp::create(emitter.builder(), emitter.location(), fits.get<TensorValue>().ir, message);
}

} // namespace triton::frontend
