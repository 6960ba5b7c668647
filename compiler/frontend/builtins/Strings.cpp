// The methods of compile-time strings, in kernels and in compile-time code around them.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/values/Formatting.h"

using namespace mlir;

namespace triton::frontend {

static llvm::StringRef self(const BoundArguments &arguments) { return arguments[0].get<std::string>(); }

template <std::string (llvm::StringRef::*function)() const>
static FailureOr<Value> inCase(Emitter &, const BoundArguments &arguments) {
  return Value::string((self(arguments).*function)());
}

template <bool left, bool right> static FailureOr<Value> strip(Emitter &emitter, const BoundArguments &arguments) {
  std::string removed = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
  if (!arguments[1].isNone()) {
    FailureOr<std::string> given = readString(emitter, arguments[1], "chars");
    if (failed(given))
      return failure();
    removed = *given;
  }
  const std::vector<llvm::StringRef> among = charactersOf(removed);
  std::vector<llvm::StringRef> characters = charactersOf(self(arguments));
  while (right && !characters.empty() && llvm::is_contained(among, characters.back()))
    characters.pop_back();
  while (left && !characters.empty() && llvm::is_contained(among, characters.front()))
    characters.erase(characters.begin());
  return Value::string(llvm::join(characters, ""));
}

template <bool (llvm::StringRef::*test)(llvm::StringRef) const>
static FailureOr<Value> tests(Emitter &emitter, const BoundArguments &arguments) {
  const TupleValue *alternatives = arguments[1].tuple();
  for (const Value &alternative : alternatives ? ArrayRef(alternatives->elements) : ArrayRef(arguments[1])) {
    FailureOr<std::string> part = readString(emitter, alternative, "argument");
    if (failed(part))
      return failure();
    if ((self(arguments).*test)(*part))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

template <bool (*test)(char)> static FailureOr<Value> consistsOf(Emitter &, const BoundArguments &arguments) {
  return Value::boolean(!self(arguments).empty() && llvm::all_of(self(arguments), test));
}

template <bool (llvm::StringRef::*consume)(llvm::StringRef)>
static FailureOr<Value> without(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> part = readString(emitter, arguments[1], "argument");
  if (failed(part))
    return failure();
  llvm::StringRef text = self(arguments);
  (text.*consume)(*part);
  return Value::string(text.str());
}

static FailureOr<Value> replace(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> from = readString(emitter, arguments[1], "old"), to = readString(emitter, arguments[2], "new");
  if (failed(from) || failed(to))
    return failure();
  std::string text = self(arguments).str();
  if (from->empty())
    return emitter.error("ValueError") << "replacing an empty string is not supported in kernels";
  for (size_t at = text.find(*from); at != std::string::npos; at = text.find(*from, at + to->size()))
    text.replace(at, from->size(), *to);
  return Value::string(std::move(text));
}

static FailureOr<Value> split(Emitter &emitter, const BoundArguments &arguments) {
  SmallVector<llvm::StringRef> parts;
  if (arguments[1].isNone()) {
    llvm::SplitString(self(arguments), parts);
  } else {
    FailureOr<std::string> separator = readString(emitter, arguments[1], "sep");
    if (failed(separator))
      return failure();
    if (separator->empty())
      return emitter.error("ValueError") << "empty separator";
    self(arguments).split(parts, *separator);
  }
  std::vector<Value> elements;
  for (llvm::StringRef part : parts)
    elements.push_back(Value::string(part.str()));
  return Value::list(std::move(elements));
}

static FailureOr<Value> join(Emitter &emitter, const BoundArguments &arguments) {
  auto elements = elementsOf(arguments[1]);
  if (!elements)
    return emitter.fail(elements.takeError());
  std::string text;
  for (auto [index, element] : llvm::enumerate(*elements)) {
    if (!element.is<std::string>())
      return emitter.error("TypeError") << "sequence item " << index << ": expected str instance, "
                                        << classNameOf(element) << " found";
    text += (index == 0 ? "" : self(arguments).str()) + element.get<std::string>();
  }
  return Value::string(std::move(text));
}

/// The place of a byte, counted in characters; -1 if there is none.
static Value characterIndex(llvm::StringRef text, size_t byte) {
  return Value::integer(byte == llvm::StringRef::npos ? int64_t(-1)
                                                      : int64_t(charactersOf(text.take_front(byte)).size()));
}

template <bool fromEnd> static FailureOr<Value> find(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> part = readString(emitter, arguments[1], "argument");
  if (failed(part))
    return failure();
  return characterIndex(self(arguments), fromEnd ? self(arguments).rfind(*part) : self(arguments).find(*part));
}

static FailureOr<Value> count(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> part = readString(emitter, arguments[1], "argument");
  if (failed(part))
    return failure();
  const int64_t times =
      part->empty() ? charactersOf(self(arguments)).size() + 1 : self(arguments).count(llvm::StringRef(*part));
  return Value::integer(times);
}

template <char align> static FailureOr<Value> justify(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> width = readInteger(emitter, arguments[1], "width");
  FailureOr<std::string> fill =
      failed(width) ? FailureOr<std::string>() : readString(emitter, arguments[2], "fillchar");
  if (failed(fill))
    return failure();
  if (charactersOf(*fill).size() != 1)
    return emitter.error("TypeError") << "the fill character must be exactly one character long";
  if (*width <= 0)
    return arguments[0];
  auto text = formatValue(arguments[0], *fill + align + std::to_string(*width));
  if (!text)
    return emitter.fail(text.takeError());
  return Value::string(std::move(*text));
}

static FailureOr<Value> zeroFill(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> width = readInteger(emitter, arguments[1], "width");
  if (failed(width))
    return failure();
  llvm::StringRef digits = self(arguments);
  const std::string sign = digits.starts_with("+") || digits.starts_with("-") ? digits.take_front(1).str() : "";
  digits = digits.drop_front(sign.size());
  const int64_t left = *width - static_cast<int64_t>(sign.size());
  if (left <= 0)
    return arguments[0];
  auto text = formatValue(Value::string(digits.str()), "0>" + std::to_string(left));
  if (!text)
    return emitter.fail(text.takeError());
  return Value::string(sign + *text);
}

/// A method may be called through its class, with anything as `self`: `str.lower(3)`.
template <EmitBuiltin emit> static FailureOr<Value> ofString(Emitter &emitter, const BoundArguments &arguments) {
  if (!arguments[0].is<std::string>())
    return emitter.error("TypeError") << "a method of 'str' cannot be called on a '" << classNameOf(arguments[0])
                                      << "' object";
  return emit(emitter, arguments);
}

#define TRITON_STRING(Name, Signature, Documentation, Emit)                                                            \
  {"builtins.str", Name, Signature, Documentation, ofString<Emit>, false, false, Builtin::Kind::Function, true}

llvm::ArrayRef<Builtin> stringBuiltins() {
  static const Builtin table[] = {
      TRITON_STRING("lower", "(self)", "In lower case.", inCase<&llvm::StringRef::lower>),
      TRITON_STRING("upper", "(self)", "In upper case.", inCase<&llvm::StringRef::upper>),
      TRITON_STRING("strip", "(self, chars=None)", "Without white space, or `chars`, at both ends.",
                    (strip<true, true>)),
      TRITON_STRING("lstrip", "(self, chars=None)", "The same at the left end.", (strip<true, false>)),
      TRITON_STRING("rstrip", "(self, chars=None)", "The same at the right end.", (strip<false, true>)),
      TRITON_STRING("startswith", "(self, prefix)", "Whether it begins with `prefix`, or one of several.",
                    tests<&llvm::StringRef::starts_with>),
      TRITON_STRING("endswith", "(self, suffix)", "Whether it ends with `suffix`, or one of several.",
                    tests<&llvm::StringRef::ends_with>),
      TRITON_STRING("isdigit", "(self)", "Whether it consists of digits.", consistsOf<llvm::isDigit>),
      TRITON_STRING("isalpha", "(self)", "Whether it consists of letters.", consistsOf<llvm::isAlpha>),
      TRITON_STRING("isalnum", "(self)", "Whether it consists of letters and digits.", consistsOf<llvm::isAlnum>),
      TRITON_STRING("removeprefix", "(self, prefix)", "Without `prefix`.", without<&llvm::StringRef::consume_front>),
      TRITON_STRING("removesuffix", "(self, suffix)", "Without `suffix`.", without<&llvm::StringRef::consume_back>),
      TRITON_STRING("replace", "(self, old, new)", "With every `old` replaced by `new`.", replace),
      TRITON_STRING("split", "(self, sep=None)", "The parts between separators.", split),
      TRITON_STRING("join", "(self, iterable)", "The elements with this string between them.", join),
      TRITON_STRING("find", "(self, sub)", "Where `sub` begins first, or -1.", find<false>),
      TRITON_STRING("rfind", "(self, sub)", "Where `sub` begins last, or -1.", find<true>),
      TRITON_STRING("count", "(self, sub)", "How often `sub` occurs.", count),
      TRITON_STRING("ljust", "(self, width, fillchar=' ')", "At the left of `width` characters.", justify<'<'>),
      TRITON_STRING("rjust", "(self, width, fillchar=' ')", "At the right of `width` characters.", justify<'>'>),
      TRITON_STRING("zfill", "(self, width)", "With zeros in front, after a sign.", zeroFill),
  };
  return table;
}

#undef TRITON_STRING

} // namespace triton::frontend
