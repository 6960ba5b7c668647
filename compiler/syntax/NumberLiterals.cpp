#include "compiler/syntax/NumberLiterals.h"

#include "compiler/syntax/Identifiers.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <charconv>
#include <cmath>

using namespace triton::syntax;
using llvm::StringRef;

// CPython's limit on the conversion of decimal integers, which takes quadratic time.
constexpr size_t maxDecimalDigits = 4300;

namespace {

class NumberScanner {
public:
  explicit NumberScanner(StringRef text) : text(text) {}

  NumberScan scan() {
    if (peek() == '0') {
      char letter = llvm::toLower(peek(1));
      if (letter == 'x')
        return scanRadix("hexadecimal", [](char c) { return llvm::isHexDigit(c); });
      if (letter == 'o')
        return scanRadix("octal", [](char c) { return c >= '0' && c <= '7'; });
      if (letter == 'b')
        return scanRadix("binary", [](char c) { return c == '0' || c == '1'; });
    }
    return scanDecimal();
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  NumberScan fail(const llvm::Twine &message) const { return {at, message.str()}; }

  /// Digits with single underscores between them. False after an underscore that no digit follows.
  template <typename Predicate> bool digits(Predicate isDigit) {
    while (true) {
      while (isDigit(peek()))
        ++at;
      if (peek() != '_')
        return true;
      ++at;
      if (!isDigit(peek()))
        return false;
    }
  }
  bool decimalDigits() { return digits(llvm::isDigit); }

  template <typename Predicate> NumberScan scanRadix(StringRef name, Predicate isDigit) {
    at = 2;
    if (peek() == '_')
      ++at;
    std::string invalid = ("invalid " + name + " literal").str();
    if (!isDigit(peek())) {
      if (llvm::isDigit(peek()))
        return fail("invalid digit '" + llvm::Twine(peek()) + "' in " + name + " literal");
      return fail(invalid);
    }
    if (!digits(isDigit))
      return fail(invalid);
    if (llvm::isDigit(peek()))
      return fail("invalid digit '" + llvm::Twine(peek()) + "' in " + name + " literal");
    return end(invalid);
  }

  NumberScan scanDecimal() {
    bool isFloat = false;
    if (peek() != '.' && !decimalDigits())
      return fail("invalid decimal literal");
    size_t integerEnd = at;
    if (peek() == '.') {
      isFloat = true;
      ++at;
      if (llvm::isDigit(peek()) && !decimalDigits())
        return fail("invalid decimal literal");
    }
    if (peek() == 'e' || peek() == 'E') {
      size_t sign = peek(1) == '+' || peek(1) == '-';
      if (llvm::isDigit(peek(1 + sign))) {
        isFloat = true;
        at += 1 + sign;
        if (!decimalDigits())
          return fail("invalid decimal literal");
      } else if (sign) {
        ++at;
        return fail("invalid decimal literal");
      }
    }
    if (peek() == 'j' || peek() == 'J') {
      ++at;
      return end("invalid imaginary literal");
    }
    if (isFloat)
      return end("invalid decimal literal");
    StringRef integer = text.take_front(integerEnd);
    if (integer[0] == '0' && integer.find_first_not_of("0_") != StringRef::npos)
      return fail("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
    if (integer.size() > maxDecimalDigits && integer.size() - integer.count('_') > maxDecimalDigits)
      return fail("integer literal has more than 4300 digits; use hexadecimal for huge integers");
    return end("invalid decimal literal");
  }

  /// A number must not run into a name; the keywords that may follow an operand are let through, as in `1if x else 2`.
  NumberScan end(StringRef message) {
    if (!isIdentifierByte(peek()))
      return {at, ""};
    StringRef word = text.drop_front(at).take_while(isIdentifierByte);
    for (StringRef keyword : {"and", "else", "for", "if", "in", "is", "not", "or"})
      if (word.starts_with(keyword))
        return {at, ""};
    return fail(message);
  }

  StringRef text;
  size_t at = 0;
};

} // namespace

NumberScan triton::syntax::scanNumber(StringRef text) { return NumberScanner(text).scan(); }

static double floatValue(StringRef digits) {
  double value = 0;
  auto result = std::from_chars(digits.begin(), digits.end(), value);
  if (result.ec != std::errc::result_out_of_range)
    return value;
  // Too large or too small: APFloat rounds to infinity or to zero.
  llvm::APFloat rounded(llvm::APFloat::IEEEdouble());
  auto status = rounded.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return HUGE_VAL;
  }
  return rounded.convertToDouble();
}

/// Digits of a radix that is a power of two go straight to their bits: linear, where the general way is quadratic.
static llvm::APInt powerOfTwoValue(StringRef digits, unsigned bitsPerDigit) {
  unsigned width = std::max<size_t>(64, digits.size() * bitsPerDigit);
  llvm::SmallVector<uint64_t> words((width + 63) / 64, 0);
  size_t bit = 0;
  for (char digit : llvm::reverse(digits)) {
    uint64_t value = llvm::hexDigitValue(digit);
    words[bit / 64] |= value << (bit % 64);
    if (bit % 64 + bitsPerDigit > 64)
      words[bit / 64 + 1] |= value >> (64 - bit % 64);
    bit += bitsPerDigit;
  }
  llvm::APInt result(width, words);
  return result.zextOrTrunc(std::max(64u, result.getActiveBits()));
}

ConstantValue triton::syntax::numberValue(StringRef spelling) {
  std::string stripped;
  if (spelling.contains('_')) {
    for (char c : spelling)
      if (c != '_')
        stripped += c;
    spelling = stripped;
  }
  if (spelling.size() > 2 && spelling[0] == '0') {
    char letter = llvm::toLower(spelling[1]);
    if (unsigned bits = letter == 'x' ? 4 : letter == 'o' ? 3 : letter == 'b' ? 1 : 0)
      return powerOfTwoValue(spelling.drop_front(2), bits);
  }
  if (spelling.back() == 'j' || spelling.back() == 'J')
    return ImaginaryValue{floatValue(spelling.drop_back())};
  if (spelling.find_first_of(".eE") != StringRef::npos)
    return floatValue(spelling);
  uint64_t small;
  if (!spelling.getAsInteger(10, small))
    return llvm::APInt(64, small);
  llvm::APInt wide(std::max<unsigned>(64, llvm::APInt::getSufficientBitsNeeded(spelling, 10)), spelling, 10);
  return wide.zextOrTrunc(std::max(64u, wide.getActiveBits()));
}
