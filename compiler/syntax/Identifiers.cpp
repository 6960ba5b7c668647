#include "compiler/syntax/Identifiers.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/UnicodeCharRanges.h"

#include <cstring>
#include <tuple>

using namespace triton::syntax;
using llvm::StringRef;

namespace {
struct Composition {
  uint32_t first, second, composed;
};
struct CombiningClass {
  uint32_t character;
  uint8_t value;
};
using Characters = llvm::SmallVector<uint32_t, 32>;
} // namespace

#include "compiler/syntax/UnicodeTables.inc"

size_t triton::syntax::identifierLength(StringRef text) {
  static const llvm::sys::UnicodeCharSet start(identifierStart), continues(identifierContinue);
  size_t at = 0;
  while (at < text.size()) {
    CodePoint c = decodeCodePoint(text.drop_front(at));
    bool isPart = c.value < 128 ? isIdentifierByte(text[at])
                                : c.isValid && (start.contains(c.value) || (at > 0 && continues.contains(c.value)));
    if (!isPart)
      break;
    at += c.bytes;
  }
  return at;
}

bool triton::syntax::isPrintable(uint32_t codePoint) {
  if (codePoint < 128)
    return codePoint >= ' ' && codePoint < 127;
  // LLVM counts spaces in; Python only the ASCII one.
  bool isSpace = codePoint == 0xA0 || codePoint == 0x1680 || (codePoint >= 0x2000 && codePoint <= 0x200A) ||
                 codePoint == 0x202F || codePoint == 0x205F || codePoint == 0x3000;
  return !isSpace && !llvm::sys::unicode::isFormatting(codePoint) && llvm::sys::unicode::isPrintable(codePoint);
}

CodePoint triton::syntax::decodeCodePoint(StringRef text) {
  auto byte = [&](size_t index) { return index < text.size() ? (unsigned char)text[index] : 0u; };
  auto isTail = [&](size_t index) { return (byte(index) & 0xC0) == 0x80; };
  unsigned lead = byte(0);
  if (lead < 0x80)
    return {lead, 1, true};
  if (lead >= 0xC2 && lead < 0xE0 && isTail(1))
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2, true};
  if (lead >= 0xE0 && lead < 0xF0 && isTail(1) && isTail(2)) {
    uint32_t value = (lead & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (value >= 0x800)
      return {value, 3, true};
  }
  if (lead >= 0xF0 && lead < 0xF5 && isTail(1) && isTail(2) && isTail(3)) {
    uint32_t value = (lead & 7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (value >= 0x10000 && value <= 0x10FFFF)
      return {value, 4, true};
  }
  return {lead, 1, false};
}

void triton::syntax::appendCodePoint(std::string &text, uint32_t c) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    text += {char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
  } else {
    text +=
        {char(0xF0 | c >> 18), char(0x80 | (c >> 12 & 0x3F)), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
  }
}

size_t triton::syntax::findInvalidUtf8(StringRef text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word;
    if (at + 8 <= text.size() && (std::memcpy(&word, text.data() + at, 8), (word & 0x8080808080808080u) == 0)) {
      at += 8;
      continue;
    }
    CodePoint c = decodeCodePoint(text.drop_front(at));
    if (!c.isValid || (c.value >= 0xD800 && c.value < 0xE000))
      return at;
    at += c.bytes;
  }
  return text.size();
}

// Normalisation: decompose fully, put combining marks in order, compose again. Hangul syllables are arithmetic
// (The Unicode Standard, section 3.12).

constexpr uint32_t hangulBase = 0xAC00, leadBase = 0x1100, vowelBase = 0x1161, tailBase = 0x11A7;
constexpr uint32_t leadCount = 19, vowelCount = 21, tailCount = 28, hangulCount = leadCount * vowelCount * tailCount;

static void appendDecomposed(Characters &out, uint32_t c) {
  static const auto table = [] {
    llvm::DenseMap<uint32_t, llvm::ArrayRef<uint32_t>> map;
    llvm::ArrayRef<uint32_t> rest(compatibilityDecompositions);
    while (!rest.empty()) {
      unsigned length = rest.front() >> 24;
      map[rest.front() & 0xFFFFFF] = rest.slice(1, length);
      rest = rest.drop_front(1 + length);
    }
    return map;
  }();
  if (c - hangulBase < hangulCount) {
    uint32_t index = c - hangulBase;
    out.push_back(leadBase + index / (vowelCount * tailCount));
    out.push_back(vowelBase + index % (vowelCount * tailCount) / tailCount);
    if (index % tailCount)
      out.push_back(tailBase + index % tailCount);
    return;
  }
  auto found = c < 128 ? table.end() : table.find(c);
  if (found == table.end())
    out.push_back(c);
  else
    out.append(found->second.begin(), found->second.end());
}

static unsigned combiningClass(uint32_t c) {
  auto *found =
      llvm::lower_bound(combiningClasses, c, [](const CombiningClass &row, uint32_t c) { return row.character < c; });
  return found != std::end(combiningClasses) && found->character == c ? found->value : 0;
}

/// Sorts each run of combining marks by class; marks of one class keep their order.
static void orderMarks(Characters &text) {
  struct Mark {
    unsigned combiningClass;
    size_t position;
    uint32_t character;
    bool operator<(const Mark &other) const {
      return std::tie(combiningClass, position) < std::tie(other.combiningClass, other.position);
    }
  };
  llvm::SmallVector<Mark> run;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (unsigned current = at < text.size() ? combiningClass(text[at]) : 0) {
      run.push_back({current, at, text[at]});
      continue;
    }
    llvm::sort(run);
    for (auto [number, mark] : llvm::enumerate(run))
      text[at - run.size() + number] = mark.character;
    run.clear();
  }
}

/// The character that is `first` followed by `second`, or 0.
static uint32_t compose(uint32_t first, uint32_t second) {
  if (first - leadBase < leadCount && second - vowelBase < vowelCount)
    return hangulBase + ((first - leadBase) * vowelCount + (second - vowelBase)) * tailCount;
  bool isOpenSyllable = first - hangulBase < hangulCount && (first - hangulBase) % tailCount == 0;
  if (isOpenSyllable && second > tailBase && second < tailBase + tailCount)
    return first + (second - tailBase);
  static const auto table = [] {
    llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> map;
    for (const Composition &row : canonicalCompositions)
      map[{row.first, row.second}] = row.composed;
    return map;
  }();
  return table.lookup({first, second});
}

static void composeInPlace(Characters &text) {
  size_t written = 0, starter = 0;
  bool hasStarter = false;
  unsigned previous = 0;
  for (uint32_t c : text) {
    unsigned current = combiningClass(c);
    bool isBlocked = written > starter + 1 && (previous == 0 || previous >= current);
    if (uint32_t composed = hasStarter && !isBlocked ? compose(text[starter], c) : 0) {
      text[starter] = composed;
      continue;
    }
    if (current == 0) {
      starter = written;
      hasStarter = true;
    }
    previous = current;
    text[written++] = c;
  }
  text.truncate(written);
}

std::string triton::syntax::normalizeIdentifier(StringRef identifier) {
  Characters text;
  while (!identifier.empty()) {
    CodePoint c = decodeCodePoint(identifier);
    appendDecomposed(text, c.value);
    identifier = identifier.drop_front(c.bytes);
  }
  orderMarks(text);
  composeInPlace(text);
  std::string result;
  for (uint32_t c : text)
    appendCodePoint(result, c);
  return result;
}
