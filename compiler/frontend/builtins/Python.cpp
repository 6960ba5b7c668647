// Python's own functions that kernels may use (semantics 2.3), and methods of compile-time strings and integers.
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
  Value best = values[0];
  for (const Value &value : values.drop_front()) {
    FailureOr<Value> isBetter = foldBinary(emitter, isMax ? BinaryOperation::Gt : BinaryOperation::Lt, value, best);
    if (failed(isBetter))
      return failure();
    if (isBetter->is<bool>() && isBetter->get<bool>())
      best = value;
  }
  return best;
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

template <std::string (*function)(llvm::StringRef)>
static FailureOr<Value> stringMethod(Emitter &, const BoundArguments &arguments) {
  return Value::string(function(arguments[0].get<std::string>()));
}
static std::string lower(llvm::StringRef text) { return text.lower(); }
static std::string upper(llvm::StringRef text) { return text.upper(); }
static std::string strip(llvm::StringRef text) { return text.trim().str(); }

template <bool (llvm::StringRef::*test)(llvm::StringRef) const>
static FailureOr<Value> stringTest(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> part = readString(emitter, arguments[1], "argument");
  if (failed(part))
    return failure();
  return Value::boolean((llvm::StringRef(arguments[0].get<std::string>()).*test)(*part));
}

static FailureOr<Value> stringReplace(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> from = readString(emitter, arguments[1], "old"), to = readString(emitter, arguments[2], "new");
  if (failed(from) || failed(to))
    return failure();
  std::string text = arguments[0].get<std::string>();
  if (from->empty())
    return emitter.error("ValueError") << "replacing an empty string is not supported in kernels";
  for (size_t at = text.find(*from); at != std::string::npos; at = text.find(*from, at + to->size()))
    text.replace(at, from->size(), *to);
  return Value::string(std::move(text));
}

static FailureOr<Value> stringSplit(Emitter &emitter, const BoundArguments &arguments) {
  const std::string text = arguments[0].get<std::string>();
  SmallVector<llvm::StringRef> parts;
  if (arguments[1].isNone()) {
    llvm::SplitString(text, parts);
  } else {
    FailureOr<std::string> separator = readString(emitter, arguments[1], "sep");
    if (failed(separator))
      return failure();
    if (separator->empty())
      return emitter.error("ValueError") << "empty separator";
    llvm::StringRef(text).split(parts, *separator);
  }
  std::vector<Value> elements;
  for (llvm::StringRef part : parts)
    elements.push_back(Value::string(part.str()));
  return Value::tuple(std::move(elements));
}

static FailureOr<Value> bitLengthMethod(Emitter &, const BoundArguments &arguments) {
  return Value::integer(static_cast<int64_t>(bitLength(*asInteger(arguments[0]))));
}

llvm::ArrayRef<Builtin> pythonBuiltins() {
  static constexpr auto isClass = Builtin::Kind::Class;
  static const Builtin table[] = {
      {"builtins", "len", "(obj)", "The number of elements of a tuple, shape or string.", lengthOf},
      {"builtins", "int", "(x=0)", "A compile-time integer.", toInteger, false, false, isClass},
      {"builtins", "float", "(x=0.0)", "A compile-time float, such as `float(\"inf\")`.", toFloat, false, false,
       isClass},
      {"builtins", "list", "(*iterable)", "The elements as a tuple.", toList, false, false, isClass},
      {"builtins", "isinstance", "(obj, class_or_tuple)", "Whether `obj` is of a class.", isInstanceBuiltin},
      {"builtins", "getattr", "(obj, name, default=None)", "The attribute named by a compile-time string.",
       getAttribute},
      {"builtins", "hasattr", "(obj, name)", "Whether there is such an attribute.", hasAttribute},
      {"builtins", "print", "(prefix, *args, hex=False)", "The same as `device_print`.", devicePrint},
      {"builtins", "min", "(*values, propagate_nan=PropagateNan.NONE)",
       "The smallest of several values; at compile time if all are known then.", extremum<false>},
      {"builtins", "max", "(*values, propagate_nan=PropagateNan.NONE)",
       "The largest of several values; at compile time if all are known then.", extremum<true>},
      {"triton.language.core", "builtin_min", "(*values, propagate_nan=PropagateNan.NONE)",
       "What Python's `min` means in kernels.", extremum<false>},
      {"triton.language.core", "builtin_max", "(*values, propagate_nan=PropagateNan.NONE)",
       "What Python's `max` means in kernels.", extremum<true>},
      {"builtins.str", "lower", "(self)", "In lower case.", stringMethod<lower>},
      {"builtins.str", "upper", "(self)", "In upper case.", stringMethod<upper>},
      {"builtins.str", "strip", "(self)", "Without white space at both ends.", stringMethod<strip>},
      {"builtins.str", "startswith", "(self, prefix)", "Whether it begins with `prefix`.",
       stringTest<&llvm::StringRef::starts_with>},
      {"builtins.str", "endswith", "(self, suffix)", "Whether it ends with `suffix`.",
       stringTest<&llvm::StringRef::ends_with>},
      {"builtins.str", "replace", "(self, old, new)", "With every `old` replaced by `new`.", stringReplace},
      {"builtins.str", "split", "(self, sep=None)", "The parts between separators, as a tuple.", stringSplit},
      {"builtins.int", "bit_length", "(self)", "How many bits the magnitude needs.", bitLengthMethod},
  };
  return table;
}

} // namespace triton::frontend
