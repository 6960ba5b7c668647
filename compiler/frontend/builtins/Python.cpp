// Python's own functions that kernels may use (semantics 2.3), and methods of compile-time integers.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Debug.h"
#include "compiler/frontend/builtins/Families.h"

#include <cmath>

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> lift(Emitter &emitter, llvm::Expected<Value> result) {
  if (!result)
    return emitter.fail(result.takeError());
  return *result;
}

static FailureOr<Value> lengthOf(Emitter &emitter, const BoundArguments &arguments) {
  return lift(emitter, foldLength(arguments[0]));
}
static FailureOr<Value> toInteger(Emitter &emitter, const BoundArguments &arguments) {
  return lift(emitter, foldToInteger(arguments[0]));
}
static FailureOr<Value> toFloat(Emitter &emitter, const BoundArguments &arguments) {
  return lift(emitter, foldToFloat(arguments[0]));
}

static FailureOr<Value> toList(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<Value>> elements = readVariadic(emitter, arguments[0], "list");
  if (failed(elements))
    return failure();
  return Value::tuple(std::move(*elements));
}

static FailureOr<bool> isInstance(Emitter &emitter, const Value &value, const Value &target) {
  if (const TupleValue *alternatives = target.tuple()) {
    for (const Value &alternative : alternatives->elements) {
      FailureOr<bool> result = isInstance(emitter, value, alternative);
      if (failed(result) || *result)
        return result;
    }
    return false;
  }
  if (const auto *builtin = target.getIf<const Builtin *>(); builtin && (*builtin)->kind == Builtin::Kind::Class)
    return isInstanceOf(value, **builtin);
  if (const auto *object = target.getIf<HostObject>()) {
    llvm::Expected<bool> result = object->host->isInstance(value, *object);
    if (!result)
      return emitter.fail(result.takeError());
    return *result;
  }
  return emitter.error("TypeError") << "isinstance() arg 2 must be a type or a tuple of types, got " << target.repr();
}

static FailureOr<Value> isInstanceBuiltin(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> result = isInstance(emitter, arguments[0], arguments[1]);
  if (failed(result))
    return failure();
  return Value::boolean(*result);
}

static FailureOr<Value> getAttribute(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> name = readString(emitter, arguments[1], "attribute name");
  FailureOr<std::optional<Value>> found =
      failed(name) ? FailureOr<std::optional<Value>>() : valueAttribute(emitter, arguments[0], *name);
  if (failed(found))
    return failure();
  if (*found)
    return **found;
  if (arguments.isGiven(2))
    return arguments[2];
  return emitter.error("AttributeError") << "'" << classNameOf(arguments[0]) << "' object has no attribute '" << *name
                                         << "'";
}

static FailureOr<Value> hasAttribute(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> name = readString(emitter, arguments[1], "attribute name");
  // `x.T` of a tensor that has none is an error to read, not to ask for.
  if (succeeded(name) && arguments[0].isTensor() && *name == "T")
    return Value::boolean(true);
  FailureOr<std::optional<Value>> found =
      failed(name) ? FailureOr<std::optional<Value>>() : valueAttribute(emitter, arguments[0], *name);
  if (failed(found))
    return failure();
  return Value::boolean(found->has_value());
}

static bool isNanOrNegativeZero(const Value &value) {
  const auto *real = value.getIf<double>();
  return real && (std::isnan(*real) || (*real == 0 && std::signbit(*real)));
}

static FailureOr<Value> foldExtremum(Emitter &emitter, ArrayRef<Value> values, bool isMax) {
  for (const Value &value : values)
    if (isNanOrNegativeZero(value))
      return emitter.error("AssertionError")
             << (isMax ? "max" : "min") << " of the compile-time value " << value.str() << " is not supported";
  return lift(emitter, foldExtreme(values, isMax));
}

template <bool isMax> static FailureOr<Value> extremum(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<Value>> values = readVariadic(emitter, arguments[0], isMax ? "max" : "min");
  if (failed(values))
    return failure();
  if (values->size() < 2)
    return emitter.error("TypeError") << (isMax ? "max" : "min") << " needs at least two values, got "
                                      << values->size();
  if (llvm::all_of(*values, [](const Value &value) { return value.isCompileTime(); }))
    return foldExtremum(emitter, *values, isMax);
  if (arguments.isGiven(1))
    emitter.warn("DeprecationWarning",
                 "the propagate_nan argument of min and max is deprecated; use tl.minimum or tl.maximum");
  if (llvm::any_of(*values, [](const Value &value) { return value.isTensor() && value.type().isBlock(); }))
    emitter.warn("DeprecationWarning", "Python's min and max on tensors are deprecated; use tl.minimum or tl.maximum");
  const Builtin *binaryForm = findBuiltin("triton.language.core", isMax ? "maximum" : "minimum");
  Value result = values->front();
  for (const Value &value : ArrayRef(*values).drop_front()) {
    FailureOr<Value> next = binaryForm->emit(emitter, {{result, value, arguments[1]}, {true, true, true}});
    if (failed(next))
      return failure();
    result = *next;
  }
  return result;
}

static FailureOr<Value> notImplemented(Emitter &emitter, const BoundArguments &) {
  return emitter.error("TypeError") << "'NotImplementedType' object is not callable";
}

/// A method may be called through its class, with anything as `self`: `int.bit_length("x")`.
template <int64_t (*count)(const Integer &)>
static FailureOr<Value> countBits(Emitter &emitter, const BoundArguments &arguments) {
  std::optional<Integer> number = asInteger(arguments[0]);
  if (!number)
    return emitter.error("TypeError") << "a method of 'int' cannot be called on a '" << classNameOf(arguments[0])
                                      << "' object";
  return Value::integer(count(*number));
}
static int64_t length(const Integer &number) { return bitLength(number); }
static int64_t ones(const Integer &number) { return toBits(abs(number), bitLength(number) + 1).popcount(); }

llvm::ArrayRef<Builtin> pythonBuiltins() {
  static constexpr auto isClass = Builtin::Kind::Class;
  static const Builtin table[] = {
      atCompileTime({"builtins", "len", "(obj)", "The number of elements of a tuple, shape or string.", lengthOf}),
      atCompileTime({"builtins", "int", "(x=0)", "A compile-time integer.", toInteger, false, false, isClass}),
      atCompileTime({"builtins", "float", "(x=0.0)", "A compile-time float, such as `float(\"inf\")`.", toFloat, false,
                     false, isClass}),
      {"builtins", "list", "(*iterable)", "The elements as a tuple.", toList, false, false, isClass},
      atCompileTime(
          {"builtins", "isinstance", "(obj, class_or_tuple)", "Whether `obj` is of a class.", isInstanceBuiltin}),
      atCompileTime({"builtins", "getattr", "(obj, name, default=None)",
                     "The attribute named by a compile-time string.", getAttribute}),
      atCompileTime({"builtins", "hasattr", "(obj, name)", "Whether there is such an attribute.", hasAttribute}),
      {"builtins", "print", "(prefix, *args, hex=False)", "The same as `device_print`.", devicePrint},
      {"builtins", "min", "(*values, propagate_nan=PropagateNan.NONE)",
       "The smallest of several values; at compile time if all are known then.", extremum<false>},
      {"builtins", "max", "(*values, propagate_nan=PropagateNan.NONE)",
       "The largest of several values; at compile time if all are known then.", extremum<true>},
      {"triton.language.core", "builtin_min", "(*values, propagate_nan=PropagateNan.NONE)",
       "What Python's `min` means in kernels.", extremum<false>},
      {"triton.language.core", "builtin_max", "(*values, propagate_nan=PropagateNan.NONE)",
       "What Python's `max` means in kernels.", extremum<true>},
      {"builtins", "NotImplemented", "()", "What a method of an operator returns to leave it to the other operand.",
       notImplemented},
      atCompileTime({"builtins.int", "bit_length", "(self)", "How many bits the magnitude needs.", countBits<length>}),
      atCompileTime(
          {"builtins.int", "bit_count", "(self)", "How many bits of the magnitude are set.", countBits<ones>}),
  };
  return table;
}

} // namespace triton::frontend
