// Printing and checking, while compiling and while running; scopes for the profiler.
#include "compiler/frontend/builtins/Debug.h"
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/Record.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> staticPrint(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> separator =
      arguments[1].isNone() ? FailureOr<std::string>(std::string(" ")) : readString(emitter, arguments[1], "sep");
  FailureOr<std::string> end = failed(separator)       ? separator
                               : arguments[2].isNone() ? FailureOr<std::string>(std::string("\n"))
                                                       : readString(emitter, arguments[2], "end");
  if (failed(end))
    return failure();
  std::string text;
  for (auto [index, value] : llvm::enumerate(arguments[0].tuple()->elements))
    text += (index == 0 ? "" : *separator) + value.str();
  emitter.host().print(text + *end);
  return Value::none();
}

static FailureOr<Value> failUnless(Emitter &emitter, const BoundArguments &arguments, llvm::StringRef exception) {
  const auto *condition = arguments[0].getIf<bool>();
  if (!condition)
    return emitter.error("NotImplementedError")
           << "assertion condition could not be determined at compile-time: it must be a constexpr bool, got "
           << (arguments[0].isTensor() ? "a run-time value of type " + arguments[0].type().str() : arguments[0].repr());
  if (!*condition) {
    std::string message = arguments[1].str();
    return emitter.error(exception) << (message.empty() ? "static assertion failed" : message);
  }
  return Value::none();
}
static FailureOr<Value> staticAssert(Emitter &emitter, const BoundArguments &arguments) {
  return failUnless(emitter, arguments, "CompileTimeAssertionFailure");
}
static FailureOr<Value> requireValue(Emitter &emitter, const BoundArguments &arguments) {
  return failUnless(emitter, arguments, "ValueError");
}

// What is printed between the program's position and the value: ` name: `.
static std::string normalizePrefix(std::string prefix, bool hasOperands) {
  if (hasOperands) {
    if (llvm::StringRef(prefix).ends_with(" "))
      prefix.pop_back();
    if (!llvm::StringRef(prefix).ends_with(":"))
      prefix += ":";
    prefix += " ";
  }
  if (prefix.size() > 2 && prefix[0] != ' ')
    prefix = " " + prefix;
  return prefix;
}

FailureOr<Value> devicePrint(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> prefix = readString(emitter, arguments[0], "prefix of device_print");
  FailureOr<bool> hex = failed(prefix) ? FailureOr<bool>() : readBoolean(emitter, arguments[2], "hex");
  if (failed(hex))
    return failure();
  if (!llvm::all_of(*prefix, llvm::isPrint))
    return emitter.error("AssertionError")
           << "prefix of device_print must be printable ASCII, got " << arguments[0].repr();
  SmallVector<mlir::Value> operands;
  SmallVector<int32_t> isSigned;
  for (const Value &argument : arguments[1].tuple()->elements) {
    FailureOr<Value> operand = toTensor(emitter, argument);
    if (failed(operand))
      return failure();
    operands.push_back(irOf(*operand));
    isSigned.push_back(operand->type().isSigned());
  }
  tensor::PrintOp::create(emitter.builder(), emitter.location(), normalizePrefix(*prefix, !operands.empty()), *hex,
                          operands, isSigned);
  return Value::none();
}

static FailureOr<Value> deviceAssert(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> message = readString(emitter, arguments[1], "message of device_assert");
  if (failed(message))
    return failure();
  if (!emitter.options().debug)
    return Value::none();
  FailureOr<Value> condition = toTensor(emitter, arguments[0]);
  if (succeeded(condition))
    condition = toBoolean(emitter, *condition);
  if (failed(condition))
    return failure();
  if (!arguments[2].isNone()) {
    FailureOr<Value> mask = toTensor(emitter, arguments[2]);
    if (succeeded(mask))
      mask = toBoolean(emitter, *mask);
    FailureOr<Value> unmasked = failed(mask) ? mask : unary(emitter, UnaryOperation::Invert, *mask);
    condition = failed(unmasked) ? unmasked : binary(emitter, BinaryOperation::Or, *condition, *unmasked);
    if (failed(condition))
      return failure();
  }
  tensor::AssertOp::create(emitter.builder(), emitter.location(), irOf(*condition), *message);
  return Value::none();
}

static FailureOr<Value> recordScope(Emitter &emitter, const Value &name, bool isStart) {
  FailureOr<std::string> text = readString(emitter, name, "name of a scope");
  if (failed(text))
    return failure();
  record::RecordOp::create(emitter.builder(), emitter.location(), isStart, *text);
  return Value::none();
}
static FailureOr<Value> enterScope(Emitter &emitter, const BoundArguments &arguments) {
  return recordScope(emitter, arguments[0], /*isStart=*/true);
}
static FailureOr<Value> exitScope(Emitter &emitter, const BoundArguments &arguments) {
  return recordScope(emitter, arguments[0], /*isStart=*/false);
}
llvm::ArrayRef<Builtin> debugBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "static_print", "(*values, sep=\" \", end=\"\\n\", file=None, flush=False)",
       "Prints while compiling, as Python's `print` does. Tensors show their dtype and shape.", staticPrint},
      {"triton.language.core", "static_assert", "(cond, msg=\"\", /)",
       "Fails the compilation with `msg` unless the compile-time bool `cond` is true.", staticAssert},
      {"triton.language.core", "_require_value", "(cond, msg, /)",
       "`static_assert` of what a function of the library takes: a ValueError.", requireValue},
      {"triton.language.core", "device_print", "(prefix, *args, hex=False)",
       "Prints while the kernel runs: one line for every element of every argument, after the program's position and "
       "`prefix`.\n\n"
       "`prefix` is a compile-time string of printable ASCII. `hex=True` prints bit patterns.",
       devicePrint},
      {"triton.language.core", "device_assert", "(cond, msg=\"\", mask=None)",
       "In debug mode, stops the kernel with `msg` unless `cond` holds for every element (whose `mask` is true).",
       deviceAssert},
      {"triton.profiler.language", "enter_scope", "(name)",
       "From here until `exit_scope` a program is in the scope `name`, a compile-time string: the profiler shows for "
       "how "
       "long.",
       enterScope},
      {"triton.profiler.language", "exit_scope", "(name)", "Leaves a scope that was entered.", exitScope},
  };
  return table;
}

} // namespace triton::frontend
