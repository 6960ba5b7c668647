// Reads the arguments of builtins: what must be known at compile time, as C++ values, with one wording for what is not.
// `what` names the argument in messages: "axis", "padding_option".
#pragma once

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Literals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InterleavedRange.h"

namespace triton::frontend {

mlir::FailureOr<int64_t> readInteger(Emitter &emitter, const Value &value, llvm::StringRef what);
/// Also takes integers, as Python's truth value.
mlir::FailureOr<bool> readBoolean(Emitter &emitter, const Value &value, llvm::StringRef what);
mlir::FailureOr<std::string> readString(Emitter &emitter, const Value &value, llvm::StringRef what);
/// A dtype, a pointer type or a block type.
mlir::FailureOr<Type> readType(Emitter &emitter, const Value &value, llvm::StringRef what);
/// What a block can hold: a number type or a pointer type.
mlir::FailureOr<Type> readElementType(Emitter &emitter, const Value &value, llvm::StringRef what);
/// The elements of a tuple, or of what the host can iterate.
mlir::FailureOr<std::vector<Value>> readSequence(Emitter &emitter, const Value &value, llvm::StringRef what);
mlir::FailureOr<std::vector<int64_t>> readIntegers(Emitter &emitter, const Value &value, llvm::StringRef what);
/// The elements of `*values`: given one by one, or as a single sequence.
mlir::FailureOr<std::vector<Value>> readVariadic(Emitter &emitter, const Value &values, llvm::StringRef what);
mlir::FailureOr<std::vector<int64_t>> readVariadicIntegers(Emitter &emitter, const Value &values, llvm::StringRef what);
/// A shape: compile-time integers that make a legal block, or none for a scalar.
mlir::FailureOr<std::vector<int64_t>> readShape(Emitter &emitter, llvm::ArrayRef<Value> sizes);

/// A tensor that is already one; numbers are not taken.
mlir::FailureOr<Value> readTensor(Emitter &emitter, const Value &value, llvm::StringRef what);
/// A tensor of rank at least 1.
mlir::FailureOr<Value> readBlock(Emitter &emitter, const Value &value, llvm::StringRef what);

inline mlir::Value irOf(const Value &tensor) { return tensor.get<TensorValue>().ir; }
inline mlir::RankedTensorType irTypeOf(const Value &block) {
  return llvm::cast<mlir::RankedTensorType>(irOf(block).getType());
}

/// What one of several names stands for; None is the empty one.
template <typename Enum>
mlir::FailureOr<Enum> readChoice(Emitter &emitter, const Value &value, llvm::StringRef what,
                                 llvm::ArrayRef<std::pair<llvm::StringLiteral, Enum>> choices) {
  mlir::FailureOr<std::string> name =
      value.isNone() ? mlir::FailureOr<std::string>(std::string()) : readString(emitter, value, what);
  if (failed(name))
    return mlir::failure();
  for (const auto &[spelling, choice] : choices)
    if (spelling == *name)
      return choice;
  auto names = llvm::map_range(choices, [](const auto &choice) { return "\"" + choice.first.str() + "\""; });
  return emitter.error("ValueError") << what << " \"" << *name << "\" not supported; it may be "
                                     << llvm::interleaved(names);
}

/// The place rules report to: `inferTrans(…, ruleErrors(emitter))`.
inline auto ruleErrors(Emitter &emitter) {
  return [&emitter] { return emitter.ruleError(); };
}

/// `values[i]` with a failure of any as failure of all.
template <typename Range, typename Function>
mlir::FailureOr<std::vector<Value>> mapValues(const Range &range, Function function) {
  std::vector<Value> results;
  for (const Value &value : range) {
    mlir::FailureOr<Value> result = function(value);
    if (failed(result))
      return mlir::failure();
    results.push_back(std::move(*result));
  }
  return results;
}

} // namespace triton::frontend
