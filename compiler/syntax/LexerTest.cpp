#include "compiler/syntax/Lexer.h"

#include "compiler/syntax/Identifiers.h"
#include "compiler/syntax/NumberLiterals.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace triton;
using namespace triton::syntax;

/// The tokens as text: kinds for those without a spelling of their own, spellings for the others.
static std::string tokens(std::string text, std::string *messages = nullptr) {
  auto source = Source::create("test.py", std::move(text));
  std::vector<Diagnostic> errors;
  std::string result;
  for (Token token : tokenize(*source, errors)) {
    if (!result.empty())
      result += ' ';
    switch (token.kind) {
    case TokenKind::EndOfFile:
      result += "EOF";
      break;
    case TokenKind::Newline:
      result += "NL";
      break;
    case TokenKind::Indent:
      result += ">";
      break;
    case TokenKind::Dedent:
      result += "<";
      break;
    case TokenKind::Error:
      result += "ERROR";
      break;
    default:
      result += source->text().slice(token.begin, token.end);
    }
  }
  for (const Diagnostic &error : errors) {
    EXPECT_TRUE(messages) << error.message;
    if (messages)
      *messages += error.message + "\n";
  }
  return result;
}

static std::string errorsOf(std::string text) {
  std::string messages;
  tokens(std::move(text), &messages);
  return messages;
}

TEST(Lexer, BlocksBecomeIndentAndDedent) {
  EXPECT_EQ(tokens("if a:\n  b\n  if c:\n  \td\ne"), "if a : NL > b NL if c : NL > d NL < < e NL EOF");
}

TEST(Lexer, BlankLinesAndCommentsLeaveNoToken) {
  EXPECT_EQ(tokens("\n  # c\na\n\n   \n# c\nb # c\n"), "a NL b NL EOF");
  EXPECT_EQ(tokens(""), "EOF");
  EXPECT_EQ(tokens("   "), "EOF");
}

TEST(Lexer, LinesJoin) {
  EXPECT_EQ(tokens("a = (1,\n  2)\n"), "a = ( 1 , 2 ) NL EOF");
  EXPECT_EQ(tokens("a = \\\n  1\n"), "a = 1 NL EOF");
  EXPECT_EQ(tokens("a\r\nb\rc\n"), "a NL b NL c NL EOF");
}

TEST(Lexer, AFormFeedResetsTheIndentation) { EXPECT_EQ(tokens("a\n   \fb\n"), "a NL b NL EOF"); }

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_EQ(tokens("a**=b//c->d:=...!=e>>=f"), "a **= b // c -> d := ... != e >>= f NL EOF");
}

TEST(Lexer, FormatStringsComeInPieces) {
  EXPECT_EQ(tokens("f'a{b!r:>{c}}d'"), "f' a { b ! r : > { c } } d ' NL EOF");
  EXPECT_EQ(tokens("f'{{x}}'"), "f' {{x}} ' NL EOF");
  EXPECT_EQ(tokens("rf'''\\{x}'''"), "rf''' \\ { x } ''' NL EOF");
  EXPECT_EQ(tokens("f'\\N{DIGIT ONE}{x}'"), "f' \\N{DIGIT ONE} { x } ' NL EOF");
}

TEST(Lexer, FormatStringsNestWithTheSameQuotes) {
  EXPECT_EQ(tokens("f'{f'{1}'}'"), "f' { f' { 1 } ' } ' NL EOF");
  EXPECT_EQ(tokens("f'{a['b']}'"), "f' { a [ 'b' ] } ' NL EOF");
}

TEST(Lexer, AColonInAFieldEndsTheExpressionUnlessBracketed) {
  EXPECT_EQ(tokens("f'{x:=5}'"), "f' { x : =5 } ' NL EOF");
  EXPECT_EQ(tokens("f'{(x:=5)}'"), "f' { ( x := 5 ) } ' NL EOF");
}

TEST(Lexer, TemplateStringsAreFormatStrings) { EXPECT_EQ(tokens("t'a{b}' Rt'c'"), "t' a { b } ' Rt' c ' NL EOF"); }

TEST(Lexer, ReportsBrackets) {
  EXPECT_EQ(errorsOf("a)"), "unmatched ')'\n");
  EXPECT_EQ(errorsOf("(a]"), "closing parenthesis ']' does not match opening parenthesis '('\n'(' was never closed\n");
  EXPECT_EQ(errorsOf("foo(a,\n"), "'(' was never closed\n");
}

TEST(Lexer, AStatementEndsBracketsThatWereNeverClosed) {
  std::string messages;
  EXPECT_EQ(tokens("a = (1,\n\ndef f():\n  pass\n", &messages), "a = ( 1 , ERROR NL def f ( ) : NL > pass NL < EOF");
  EXPECT_EQ(messages, "'(' was never closed\n");
}

TEST(Lexer, AnUnclosedStatementEndsWhereItsLineOrItsBlockBegins) {
  std::string messages;
  EXPECT_EQ(tokens("def f(a, b:\n  c = [1,\n  d = 2\n", &messages),
            "def f ( a , b : ERROR NL > c = [ 1 , ERROR NL d = 2 NL < EOF");
  EXPECT_EQ(messages, "'(' was never closed\n'[' was never closed\n");
}

TEST(Lexer, ReportsStrings) {
  EXPECT_EQ(errorsOf("'abc\nb"), "unterminated string literal (detected at line 1)\n");
  EXPECT_EQ(errorsOf("'''abc\nb"), "unterminated triple-quoted string literal (detected at line 2)\n");
  EXPECT_EQ(errorsOf("f'abc\n"), "unterminated f-string literal (detected at line 1)\n");
  EXPECT_EQ(errorsOf("f'{a'"), "f-string: expecting '}'\n");
  EXPECT_EQ(errorsOf("f'}'"), "f-string: single '}' is not allowed\n");
}

TEST(Lexer, ReportsIndentation) {
  EXPECT_EQ(errorsOf("if a:\n    b\n  c\n"), "unindent does not match any outer indentation level\n");
  EXPECT_EQ(errorsOf("if a:\n        b\n\tc\n"), "inconsistent use of tabs and spaces in indentation\n");
}

TEST(Lexer, ReportsCharacters) {
  EXPECT_EQ(errorsOf("a $ b"), "invalid character '$' (U+0024)\n");
  EXPECT_EQ(errorsOf("a = 5\xE2\x82\xAC"), "invalid decimal literal\n");
  EXPECT_EQ(errorsOf("\xE2\x82\xAC = 5"), "invalid character '\xE2\x82\xAC' (U+20AC)\n");
  EXPECT_EQ(errorsOf("a\xC2\xA0= 5"), "invalid non-printable character U+00A0\n");
  EXPECT_EQ(errorsOf("'\xFF'"), "source is not UTF-8: invalid byte 0xff\n");
  EXPECT_EQ(errorsOf(std::string("a\0b", 3)), "source cannot contain null bytes\n");
  EXPECT_EQ(errorsOf("a \\ b\n"), "unexpected character after line continuation character\n");
}

TEST(Lexer, ReportsNumbers) {
  EXPECT_EQ(errorsOf("012"),
            "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers\n");
  EXPECT_EQ(errorsOf("1__0"), "invalid decimal literal\n");
  EXPECT_EQ(errorsOf("1_"), "invalid decimal literal\n");
  EXPECT_EQ(errorsOf("0xg"), "invalid hexadecimal literal\n");
  EXPECT_EQ(errorsOf("0o8"), "invalid digit '8' in octal literal\n");
  EXPECT_EQ(errorsOf("0b12"), "invalid digit '2' in binary literal\n");
  EXPECT_EQ(errorsOf("1abc"), "invalid decimal literal\n");
  EXPECT_EQ(errorsOf("1e+"), "invalid decimal literal\n");
  EXPECT_EQ(errorsOf(std::string(4301, '1')),
            "integer literal has more than 4300 digits; use hexadecimal for huge integers\n");
}

TEST(Lexer, NumbersMayRunIntoKeywords) { EXPECT_EQ(tokens("1if 0xfor x"), "1 if 0xf or x NL EOF"); }

TEST(Lexer, LimitsNesting) {
  EXPECT_EQ(errorsOf(std::string(1000, '(')), "too many nested parentheses\n");
  std::string formats;
  for (int i = 0; i < 200; ++i)
    formats += "f'{";
  EXPECT_EQ(errorsOf(formats), "too many nested f-strings\n");
  std::string blocks;
  for (int i = 0; i < 200; ++i)
    blocks += std::string(i, ' ') + "if a:\n";
  EXPECT_EQ(errorsOf(blocks), "too many levels of indentation\n");
}

TEST(NumberLiterals, Values) {
  auto integer = [](llvm::StringRef text) {
    return llvm::toString(std::get<llvm::APInt>(numberValue(text)), 10, false);
  };
  EXPECT_EQ(integer("1_000"), "1000");
  EXPECT_EQ(integer("0xFF_ff"), "65535");
  EXPECT_EQ(integer("0o17"), "15");
  EXPECT_EQ(integer("0b101"), "5");
  EXPECT_EQ(integer("00"), "0");
  EXPECT_EQ(integer("340282366920938463463374607431768211456"), "340282366920938463463374607431768211456");
  EXPECT_EQ(integer("0x100000000000000000000000000000000"), "340282366920938463463374607431768211456");
  EXPECT_EQ(std::get<llvm::APInt>(numberValue("1")).getBitWidth(), 64u);
  EXPECT_EQ(std::get<double>(numberValue("1.5e3")), 1500.0);
  EXPECT_EQ(std::get<double>(numberValue(".5")), 0.5);
  EXPECT_EQ(std::get<double>(numberValue("1e999999999999")), HUGE_VAL);
  EXPECT_EQ(std::get<double>(numberValue("1e-999999999999")), 0.0);
  EXPECT_EQ(std::get<ImaginaryValue>(numberValue("1_0.5J")).value, 10.5);
}

TEST(Identifiers, AreNormalised) {
  EXPECT_EQ(normalizeIdentifier("\xEF\xAC\x81x"), "fix");                     // the ligature fi
  EXPECT_EQ(normalizeIdentifier("e\xCC\x81"), "\xC3\xA9");                    // e and a combining acute
  EXPECT_EQ(normalizeIdentifier("\xC2\xB5"), "\xCE\xBC");                     // the micro sign is mu
  EXPECT_EQ(normalizeIdentifier("\xF0\x9D\x90\xB1"), "x");                    // mathematical bold x
  EXPECT_EQ(normalizeIdentifier("\xE1\x84\x80\xE1\x85\xA1"), "\xEA\xB0\x80"); // Hangul g and a
  EXPECT_EQ(normalizeIdentifier("a\xCC\x81\xCC\xA7"), "\xC3\xA1\xCC\xA7");    // marks out of order
}

TEST(Identifiers, EndAtWhatIsNoLetter) {
  EXPECT_EQ(identifierLength("x\xC3\xA9"), 3u);
  EXPECT_EQ(identifierLength("x\xE2\x82\xAC"), 1u); // the euro sign
  EXPECT_EQ(identifierLength("\xCC\x81x"), 0u);     // a combining mark does not begin one
}
