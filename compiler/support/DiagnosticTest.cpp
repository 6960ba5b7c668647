#include "compiler/support/Diagnostic.h"

#include <gtest/gtest.h>

using namespace triton;

/// The range of the first occurrence of `piece`.
static SourceRange find(const std::shared_ptr<const Source> &source, llvm::StringRef piece) {
  size_t at = source->text().find(piece);
  EXPECT_NE(at, llvm::StringRef::npos);
  return {source.get(), uint32_t(at), uint32_t(at + piece.size())};
}

TEST(Source, LocatesInTheFileAPieceWasCutFrom) {
  auto source = Source::create("k.py", "def f():\n  return 1\n", 10, 4);
  EXPECT_EQ(source->locate(0), (LineColumn{10, 4}));
  EXPECT_EQ(source->locate(11), (LineColumn{11, 6}));
  EXPECT_EQ(source->locate(1000), (LineColumn{12, 4}));
  EXPECT_EQ(source->line(11), "  return 1");
  EXPECT_EQ(source->line(9), "");
  EXPECT_EQ(source->line(13), "");
}

TEST(Source, LinesEndAsInPython) {
  auto source = Source::create("k.py", "\xEF\xBB\xBF"
                                       "a\r\nb\rc\fd\ne");
  EXPECT_EQ(source->lineCount(), 4u);
  EXPECT_EQ(source->line(1), "a");
  EXPECT_EQ(source->line(3), "c\fd");
  EXPECT_EQ(source->locate(0), (LineColumn{1, 0}));
  EXPECT_EQ(source->locate(3), (LineColumn{2, 0}));
}

TEST(Diagnostic, PointsAtItsRange) {
  auto source = Source::create("add.py", "a = 1\nx = blok + 1\n");
  EXPECT_EQ(render(Diagnostic{.range = find(source, "blok"), .message = "name 'blok' is not defined"}, false),
            "add.py:2:5: error: name 'blok' is not defined\n"
            "    2 | x = blok + 1\n"
            "      |     ^~~~\n");
}

TEST(Diagnostic, ShowsHintNotesAndCallers) {
  auto source = Source::create("add.py", "def helper(p):\n    return blok\n\ndef kernel(p):\n    helper(p)\n");
  Diagnostic diagnostic = {.severity = Severity::Warning, .range = find(source, "blok"), .message = "suspicious"};
  diagnostic.hint = "did you mean 'block'?";
  diagnostic.notes.push_back({.severity = Severity::Note, .range = find(source, "helper"), .message = "declared here"});
  uint32_t call = source->text().rfind("helper(p)");
  diagnostic.callers = {{source.get(), call, call + 9}, find(source, "kernel(p)")};
  EXPECT_EQ(render(diagnostic, false), "add.py:2:12: warning: suspicious\n"
                                       "    2 |     return blok\n"
                                       "      |            ^~~~\n"
                                       "      = hint: did you mean 'block'?\n"
                                       "add.py:1:5: note: declared here\n"
                                       "    1 | def helper(p):\n"
                                       "      |     ^~~~~~\n"
                                       "add.py:5:5: note: called from here\n"
                                       "    5 |     helper(p)\n"
                                       "      |     ^~~~~~~~~\n"
                                       "add.py:4:5: note: called from here\n"
                                       "    4 | def kernel(p):\n"
                                       "      |     ^~~~~~~~~\n");
}

TEST(Diagnostic, WhatIsFoundInTheLibraryIsShownAtTheCall) {
  auto library = Source::create("triton/language/standard.py",
                                "def zeros(s):\n    return full(s)\n\ndef like(x):\n    zeros(x)\n");
  auto source = Source::create("add.py", "def helper(p):\n    like(p)\n\ndef kernel(p):\n    helper(p)\n");
  Diagnostic diagnostic = {.range = find(library, "full(s)"), .message = "no shape"};
  uint32_t call = library->text().rfind("zeros(x)"), outer = source->text().rfind("helper(p)");
  diagnostic.callers = {{library.get(), call, call + 8}, find(source, "like(p)"), {source.get(), outer, outer + 9}};
  EXPECT_EQ(render(diagnostic, false), "add.py:2:5: error: no shape\n"
                                       "    2 |     like(p)\n"
                                       "      |     ^~~~~~~\n"
                                       "add.py:5:5: note: called from here\n"
                                       "    5 |     helper(p)\n"
                                       "      |     ^~~~~~~~~\n"
                                       "triton/language/standard.py:2:12: note: found here, in the library\n"
                                       "    2 |     return full(s)\n"
                                       "      |            ^~~~~~~\n"
                                       "triton/language/standard.py:5:5: note: called from here\n"
                                       "    5 |     zeros(x)\n"
                                       "      |     ^~~~~~~~\n");
  diagnostic.callers.resize(1); // the library's own mistake
  EXPECT_TRUE(
      llvm::StringRef(render(diagnostic, false)).starts_with("triton/language/standard.py:2:12: error: no shape\n"));
}

TEST(Diagnostic, ShowsFirstAndLastOfSeveralLines) {
  auto source = Source::create("k.py", "x = f(a,\n      b,\n      c) + 1\n");
  EXPECT_EQ(render(Diagnostic{.range = find(source, "f(a,\n      b,\n      c)"), .message = "too long"}, false),
            "k.py:1:5: error: too long\n"
            "    1 | x = f(a,\n"
            "      |     ^~~~\n"
            "  ... |\n"
            "    3 |       c) + 1\n"
            "      |       ~~\n");
}

TEST(Diagnostic, ARangeThatEndsWithTheLineBreakStaysOnItsLine) {
  auto source = Source::create("k.py", "x = 1\ny = 2\n");
  EXPECT_EQ(render(Diagnostic{.range = find(source, "1\n"), .message = "m"}, false), "k.py:1:5: error: m\n"
                                                                                     "    1 | x = 1\n"
                                                                                     "      |     ^\n");
}

TEST(Diagnostic, CountsColumnsAsTheTerminalDoes) {
  auto source = Source::create("k.py", "\tx = y\n");
  EXPECT_EQ(render(Diagnostic{.range = find(source, "y"), .message = "m"}, false), "k.py:1:6: error: m\n"
                                                                                   "    1 |         x = y\n"
                                                                                   "      |             ^\n");
  auto wide =
      Source::create("k.py", "'\xE6\xBC\xA2\xE5\xAD\x97' + y e\xCC\x81 z\n"); // two characters of two columns each
  EXPECT_EQ(render(Diagnostic{.range = find(wide, "y"), .message = "m"}, false),
            "k.py:1:12: error: m\n"
            "    1 | '\xE6\xBC\xA2\xE5\xAD\x97' + y e\xCC\x81 z\n"
            "      |          ^\n");
  EXPECT_EQ(render(Diagnostic{.range = find(wide, "z"), .message = "m"}, false),
            "k.py:1:18: error: m\n"
            "    1 | '\xE6\xBC\xA2\xE5\xAD\x97' + y e\xCC\x81 z\n"
            "      |              ^\n");
}

TEST(Diagnostic, SpellsOutWhatCannotBePrinted) {
  auto source = Source::create("k.py", "a\x07 = \xFF!\n");
  EXPECT_EQ(render(Diagnostic{.range = find(source, "!"), .message = "m"}, false), "k.py:1:7: error: m\n"
                                                                                   "    1 | a<U+0007> = <FF>!\n"
                                                                                   "      |                 ^\n");
}

TEST(Diagnostic, CutsLongLinesAroundTheRange) {
  auto source = Source::create("k.py", std::string(1000, 'a') + " bad " + std::string(1000, 'c') + "\n");
  std::string text = render(Diagnostic{.range = find(source, "bad"), .message = "m"}, false);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  ASSERT_GE(lines.size(), 3u);
  EXPECT_LT(lines[1].size(), 200u);
  EXPECT_EQ(lines[1].find("bad"), lines[2].find("^~~"));
  EXPECT_TRUE(lines[1].starts_with("    1 | ...aaa"));
  EXPECT_TRUE(lines[1].ends_with("ccc..."));
}

TEST(Diagnostic, TheGutterFitsTheLineNumber) {
  auto source = Source::create("k.py", "x\n", 1234567);
  EXPECT_EQ(render(Diagnostic{.range = find(source, "x"), .message = "m"}, false), "k.py:1234567:1: error: m\n"
                                                                                   "1234567 | x\n"
                                                                                   "        | ^\n");
}

TEST(Diagnostic, NeedsNoPlace) {
  EXPECT_EQ(render(Diagnostic{.message = "cannot open 'x'"}, false), "error: cannot open 'x'\n");
}

TEST(Diagnostic, UsesColoursWhenAsked) {
  auto source = Source::create("k.py", "x\n");
  std::string text = render(Diagnostic{.range = find(source, "x"), .message = "m"}, true);
  EXPECT_NE(text.find("\033[1;31merror: "), std::string::npos);
  EXPECT_NE(text.find("\033[1;32m^\033[0m"), std::string::npos);
}

TEST(Diagnostics, CountsOnlyErrors) {
  Diagnostics diagnostics;
  diagnostics.report({.severity = Severity::Warning, .message = "w"});
  EXPECT_FALSE(diagnostics.hasErrors());
  diagnostics.report({.message = "e"});
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.all().size(), 2u);
}
