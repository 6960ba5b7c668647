// Python's format specification is `[[fill]align][sign][z][#][0][width][,_][.precision][type]`. A number is laid out in parts:
//
//   f"{-1234.5:#=+12,.2f}"   ->   -###1,234.50
//                                 |  |    |
//                              sign  |    rest: point, fraction, exponent, percent sign
//                                    digits, grouped; before them a prefix such as 0x
//
// and what is missing to the width goes left of all, right of all, or between sign and digits, as `align` says. Zeros there are grouped like digits.
#include "compiler/frontend/values/Formatting.h"

#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Literals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace triton::frontend;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

std::vector<StringRef> triton::frontend::charactersOf(StringRef text) {
  std::vector<StringRef> characters;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    while (end < text.size() && (text[end] & 0xC0) == 0x80)
      ++end;
    characters.push_back(text.slice(begin, end));
    begin = end;
  }
  return characters;
}

uint32_t triton::frontend::codeOf(StringRef character) {
  const llvm::UTF8 *begin = character.bytes_begin();
  llvm::UTF32 point = 0, *target = &point;
  if (llvm::ConvertUTF8toUTF32(&begin, character.bytes_end(), &target, &point + 1, llvm::strictConversion) !=
      llvm::conversionOK)
    return character.bytes_begin()[0];
  return point;
}

// ---- The specification.

namespace {
struct FormatSpec {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0;
  bool hasSign = false, isAlternate = false, noNegativeZero = false;
  int64_t width = 0;
  std::optional<int64_t> precision;
  std::string type; // one character, or none
};
} // namespace

/// Longer than any text that is meant, and short enough for the compiler's memory.
static constexpr int64_t maxLength = 1 << 20;

static Error valueError(const llvm::Twine &message) { return hostError("ValueError", message.str()); }

/// The number that `characters` begin with; nullopt if they begin with none.
static Expected<std::optional<int64_t>> takeNumber(llvm::ArrayRef<StringRef> &characters) {
  std::optional<int64_t> number;
  for (; !characters.empty() && llvm::isDigit(characters.front()[0]); characters = characters.drop_front()) {
    number = number.value_or(0) * 10 + (characters.front()[0] - '0');
    if (*number > maxLength)
      return valueError("Too many decimal digits in format string");
  }
  return number;
}

static bool isAlignment(StringRef character) { return character.size() == 1 && StringRef("<>=^").contains(character); }

/// `defaultAlign` and `defaultType`: those of the class of the value.
static Expected<FormatSpec> parseSpec(StringRef text, const Value &value, char defaultAlign, StringRef defaultType) {
  FormatSpec spec;
  std::vector<StringRef> all = charactersOf(text);
  llvm::ArrayRef<StringRef> rest(all);
  auto take = [&](StringRef choices) -> char {
    if (rest.empty() || rest.front().size() != 1 || !choices.contains(rest.front()))
      return 0;
    char taken = rest.front()[0];
    rest = rest.drop_front();
    return taken;
  };
  spec.align = defaultAlign;
  bool hasFill = rest.size() >= 2 && isAlignment(rest[1]);
  if (hasFill) {
    spec.fill = rest[0].str();
    rest = rest.drop_front();
  }
  char align = take("<>=^");
  if (align)
    spec.align = align;
  if (char sign = take("+- ")) {
    spec.sign = sign;
    spec.hasSign = true;
  }
  spec.noNegativeZero = take("z");
  spec.isAlternate = take("#");
  if (!hasFill && take("0")) {
    spec.fill = "0";
    if (!align && defaultAlign == '>')
      spec.align = '=';
  }
  auto width = takeNumber(rest);
  if (!width)
    return width.takeError();
  spec.width = width->value_or(0);
  spec.grouping = take(",");
  if (char underscore = take("_")) {
    if (spec.grouping)
      return valueError("Cannot specify both ',' and '_'.");
    spec.grouping = underscore;
  }
  if (spec.grouping == '_' && !rest.empty() && rest.front() == ",")
    return valueError("Cannot specify both ',' and '_'.");
  if (take(".")) {
    auto precision = takeNumber(rest);
    if (!precision)
      return precision.takeError();
    if (!*precision)
      return valueError("Format specifier missing precision");
    spec.precision = *precision;
  }
  if (rest.size() > 1)
    return valueError("Invalid format specifier '" + text + "' for object of type '" + classNameOf(value) + "'");
  spec.type = rest.empty() ? defaultType.str() : rest.front().str();
  const bool groupsInThrees = spec.type.empty() || StringRef("defgEG%F").contains(spec.type);
  const bool groupsInFours = spec.grouping == '_' && !spec.type.empty() && StringRef("boxX").contains(spec.type);
  if (spec.grouping && !groupsInThrees && !groupsInFours)
    return valueError("Cannot specify '" + StringRef(&spec.grouping, 1) + "' with '" + spec.type + "'.");
  return spec;
}

static Error unknownCode(const FormatSpec &spec, const Value &value) {
  std::string code = spec.type;
  if (codeOf(code) <= ' ' || codeOf(code) >= 0x80)
    code = "\\x" + llvm::utohexstr(codeOf(code), /*LowerCase=*/true);
  return valueError("Unknown format code '" + code + "' for object of type '" + classNameOf(value) + "'");
}

static std::string repeated(StringRef text, int64_t count) {
  std::string result;
  for (int64_t i = 0; i < count; ++i)
    result += text;
  return result;
}

/// `text` in the given width; `count` characters.
static std::string pad(const FormatSpec &spec, StringRef text, int64_t count) {
  const int64_t missing = std::max<int64_t>(spec.width - count, 0);
  const int64_t left = spec.align == '<' ? 0 : spec.align == '^' ? missing / 2 : missing;
  return repeated(spec.fill, left) + text.str() + repeated(spec.fill, missing - left);
}

// ---- Numbers.

namespace {
/// What is laid out (see above).
struct NumberText {
  bool isNegative = false;
  std::string prefix, digits, rest;
};
} // namespace

/// `digits` in groups, with zeros in front so that at least `minimum` characters come out; groups are whole, and no separator comes first.
static std::string group(StringRef digits, char separator, unsigned size, int64_t minimum) {
  std::string reversed;
  for (size_t count = 0;; ++count) {
    const bool isDone = count >= digits.size() && static_cast<int64_t>(reversed.size()) >= minimum;
    if (isDone && count > 0)
      break;
    if (separator && count > 0 && count % size == 0)
      reversed += separator;
    reversed += count < digits.size() ? digits[digits.size() - 1 - count] : '0';
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

static std::string layOut(const FormatSpec &spec, const NumberText &number) {
  const std::string sign = number.isNegative ? "-" : spec.sign != '-' ? std::string(1, spec.sign) : std::string();
  const int64_t around = sign.size() + number.prefix.size() + number.rest.size();
  const bool fillsWithZeros = spec.fill == "0" && spec.align == '=';
  const unsigned groupSize = !spec.type.empty() && StringRef("boxX").contains(spec.type) ? 4 : 3;
  std::string digits;
  if (!number.digits.empty())
    digits = group(number.digits, spec.grouping, groupSize, fillsWithZeros ? spec.width - around : 0);
  if (spec.align != '=')
    return pad(spec, sign + number.prefix + digits + number.rest, around + digits.size());
  const int64_t missing = spec.width - around - static_cast<int64_t>(digits.size());
  return sign + number.prefix + repeated(spec.fill, missing) + digits + number.rest;
}

/// Decimal digits of a finite float with the exponent of the first: 0.0125 is 125 and -2.
static std::pair<std::string, int> decimalDigits(double magnitude, std::optional<int64_t> count) {
  std::string buffer(count.value_or(0) + 32, '\0');
  char *begin = buffer.data(), *limit = begin + buffer.size();
  auto end = count ? std::to_chars(begin, limit, magnitude, std::chars_format::scientific, *count - 1).ptr
                   : std::to_chars(begin, limit, magnitude, std::chars_format::scientific).ptr;
  auto [mantissa, exponentText] = StringRef(begin, end - begin).split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  exponentText.getAsInteger(10, exponent);
  return {(mantissa.take_front(1) + mantissa.drop_front().ltrim('.')).str(), exponent};
}

static std::string exponentText(int exponent) {
  const std::string digits = std::to_string(std::abs(exponent));
  return (exponent < 0 ? "e-" : "e+") + std::string(digits.size() < 2 ? 1 : 0, '0') + digits;
}

/// The point and what follows it.
static std::string fractionText(StringRef digits, bool isAlternate) {
  return digits.empty() && !isAlternate ? std::string() : "." + digits.str();
}

static NumberText scientific(StringRef digits, int exponent, bool isAlternate) {
  return {.digits = digits.take_front(1).str(),
          .rest = fractionText(digits.drop_front(), isAlternate) + exponentText(exponent)};
}

/// `e`: one digit, the point, `precision` digits.
static NumberText exponentForm(double magnitude, int64_t precision, bool isAlternate) {
  auto [digits, exponent] = decimalDigits(magnitude, precision + 1);
  return scientific(digits, exponent, isAlternate);
}

/// `f`: all digits before the point, `precision` after it.
static NumberText pointForm(double magnitude, int64_t precision, bool isAlternate) {
  std::string buffer(precision + 330, '\0');
  auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::fixed, precision).ptr;
  auto [digits, fraction] = StringRef(buffer.data(), end - buffer.data()).split('.');
  return {.digits = digits.str(), .rest = fractionText(fraction, isAlternate)};
}

/// `g`, and what floats look like without a type (`isRepr`): the shorter of both forms, without trailing zeros. As repr it has a digit after the point, and
/// all digits that tell the number from its neighbours if there is no precision.
static NumberText generalForm(double magnitude, std::optional<int64_t> precision, bool isRepr, bool isAlternate) {
  if (precision == 0)
    precision = 1;
  auto [digits, exponent] = decimalDigits(magnitude, precision);
  const int64_t limit = precision ? *precision - isRepr : 16; // the first exponent that is written as one
  if (!isAlternate || !precision)
    digits = StringRef(digits).take_front(1).str() + StringRef(digits).drop_front().rtrim('0').str();
  if (exponent < -4 || exponent >= limit)
    return scientific(digits, exponent, isAlternate);
  NumberText text;
  if (exponent < 0) {
    text.digits = "0";
    text.rest = fractionText(std::string(-exponent - 1, '0') + digits, isAlternate);
    return text;
  }
  const size_t whole = exponent + 1;
  digits.resize(std::max(digits.size(), whole), '0');
  text.digits = digits.substr(0, whole);
  const std::string fraction = digits.substr(whole);
  text.rest = fractionText(fraction.empty() && isRepr ? "0" : fraction, isAlternate);
  return text;
}

static bool isZero(const NumberText &number) {
  const std::string mantissa = number.digits + StringRef(number.rest).split('e').first.str();
  return StringRef(mantissa).find_first_of("123456789") == StringRef::npos;
}

/// `type` is one of "efg", or empty for the form of repr.
static NumberText floatText(double value, StringRef type, std::optional<int64_t> precision, bool isAlternate) {
  NumberText number;
  const double magnitude = std::fabs(value);
  if (!std::isfinite(value))
    number.rest = std::isnan(value) ? "nan" : "inf";
  else if (type == "e")
    number = exponentForm(magnitude, precision.value_or(6), isAlternate);
  else if (type == "f")
    number = pointForm(magnitude, precision.value_or(6), isAlternate);
  else
    number = generalForm(magnitude, type == "g" ? precision.value_or(6) : precision, type.empty(), isAlternate);
  number.isNegative = std::signbit(value) && !std::isnan(value);
  return number;
}

static Expected<std::string> formatFloat(double number, const FormatSpec &spec, const Value &value) {
  const bool isPercent = spec.type == "%";
  if (spec.type.size() > 1 || !StringRef("eEfFgGn%").contains(spec.type))
    return unknownCode(spec, value);
  const std::string form = isPercent ? "f" : spec.type == "n" ? "g" : StringRef(spec.type).lower();
  NumberText text = floatText(isPercent ? number * 100 : number, form, spec.precision, spec.isAlternate);
  if (spec.noNegativeZero && text.isNegative && isZero(text) && std::isfinite(number))
    text.isNegative = false;
  if (isPercent)
    text.rest += "%";
  if (spec.type == "E" || spec.type == "F" || spec.type == "G")
    text.rest = StringRef(text.rest).upper();
  return layOut(spec, text);
}

static Expected<std::string> formatCharacter(const Integer &code, const FormatSpec &spec) {
  if (spec.hasSign)
    return valueError("Sign not allowed with integer format specifier 'c'");
  if (spec.isAlternate)
    return valueError("Alternate form (#) not allowed with integer format specifier 'c'");
  if (!toInt64(code))
    return hostError("OverflowError", "Python int too large to convert to C long");
  auto character = characterOf(code, "%c arg not in range(0x110000)", "OverflowError");
  if (!character)
    return character.takeError();
  return pad(spec, *character, 1);
}

static Expected<std::string> formatInteger(const Integer &number, const FormatSpec &spec, const Value &value) {
  if (spec.type.size() == 1 && StringRef("eEfFgG%").contains(spec.type)) {
    auto real = toFiniteDouble(number);
    if (!real)
      return real.takeError();
    return formatFloat(*real, spec, value);
  }
  if (spec.type.size() != 1 || !StringRef("bcdoxXn").contains(spec.type))
    return unknownCode(spec, value);
  if (spec.precision)
    return valueError("Precision not allowed in integer format specifier");
  if (spec.noNegativeZero)
    return valueError("Negative zero coercion (z) not allowed in integer format specifier");
  if (spec.type == "c")
    return formatCharacter(number, spec);
  const unsigned radix = spec.type == "b" ? 2 : spec.type == "o" ? 8 : StringRef(spec.type).lower() == "x" ? 16 : 10;
  NumberText text;
  text.isNegative = number < 0;
  text.digits = toString(abs(number), radix);
  if (spec.isAlternate && radix != 10)
    text.prefix = "0" + spec.type;
  if (spec.type == "X")
    text.digits = StringRef(text.digits).upper();
  return layOut(spec, text);
}

static Expected<std::string> formatString(StringRef text, const FormatSpec &spec, const Value &value) {
  if (spec.type != "s")
    return unknownCode(spec, value);
  if (spec.hasSign)
    return valueError(spec.sign == ' ' ? "Space not allowed in string format specifier"
                                       : "Sign not allowed in string format specifier");
  if (spec.noNegativeZero)
    return valueError("Negative zero coercion (z) not allowed in string format specifier");
  if (spec.isAlternate)
    return valueError("Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=')
    return valueError("'=' alignment not allowed in string format specifier");
  std::vector<StringRef> characters = charactersOf(text);
  if (spec.precision && static_cast<size_t>(*spec.precision) < characters.size()) {
    characters.resize(*spec.precision);
    text = characters.empty() ? "" : StringRef(text.begin(), characters.back().end() - text.begin());
  }
  return pad(spec, text, characters.size());
}

Expected<std::string> triton::frontend::formatValue(const Value &value, StringRef text) {
  if (text.empty())
    return value.str();
  const std::optional<Integer> integer = asInteger(value);
  const bool isString = value.is<std::string>();
  if (!integer && !isString && !value.is<double>())
    return hostError("TypeError", "unsupported format string passed to " + classNameOf(value) + ".__format__");
  auto spec = parseSpec(text, value, isString ? '<' : '>', isString ? "s" : integer ? "d" : "");
  if (!spec)
    return spec.takeError();
  if (isString)
    return formatString(value.get<std::string>(), *spec, value);
  return integer ? formatInteger(*integer, *spec, value) : formatFloat(value.get<double>(), *spec, value);
}

Expected<std::string> triton::frontend::formatField(const Value &value, int conversion, StringRef spec) {
  switch (conversion) {
  case 's':
    return formatValue(Value::string(value.str()), spec);
  case 'r':
    return formatValue(Value::string(value.repr()), spec);
  case 'a':
    return formatValue(Value::string(asciiRepr(value)), spec);
  default:
    return formatValue(value, spec);
  }
}

// ---- repr.

std::string triton::frontend::pythonRepr(double value) {
  const NumberText text = floatText(value, "", std::nullopt, /*isAlternate=*/false);
  return (text.isNegative ? "-" : "") + text.digits + text.rest;
}

static std::string escaped(uint32_t code) {
  const unsigned width = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
  const std::string digits = llvm::utohexstr(code, /*LowerCase=*/true);
  return std::string(width == 2   ? "\\x"
                     : width == 4 ? "\\u"
                                  : "\\U") +
         std::string(width - digits.size(), '0') + digits;
}

std::string triton::frontend::pythonRepr(StringRef value) {
  const char quote = value.contains('\'') && !value.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (StringRef character : charactersOf(value)) {
    const uint32_t code = codeOf(character);
    if (code == static_cast<uint32_t>(quote) || code == '\\')
      (result += '\\') += character;
    else if (code == '\n' || code == '\t' || code == '\r')
      result += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
    else if (code == ' ' || (code != 0x7f && code > ' ' && code < 0x80) ||
             (code > 0xA0 && code != 0xAD && llvm::sys::unicode::isPrintable(code)))
      result += character;
    else
      result += escaped(code);
  }
  return result + quote;
}

std::string triton::frontend::asciiRepr(const Value &value) {
  const std::string text = value.repr();
  std::string result;
  for (StringRef character : charactersOf(text))
    result += codeOf(character) < 0x80 ? character.str() : escaped(codeOf(character));
  return result;
}

Expected<std::string> triton::frontend::characterOf(const Integer &code, StringRef message, StringRef exception) {
  const std::optional<int64_t> point = toInt64(code);
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = bytes;
  if (!point || *point < 0 || *point > 0x10FFFF)
    return hostError(exception.str(), message.str());
  if (!llvm::ConvertCodePointToUTF8(static_cast<unsigned>(*point), end))
    return valueError("a lone surrogate is not text here: " + llvm::Twine(*point));
  return std::string(bytes, end);
}
