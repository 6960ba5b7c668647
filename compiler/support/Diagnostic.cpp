#include "compiler/support/Diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace triton;
using llvm::StringRef;

namespace {

constexpr unsigned tabStop = 8;       // what terminals do
constexpr unsigned windowWidth = 160; // a longer line is shown only around the range

/// A source line as it appears on a terminal, with the display column of each of its bytes (and of its end).
struct DisplayLine {
  std::string text;
  std::vector<unsigned> columns;
};

/// Escape sequences, in the colours Clang uses.
struct Paint {
  bool enabled;
  StringRef bold() const { return enabled ? "\033[1m" : ""; }
  StringRef green() const { return enabled ? "\033[1;32m" : ""; }
  StringRef reset() const { return enabled ? "\033[0m" : ""; }
  StringRef of(Severity severity) const {
    if (!enabled)
      return "";
    switch (severity) {
    case Severity::Error:
      return "\033[1;31m";
    case Severity::Warning:
      return "\033[1;35m";
    case Severity::Note:
      return "\033[1;36m";
    }
    return "";
  }
};

} // namespace

/// Tabs are widened to the next stop, what cannot be printed is spelled out: <U+0007> or, outside of UTF-8, <FF>.
static DisplayLine display(StringRef line) {
  DisplayLine result;
  unsigned column = 0;
  auto append = [&](StringRef shown, unsigned width, unsigned bytes) {
    result.columns.insert(result.columns.end(), bytes, column);
    result.text += shown;
    column += width;
  };
  while (!line.empty()) {
    if (line.front() == '\t') {
      unsigned width = tabStop - column % tabStop;
      append(std::string(width, ' '), width, 1);
      line = line.drop_front();
      continue;
    }
    auto *begin = line.bytes_begin();
    llvm::UTF32 codePoint;
    const llvm::UTF8 *next = begin;
    if (llvm::convertUTF8Sequence(&next, line.bytes_end(), &codePoint, llvm::strictConversion) != llvm::conversionOK) {
      append(llvm::formatv("<{0:X-2}>", unsigned(*begin)).str(), 4, 1);
      line = line.drop_front();
      continue;
    }
    StringRef character = line.take_front(next - begin);
    int width = llvm::sys::unicode::columnWidthUTF8(character);
    if (width >= 0) {
      append(character, width, character.size());
    } else {
      std::string spelled = llvm::formatv("<U+{0}>", llvm::utohexstr(codePoint, false, 4)).str();
      append(spelled, spelled.size(), character.size());
    }
    line = line.drop_front(character.size());
  }
  result.columns.push_back(column);
  return result;
}

/// Cuts a long line down to a window around the display columns `begin` to `end`, which move with it.
static std::string window(const DisplayLine &line, unsigned &begin, unsigned &end) {
  unsigned total = line.columns.back();
  if (total <= windowWidth)
    return line.text;
  unsigned first = begin > windowWidth / 3 ? begin - windowWidth / 3 : 0;
  first = std::min(first, total - windowWidth);
  // Walk whole characters of the displayed text, so that none is cut in two.
  std::string text;
  unsigned column = 0;
  StringRef rest = line.text;
  unsigned shownFrom = total;
  while (!rest.empty() && column < first + windowWidth) {
    unsigned bytes = std::min<size_t>(llvm::getNumBytesForUTF8(rest.front()), rest.size());
    int width = std::max(0, llvm::sys::unicode::columnWidthUTF8(rest.take_front(bytes)));
    if (column >= first) {
      shownFrom = std::min(shownFrom, column);
      text += rest.take_front(bytes);
    }
    column += width;
    rest = rest.drop_front(bytes);
  }
  unsigned shift = 0;
  if (shownFrom > 0) {
    text.insert(0, "...");
    shift = 3;
  }
  begin = begin - shownFrom + shift;
  end = std::min(end, column) - shownFrom + shift;
  if (!rest.empty())
    text += "...";
  return text;
}

/// Of a line of any length, enough around the byte `begin` to fill the window; `begin` and `end` move with it.
static StringRef neighborhood(StringRef line, unsigned &begin, unsigned &end) {
  constexpr unsigned reach = 1000;
  unsigned first = begin > reach ? begin - reach : 0;
  while (first < begin && (line[first] & 0xC0) == 0x80) // not in the middle of a character
    ++first;
  line = line.substr(first, 2 * reach);
  begin -= first;
  end = std::min<unsigned>(end - first, line.size());
  return line;
}

/// One line of the file and the marks under the bytes `begin` to `end` of it.
static void renderLine(llvm::raw_ostream &out, unsigned number, StringRef text, unsigned begin, unsigned end,
                       bool caret, Paint paint) {
  begin = std::min<size_t>(begin, text.size());
  end = std::clamp<size_t>(end, begin, text.size());
  text = neighborhood(text, begin, end);
  DisplayLine line = display(text);
  unsigned from = line.columns[begin], to = line.columns[end];
  std::string shown = window(line, from, to);
  std::string gutter = llvm::formatv("{0,5}", number);
  out << gutter << " | " << StringRef(shown).rtrim() << "\n";
  out << std::string(gutter.size(), ' ') << " | " << std::string(from, ' ') << paint.green();
  if (caret)
    out << '^';
  out << std::string(std::max(to, from + (caret ? 1 : 0)) - from - (caret ? 1 : 0), '~') << paint.reset() << "\n";
}

/// The first line of the range, and its last where there are several; what lies between is not needed to find the
/// place.
static void renderExcerpt(llvm::raw_ostream &out, SourceRange range, Paint paint) {
  const Source &source = *range.source;
  LineColumn begin = source.locate(range.begin), end = source.locate(std::max(range.begin, range.end));
  unsigned cut = source.columnOffset();
  // A range that ends right after a line break ends on the line before.
  if (end.line > begin.line && end.column == cut)
    end = {end.line - 1, unsigned(source.line(end.line - 1).size()) + cut};
  StringRef firstText = source.line(begin.line);
  if (begin.line == end.line)
    return renderLine(out, begin.line, firstText, begin.column - cut, end.column - cut, true, paint);
  renderLine(out, begin.line, firstText, begin.column - cut, firstText.size(), true, paint);
  if (end.line > begin.line + 1)
    out << "  ... |\n";
  StringRef lastText = source.line(end.line);
  unsigned indent = lastText.size() - lastText.ltrim(" \t\f").size();
  renderLine(out, end.line, lastText, indent, end.column - cut, false, paint);
}

/// Whether the user did not write the text: files of the language's own library have names below this folder of the package (compiler/frontend/Library.cpp).
static bool isOfLibrary(SourceRange range) {
  return range.isValid() && range.source->name().starts_with("triton/language/");
}

static void render(llvm::raw_ostream &out, const Diagnostic &diagnostic, Paint paint);

/// What is wrong in a call of a library function is wrong at the call. The user's places come first, then those of the library.
static void renderAtTheCall(llvm::raw_ostream &out, const Diagnostic &diagnostic, Paint paint) {
  const auto user = llvm::find_if_not(diagnostic.callers, isOfLibrary);
  Diagnostic atCall = diagnostic;
  atCall.range = *user;
  atCall.callers.assign(std::next(user), diagnostic.callers.end());
  render(out, atCall, paint);
  render(out,
         Diagnostic{.severity = Severity::Note,
                    .range = diagnostic.range,
                    .message = "found here, in the library",
                    .callers = {diagnostic.callers.begin(), user}},
         paint);
}

static void render(llvm::raw_ostream &out, const Diagnostic &diagnostic, Paint paint) {
  if (isOfLibrary(diagnostic.range) && !llvm::all_of(diagnostic.callers, isOfLibrary))
    return renderAtTheCall(out, diagnostic, paint);
  static constexpr StringRef words[] = {"error", "warning", "note"};
  if (diagnostic.range.isValid()) {
    const Source &source = *diagnostic.range.source;
    LineColumn place = source.locate(diagnostic.range.begin);
    out << paint.bold() << source.name() << ":" << place.line << ":" << place.column + 1 << ": " << paint.reset();
  }
  out << paint.of(diagnostic.severity) << words[unsigned(diagnostic.severity)] << ": " << paint.reset() << paint.bold()
      << diagnostic.message << paint.reset() << "\n";
  if (diagnostic.range.isValid())
    renderExcerpt(out, diagnostic.range, paint);
  if (!diagnostic.hint.empty())
    out << "      = " << paint.bold() << "hint: " << paint.reset() << diagnostic.hint << "\n";
  for (const Diagnostic &note : diagnostic.notes)
    render(out, note, paint);
  for (SourceRange caller : diagnostic.callers)
    render(out, Diagnostic{.severity = Severity::Note, .range = caller, .message = "called from here"}, paint);
}

std::string triton::render(const Diagnostic &diagnostic, bool color) {
  return render(llvm::ArrayRef(diagnostic), color);
}

std::string triton::render(llvm::ArrayRef<Diagnostic> diagnostics, bool color) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Diagnostic &diagnostic : diagnostics)
    ::render(out, diagnostic, Paint{color});
  return text;
}
