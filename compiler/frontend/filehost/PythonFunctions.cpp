#include "compiler/frontend/filehost/PythonFunctions.h"

#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/values/Formatting.h"

#include "llvm/ADT/StringMap.h"

#include <charconv>
#include <cmath>

using namespace triton;
using namespace triton::frontend;
using mlir::failure;
using mlir::FailureOr;

using Elements = FailureOr<std::vector<Value>>;

/// A compile-time range or repetition longer than this is taken for a mistake.
static constexpr int64_t maxElements = 1'000'000;

static Elements readElements(Emitter &emitter, const Value &value) {
  auto elements = elementsOf(value);
  if (!elements)
    return emitter.fail(elements.takeError());
  return *elements;
}

static FailureOr<bool> readTruth(Emitter &emitter, const Value &value) {
  auto result = truth(value);
  if (!result)
    return emitter.fail(result.takeError());
  return *result;
}

static FailureOr<Value> text(Emitter &emitter, llvm::Expected<std::string> result) {
  if (!result)
    return emitter.fail(result.takeError());
  return Value::string(std::move(*result));
}

static FailureOr<Value> absolute(Emitter &emitter, const BoundArguments &arguments) {
  const Value &value = arguments[0];
  if (auto *real = value.getIf<double>())
    return Value::real(std::fabs(*real));
  if (std::optional<Integer> integer = asInteger(value))
    return Value::integer(abs(*integer));
  return emitter.error("TypeError") << "bad operand type for abs(): '" << classNameOf(value) << "'";
}

template <bool isAll> static FailureOr<Value> allOrAny(Emitter &emitter, const BoundArguments &arguments) {
  Elements elements = readElements(emitter, arguments[0]);
  if (failed(elements))
    return failure();
  for (const Value &element : *elements) {
    FailureOr<bool> holds = readTruth(emitter, element);
    if (failed(holds))
      return failure();
    if (*holds != isAll)
      return Value::boolean(!isAll);
  }
  return Value::boolean(isAll);
}

template <char type> static FailureOr<Value> inRadix(Emitter &emitter, const BoundArguments &arguments) {
  if (!asInteger(arguments[0]))
    return emitter.error("TypeError") << "'" << classNameOf(arguments[0])
                                      << "' object cannot be interpreted as an integer";
  return text(emitter, formatValue(arguments[0], {std::string("#") + type}));
}

static FailureOr<Value> toBool(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> result = readTruth(emitter, arguments[0]);
  if (failed(result))
    return failure();
  return Value::boolean(*result);
}

static FailureOr<Value> character(Emitter &emitter, const BoundArguments &arguments) {
  std::optional<Integer> code = asInteger(arguments[0]);
  if (!code)
    return emitter.error("TypeError") << "'" << classNameOf(arguments[0])
                                      << "' object cannot be interpreted as an integer";
  return text(emitter, characterOf(*code, "chr() arg not in range(0x110000)", "ValueError"));
}

static FailureOr<Value> characterCode(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> letters = readString(emitter, arguments[0], "ord() argument");
  if (failed(letters))
    return failure();
  const std::vector<llvm::StringRef> all = charactersOf(*letters);
  if (all.size() != 1)
    return emitter.error("TypeError") << "ord() expected a character, but string of length " << all.size() << " found";
  return Value::integer(static_cast<int64_t>(codeOf(all.front())));
}

static FailureOr<Value> divideBoth(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> quotient = foldBinary(emitter, BinaryOperation::FloorDiv, arguments[0], arguments[1]);
  FailureOr<Value> rest =
      failed(quotient) ? quotient : foldBinary(emitter, BinaryOperation::Mod, arguments[0], arguments[1]);
  if (failed(rest))
    return failure();
  return Value::tuple({*quotient, *rest});
}

static FailureOr<Value> enumerate(Emitter &emitter, const BoundArguments &arguments) {
  Elements elements = readElements(emitter, arguments[0]);
  if (failed(elements))
    return failure();
  Value number = arguments[1];
  std::vector<Value> pairs;
  for (const Value &element : *elements) {
    pairs.push_back(Value::tuple({number, element}));
    FailureOr<Value> next = foldBinary(emitter, BinaryOperation::Add, number, Value::integer(int64_t(1)));
    if (failed(next))
      return failure();
    number = *next;
  }
  return Value::tuple(std::move(pairs));
}

static FailureOr<Value> zip(Emitter &emitter, const BoundArguments &arguments) {
  std::vector<std::vector<Value>> columns;
  for (const Value &iterable : arguments[0].tuple()->elements) {
    Elements elements = readElements(emitter, iterable);
    if (failed(elements))
      return failure();
    columns.push_back(std::move(*elements));
  }
  std::vector<Value> rows;
  const auto hasRow = [&](const std::vector<Value> &column) { return rows.size() < column.size(); };
  while (!columns.empty() && llvm::all_of(columns, hasRow)) {
    std::vector<Value> row;
    for (const std::vector<Value> &column : columns)
      row.push_back(column[rows.size()]);
    rows.push_back(Value::tuple(std::move(row)));
  }
  return Value::tuple(std::move(rows));
}

static FailureOr<Value> format(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> spec = readString(emitter, arguments[1], "format() argument 2");
  if (failed(spec))
    return failure();
  return text(emitter, formatValue(arguments[0], *spec));
}

template <bool isList> static FailureOr<Value> toSequence(Emitter &emitter, const BoundArguments &arguments) {
  Elements elements = readElements(emitter, arguments[0]);
  if (failed(elements))
    return failure();
  return isList ? Value::list(std::move(*elements)) : Value::tuple(std::move(*elements));
}

/// `min` and `max` of the arguments, or of the one sequence given.
template <bool isMax> static FailureOr<Value> extreme(Emitter &emitter, const BoundArguments &arguments) {
  std::vector<Value> values = arguments[0].tuple()->elements;
  if (values.size() == 1) {
    Elements elements = readElements(emitter, values.front());
    if (failed(elements))
      return failure();
    values = std::move(*elements);
  }
  if (values.empty() && arguments.isGiven(1))
    return arguments[1];
  if (values.empty())
    return emitter.error("ValueError") << (isMax ? "max" : "min") << "() arg is an empty sequence";
  auto best = foldExtreme(values, isMax);
  if (!best)
    return emitter.fail(best.takeError());
  return *best;
}

static FailureOr<Value> power(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> result = foldBinary(emitter, BinaryOperation::Pow, arguments[0], arguments[1]);
  if (failed(result) || arguments[2].isNone())
    return result;
  return foldBinary(emitter, BinaryOperation::Mod, *result, arguments[2]);
}

static FailureOr<Value> print(Emitter &emitter, const BoundArguments &arguments) {
  std::string line;
  for (auto [index, value] : llvm::enumerate(arguments[0].tuple()->elements))
    line += (index == 0 ? "" : arguments[1].str()) + value.str();
  emitter.host().print(line + arguments[2].str());
  return Value::none();
}

static FailureOr<Value> range(Emitter &emitter, const BoundArguments &arguments) {
  const std::vector<Value> &given = arguments[0].tuple()->elements;
  if (given.empty() || given.size() > 3)
    return emitter.error("TypeError") << "range expected 1 to 3 arguments, got " << given.size();
  int64_t bounds[3] = {0, 0, 1};
  for (auto [index, bound] : llvm::enumerate(given)) {
    FailureOr<int64_t> number = readInteger(emitter, bound, "range() argument");
    if (failed(number))
      return failure();
    bounds[given.size() == 1 ? 1 : index] = *number;
  }
  auto [start, stop, step] = bounds;
  if (step == 0)
    return emitter.error("ValueError") << "range() arg 3 must not be zero";
  std::vector<Value> values;
  const Integer end(stop);
  for (Integer i(start); step > 0 ? i < end : i > end; i += Integer(step)) {
    if (static_cast<int64_t>(values.size()) == maxElements)
      return emitter.error("MemoryError") << "a compile-time range of more than a million elements";
    values.push_back(Value::integer(i));
  }
  return Value::tuple(std::move(values));
}

static FailureOr<Value> toRepr(Emitter &, const BoundArguments &arguments) {
  return Value::string(arguments[0].repr());
}
static FailureOr<Value> toString(Emitter &, const BoundArguments &arguments) {
  return Value::string(arguments[0].str());
}
static FailureOr<Value> toAscii(Emitter &, const BoundArguments &arguments) {
  return Value::string(asciiRepr(arguments[0]));
}

static FailureOr<Value> reversed(Emitter &emitter, const BoundArguments &arguments) {
  Elements elements = readElements(emitter, arguments[0]);
  if (failed(elements))
    return failure();
  std::reverse(elements->begin(), elements->end());
  return Value::tuple(std::move(*elements));
}

/// To a multiple of `unit`, ties to the even one. `isAbove`: the number is a little more than `value`.
static Integer roundTo(const Integer &value, const Integer &unit, bool isAbove) {
  const Integer below = floorDiv(value, unit), rest = (value - below * unit) * 2;
  const bool roundsUp = rest > unit || (rest == unit && (isAbove || mod(below, Integer(2)) != 0));
  return (roundsUp ? below + 1 : below) * unit;
}

static FailureOr<Value> roundFloat(Emitter &emitter, double number, std::optional<int64_t> digits) {
  if (digits && !std::isfinite(number))
    return Value::real(number);
  if (!digits || *digits < 0) {
    auto whole = foldToInteger(Value::real(std::floor(number)));
    if (!whole)
      return emitter.fail(whole.takeError());
    const double rest = number - std::floor(number);
    if (!digits) {
      const Integer below = whole->get<Integer>();
      const bool roundsUp = rest > 0.5 || (rest == 0.5 && mod(below, Integer(2)) != 0);
      return Value::integer(roundsUp ? below + 1 : below);
    }
    if (*digits < -400)
      return Value::real(std::copysign(0.0, number));
    FailureOr<Value> unit =
        foldBinary(emitter, BinaryOperation::Pow, Value::integer(int64_t(10)), Value::integer(-*digits));
    if (failed(unit))
      return failure();
    const double result = toDouble(roundTo(whole->get<Integer>(), unit->get<Integer>(), rest != 0));
    return Value::real(std::copysign(result, number));
  }
  // A float has at most 1074 digits after the point.
  if (*digits > 1074)
    return Value::real(number);
  auto digitsText = formatValue(Value::real(number), "." + std::to_string(*digits) + "f");
  if (!digitsText)
    return emitter.fail(digitsText.takeError());
  double result = 0;
  std::from_chars(digitsText->data(), digitsText->data() + digitsText->size(), result);
  return Value::real(result);
}

static FailureOr<Value> round(Emitter &emitter, const BoundArguments &arguments) {
  std::optional<int64_t> digits;
  if (!arguments[1].isNone()) {
    FailureOr<int64_t> number = readInteger(emitter, arguments[1], "ndigits");
    if (failed(number))
      return failure();
    digits = *number;
  }
  if (auto *real = arguments[0].getIf<double>())
    return roundFloat(emitter, *real, digits);
  std::optional<Integer> integer = asInteger(arguments[0]);
  if (!integer)
    return emitter.error("TypeError") << "type " << classNameOf(arguments[0]) << " doesn't define __round__ method";
  if (!digits || *digits >= 0)
    return Value::integer(*integer);
  FailureOr<Value> unit =
      foldBinary(emitter, BinaryOperation::Pow, Value::integer(int64_t(10)), Value::integer(-*digits));
  if (failed(unit))
    return failure();
  return Value::integer(roundTo(*integer, unit->get<Integer>(), /*isAbove=*/false));
}

static FailureOr<Value> sorted(Emitter &emitter, const BoundArguments &arguments) {
  Elements elements = readElements(emitter, arguments[0]);
  FailureOr<bool> isReversed = failed(elements) ? FailureOr<bool>() : readTruth(emitter, arguments[1]);
  if (failed(isReversed))
    return failure();
  bool anyFailed = false;
  const auto less = [&](const Value &a, const Value &b) {
    FailureOr<Value> isLess = anyFailed
                                  ? FailureOr<Value>()
                                  : foldBinary(emitter, BinaryOperation::Lt, *isReversed ? b : a, *isReversed ? a : b);
    anyFailed |= failed(isLess) || !isLess->is<bool>();
    return !anyFailed && isLess->get<bool>();
  };
  // By insertion: what cannot be ordered (NaN) must not upset the algorithm.
  std::vector<Value> ordered;
  for (const Value &element : *elements) {
    size_t place = ordered.size();
    while (place > 0 && less(element, ordered[place - 1]))
      --place;
    ordered.insert(ordered.begin() + place, element);
    if (anyFailed)
      return failure();
  }
  return Value::list(std::move(ordered));
}

static FailureOr<Value> sum(Emitter &emitter, const BoundArguments &arguments) {
  Elements elements = readElements(emitter, arguments[0]);
  if (failed(elements))
    return failure();
  FailureOr<Value> total = arguments[1];
  for (const Value &element : *elements) {
    total = foldBinary(emitter, BinaryOperation::Add, *total, element);
    if (failed(total))
      return failure();
  }
  return total;
}

#define TRITON_PYTHON(Name, Signature, Documentation, Emit)                                                            \
  {"builtins", Name, Signature, Documentation, Emit, false, false, Builtin::Kind::Function, true}
#define TRITON_PYTHON_CLASS(Name, Signature, Documentation, Emit)                                                      \
  {"builtins", Name, Signature, Documentation, Emit, false, false, Builtin::Kind::Class, true}

static const Builtin table[] = {
    TRITON_PYTHON("abs", "(x, /)", "The magnitude.", absolute),
    TRITON_PYTHON("all", "(iterable, /)", "Whether every element is true.", allOrAny<true>),
    TRITON_PYTHON("any", "(iterable, /)", "Whether some element is true.", allOrAny<false>),
    TRITON_PYTHON("ascii", "(obj, /)", "The repr in ASCII.", toAscii),
    TRITON_PYTHON("bin", "(number, /)", "In base 2.", inRadix<'b'>),
    TRITON_PYTHON_CLASS("bool", "(x=False, /)", "The truth value.", toBool),
    TRITON_PYTHON("chr", "(i, /)", "The character with this number.", character),
    TRITON_PYTHON("divmod", "(x, y, /)", "Quotient and remainder.", divideBoth),
    TRITON_PYTHON("enumerate", "(iterable, start=0)", "Pairs of number and element.", enumerate),
    TRITON_PYTHON("format", "(value, format_spec='', /)", "As an f-string writes it.", format),
    TRITON_PYTHON("hex", "(number, /)", "In base 16.", inRadix<'x'>),
    TRITON_PYTHON_CLASS("list", "(iterable=(), /)", "The elements as a list.", toSequence<true>),
    TRITON_PYTHON("max", "(*values, default=None)", "The largest.", extreme<true>),
    TRITON_PYTHON("min", "(*values, default=None)", "The smallest.", extreme<false>),
    TRITON_PYTHON("oct", "(number, /)", "In base 8.", inRadix<'o'>),
    TRITON_PYTHON("ord", "(c, /)", "The number of a character.", characterCode),
    TRITON_PYTHON("pow", "(base, exp, mod=None)", "`base ** exp`, modulo `mod`.", power),
    TRITON_PYTHON("print", "(*values, sep=' ', end='\\n')", "Prints while compiling.", print),
    TRITON_PYTHON("range", "(*bounds)", "The integers from start to stop.", range),
    TRITON_PYTHON("repr", "(obj, /)", "As Python would write it.", toRepr),
    TRITON_PYTHON("reversed", "(sequence, /)", "The elements from the last to the first.", reversed),
    TRITON_PYTHON("round", "(number, ndigits=None)", "To so many digits, ties to even.", round),
    TRITON_PYTHON("sorted", "(iterable, /, *, reverse=False)", "The elements in order.", sorted),
    TRITON_PYTHON_CLASS("str", "(object='')", "As text.", toString),
    TRITON_PYTHON("sum", "(iterable, /, start=0)", "The sum of the elements.", sum),
    TRITON_PYTHON_CLASS("tuple", "(iterable=(), /)", "The elements as a tuple.", toSequence<false>),
    TRITON_PYTHON("zip", "(*iterables)", "Tuples of the elements at one place.", zip),
};

#undef TRITON_PYTHON
#undef TRITON_PYTHON_CLASS

const Builtin *triton::frontend::findPythonFunction(llvm::StringRef name) {
  static const llvm::StringMap<const Builtin *> byName = [] {
    llvm::StringMap<const Builtin *> entries;
    for (const Builtin &builtin : table)
      entries.try_emplace(builtin.name, &builtin);
    return entries;
  }();
  if (const Builtin *builtin = byName.lookup(name))
    return builtin;
  const Builtin *inKernels = findBuiltin("builtins", name);
  return inKernels && inKernels->isCompileTime ? inKernels : nullptr;
}
