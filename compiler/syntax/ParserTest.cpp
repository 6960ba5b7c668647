#include "compiler/syntax/Parser.h"

#include "compiler/syntax/Dump.h"
#include "compiler/syntax/Encoding.h"

#include <gtest/gtest.h>

using namespace triton;
using namespace triton::syntax;

/// The body of the module as `ast.dump` shows it, without the list's brackets.
static std::string parsed(std::string text, DumpOptions options = {}) {
  Diagnostics diagnostics;
  auto tree = parse(Source::create("test.py", std::move(text)), diagnostics);
  EXPECT_EQ(render(diagnostics.all(), false), "");
  std::string result;
  for (Stmt *statement : tree->module->body)
    result += (result.empty() ? "" : "; ") + dump(statement, options);
  return result;
}

static std::string parsedExpression(std::string text) {
  Diagnostics diagnostics;
  auto tree = parse(Source::create("test.py", std::move(text)), diagnostics, ParseMode::Expression);
  EXPECT_EQ(render(diagnostics.all(), false), "");
  return dump(tree->expression->body);
}

/// The messages, one to a line, each with its line and column (from 1).
static std::string errorsOf(std::string text) {
  Diagnostics diagnostics;
  auto source = Source::create("test.py", std::move(text));
  parse(source, diagnostics);
  std::string result;
  for (const Diagnostic &error : diagnostics.all()) {
    EXPECT_EQ(error.exception, "SyntaxError");
    LineColumn place = source->locate(error.range.begin);
    result += std::to_string(place.line) + ":" + std::to_string(place.column + 1) + " " + error.message + "\n";
  }
  return result;
}

TEST(Parser, OperatorsGroupByPrecedence) {
  EXPECT_EQ(parsedExpression("a + b * c ** -d"),
            "BinOp(left=Name(id='a', ctx=Load()), op=Add(), right=BinOp(left=Name(id='b', ctx=Load()), op=Mult(), "
            "right=BinOp(left=Name(id='c', ctx=Load()), op=Pow(), right=UnaryOp(op=USub(), operand=Name(id='d', "
            "ctx=Load())))))");
  EXPECT_EQ(parsedExpression("not a or b in c"),
            "BoolOp(op=Or(), values=[UnaryOp(op=Not(), operand=Name(id='a', ctx=Load())), Compare(left=Name(id='b', "
            "ctx=Load()), ops=[In()], comparators=[Name(id='c', ctx=Load())])])");
  EXPECT_EQ(parsedExpression("a - b - c"),
            "BinOp(left=BinOp(left=Name(id='a', ctx=Load()), op=Sub(), right=Name(id='b', "
            "ctx=Load())), op=Sub(), right=Name(id='c', ctx=Load()))");
}

TEST(Parser, ASubscriptWithTwoSlicesIsATuple) {
  EXPECT_EQ(parsedExpression("x[:, None]"), "Subscript(value=Name(id='x', ctx=Load()), slice=Tuple(elts=[Slice(), "
                                            "Constant(value=None)], ctx=Load()), ctx=Load())");
}

TEST(Parser, ConstantsKeepTheirType) {
  EXPECT_EQ(parsedExpression("(1, 1.0, 1e16, 1e-5, 1j, True, None, ..., 'a', b'\\xff', u'a')"),
            "Tuple(elts=[Constant(value=1), Constant(value=1.0), Constant(value=1e+16), Constant(value=1e-05), "
            "Constant(value=1j), Constant(value=True), Constant(value=None), Constant(value=Ellipsis), "
            "Constant(value='a'), Constant(value=b'\\xff'), Constant(value='a', kind='u')], ctx=Load())");
}

TEST(Parser, StringsDecodeTheirEscapes) {
  EXPECT_EQ(parsedExpression("'\\n\\x41\\u00e9\\N{digit one}\\101\\\n\\d'"), "Constant(value='\\nA\xC3\xA9"
                                                                             "1A\\\\d')");
  EXPECT_EQ(parsedExpression("'\\ud800' \"it's\""), "Constant(value=\"\\ud800it's\")");
  EXPECT_EQ(parsedExpression("r'\\n' 'b'"), "Constant(value='\\\\nb')");
}

TEST(Parser, FormatStrings) {
  EXPECT_EQ(parsedExpression("f'a{x!r:>{w}}b' 'c'"),
            "JoinedStr(values=[Constant(value='a'), FormattedValue(value=Name(id='x', ctx=Load()), conversion=114, "
            "format_spec=JoinedStr(values=[Constant(value='>'), FormattedValue(value=Name(id='w', ctx=Load()), "
            "conversion=-1)])), Constant(value='bc')])");
  EXPECT_EQ(parsedExpression("f'{x = }'"),
            "JoinedStr(values=[Constant(value='x = '), FormattedValue(value=Name(id='x', "
            "ctx=Load()), conversion=114)])");
}

TEST(Parser, TemplateStrings) {
  EXPECT_EQ(
      parsedExpression("t'a{x + 1 !r}' t'{{'"),
      "TemplateStr(values=[Constant(value='a'), Interpolation(value=BinOp(left=Name(id='x', ctx=Load()), op=Add(), "
      "right=Constant(value=1)), str='x + 1', conversion=114), Constant(value='{')])");
}

TEST(Parser, SoftKeywordsAreNamesElsewhere) {
  EXPECT_EQ(
      parsed("match = case = type = _"),
      "Assign(targets=[Name(id='match', ctx=Store()), Name(id='case', ctx=Store()), Name(id='type', ctx=Store())], "
      "value=Name(id='_', ctx=Load()))");
  EXPECT_EQ(parsed("match(x)"), "Expr(value=Call(func=Name(id='match', ctx=Load()), args=[Name(id='x', ctx=Load())]))");
  EXPECT_EQ(parsed("match[x]: int"),
            "AnnAssign(target=Subscript(value=Name(id='match', ctx=Load()), slice=Name(id='x', "
            "ctx=Load()), ctx=Store()), annotation=Name(id='int', ctx=Load()), simple=0)");
}

TEST(Parser, MatchStatement) {
  EXPECT_EQ(
      parsed(
          "match (x):\n  case [1, *_] | None if y: pass\n  case A.b(c, d=-1) as e: pass\n  case {'k': _, **r}: pass"),
      "Match(subject=Name(id='x', ctx=Load()), cases=["
      "match_case(pattern=MatchOr(patterns=[MatchSequence(patterns=[MatchValue(value=Constant(value=1)), "
      "MatchStar()]), "
      "MatchSingleton(value=None)]), guard=Name(id='y', ctx=Load()), body=[Pass()]), "
      "match_case(pattern=MatchAs(pattern=MatchClass(cls=Attribute(value=Name(id='A', ctx=Load()), attr='b', "
      "ctx=Load()), patterns=[MatchAs(name='c')], kwd_attrs=['d'], kwd_patterns=[MatchValue(value=UnaryOp(op=USub(), "
      "operand=Constant(value=1)))]), name='e'), body=[Pass()]), "
      "match_case(pattern=MatchMapping(keys=[Constant(value='k')], patterns=[MatchAs()], rest='r'), body=[Pass()])])");
}

TEST(Parser, WithItemsInParentheses) {
  std::string two = "With(items=[withitem(context_expr=Name(id='a', ctx=Load())), withitem(context_expr=Name(id='b', "
                    "ctx=Load()))], body=[Pass()])";
  EXPECT_EQ(parsed("with (a, b): pass"), two);
  EXPECT_EQ(parsed("with (a,\n  b,): pass"), two);
  EXPECT_EQ(parsed("with a, b: pass"), two);
  EXPECT_EQ(
      parsed("with (a, b) as c: pass"),
      "With(items=[withitem(context_expr=Tuple(elts=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())], ctx=Load()), "
      "optional_vars=Name(id='c', ctx=Store()))], body=[Pass()])");
  EXPECT_EQ(parsed("with (yield): pass"), "With(items=[withitem(context_expr=Yield())], body=[Pass()])");
}

TEST(Parser, ParametersOfEveryKind) {
  EXPECT_EQ(
      parsed("def f[T: int = str, *Ts, **P](a, /, b=1, *c: d, e, f=2, **g) -> h: ..."),
      "FunctionDef(name='f', args=arguments(posonlyargs=[arg(arg='a')], args=[arg(arg='b')], vararg=arg(arg='c', "
      "annotation=Name(id='d', ctx=Load())), kwonlyargs=[arg(arg='e'), arg(arg='f')], kw_defaults=[None, "
      "Constant(value=2)], kwarg=arg(arg='g'), defaults=[Constant(value=1)]), "
      "body=[Expr(value=Constant(value=Ellipsis))], returns=Name(id='h', ctx=Load()), "
      "type_params=[TypeVar(name='T', bound=Name(id='int', ctx=Load()), default_value=Name(id='str', ctx=Load())), "
      "TypeVarTuple(name='Ts'), ParamSpec(name='P')])");
}

TEST(Parser, ExceptWithoutParentheses) {
  EXPECT_EQ(parsed("try: pass\nexcept A, B: pass"),
            "Try(body=[Pass()], handlers=[ExceptHandler(type=Tuple(elts=[Name(id='A', ctx=Load()), Name(id='B', "
            "ctx=Load())], "
            "ctx=Load()), body=[Pass()])])");
  EXPECT_EQ(errorsOf("try: pass\nexcept A, B as c: pass\n"),
            "2:8 multiple exception types must be parenthesized when using 'as'\n");
}

TEST(Parser, PositionsAreThoseOfTheFile) {
  Diagnostics diagnostics;
  auto tree = parse(Source::create("test.py", "def f(x):\n  return x\n", 11, 4), diagnostics);
  EXPECT_EQ(
      dump(tree->module->body[0], {.includeAttributes = true}),
      "FunctionDef(name='f', args=arguments(args=[arg(arg='x', lineno=11, col_offset=10, end_lineno=11, "
      "end_col_offset=11)]), body=[Return(value=Name(id='x', ctx=Load(), lineno=12, col_offset=13, end_lineno=12, "
      "end_col_offset=14), lineno=12, col_offset=6, end_lineno=12, end_col_offset=14)], lineno=11, col_offset=4, "
      "end_lineno=12, end_col_offset=14)");
}

TEST(Parser, IdentifiersAreNormalised) {
  EXPECT_EQ(parsed("\xEF\xAC\x81.\xEF\xAC\x81"),
            "Expr(value=Attribute(value=Name(id='fi', ctx=Load()), attr='fi', ctx=Load()))");
}

TEST(Dump, IndentsAsCPythonDoes) {
  EXPECT_EQ(parsed("f(x)", {.indent = 2}), "Expr(\n"
                                           "  value=Call(\n"
                                           "    func=Name(id='f', ctx=Load()),\n"
                                           "    args=[\n"
                                           "      Name(id='x', ctx=Load())]))");
}

TEST(Dump, ShowsEmptyFieldsWhenAsked) {
  EXPECT_EQ(parsed("f()", {.showEmpty = true}),
            "Expr(value=Call(func=Name(id='f', ctx=Load()), args=[], keywords=[]))");
}

TEST(Dump, HugeIntegersAreHexadecimal) {
  std::string digits(100000, 'f');
  EXPECT_EQ(parsedExpression("0x" + digits), "Constant(value=0x" + digits + ")");
}

TEST(ParserErrors, SayWhatWasExpected) {
  EXPECT_EQ(errorsOf("if x\n  pass\n"), "1:5 expected ':' after the if condition\n");
  EXPECT_EQ(errorsOf("while x = 1: pass\n"), "1:9 invalid syntax: '=' in the while condition\n");
  EXPECT_EQ(errorsOf("def f(a b): pass\n"), "1:9 expected ',' or ')' after the parameter, found name 'b'\n");
  EXPECT_EQ(errorsOf("x = (1 2)\n"), "1:6 invalid syntax: expected ',' or ')' before number '2'\n");
  EXPECT_EQ(errorsOf("x = 1 +\n"), "1:8 expected an expression, found end of line\n");
  EXPECT_EQ(errorsOf("x = a if b\n"), "1:11 expected 'else' after 'if' expression\n");
  EXPECT_EQ(errorsOf("print 'x'\n"), "1:1 missing parentheses in call to 'print'\n");
  EXPECT_EQ(errorsOf("a b\n"), "1:3 invalid syntax: unexpected name 'b'\n");
  EXPECT_EQ(errorsOf("class = 1\n"), "1:7 expected the name of the class after 'class'\n");
  EXPECT_EQ(errorsOf("if x:\npass\n"), "2:1 expected an indented block after 'if' statement on line 1\n");
  EXPECT_EQ(errorsOf("x = 1\n  y = 2\n"), "2:1 unexpected indent\n");
  EXPECT_EQ(errorsOf("try: pass\nx = 1\n"), "1:1 expected 'except' or 'finally' block after the 'try' statement\n");
}

TEST(ParserErrors, TargetsThatCannotBeAssigned) {
  EXPECT_EQ(errorsOf("f() = 1\n"), "1:1 cannot assign to function call here\n");
  EXPECT_EQ(errorsOf("a, 1 = x\n"), "1:4 cannot assign to literal here\n");
  EXPECT_EQ(errorsOf("None = 1\n"), "1:1 cannot assign to None here\n");
  EXPECT_EQ(errorsOf("for f() in x: pass\n"), "1:5 cannot assign to function call\n");
  EXPECT_EQ(errorsOf("del f()\n"), "1:5 cannot delete function call\n");
  EXPECT_EQ(errorsOf("(a, b) += 1\n"), "1:1 'tuple' is an illegal expression for augmented assignment\n");
  EXPECT_EQ(errorsOf("a, b: int\n"), "1:1 only single target (not tuple) can be annotated\n");
  EXPECT_EQ(errorsOf("(a.b := 1)\n"), "1:2 cannot use assignment expressions with attribute\n");
}

TEST(ParserErrors, Calls) {
  EXPECT_EQ(errorsOf("f(a=1, b)\n"), "1:8 positional argument follows keyword argument\n");
  EXPECT_EQ(errorsOf("f(**a, *b)\n"), "1:8 iterable argument unpacking follows keyword argument unpacking\n");
  EXPECT_EQ(errorsOf("f(x for x in y, 1)\n"), "1:3 generator expression must be parenthesized\n");
  EXPECT_EQ(errorsOf("f(a.b=1)\n"), "1:3 expression cannot contain assignment\n");
  EXPECT_EQ(errorsOf("f(True=1)\n"), "1:3 cannot assign to True\n");
}

TEST(ParserErrors, SeveralInOneFile) {
  EXPECT_EQ(errorsOf("x = \ny = )\nif a b:\n  z = 1 +\nelse:\n  w = 1\ndef f(:\n  return 1 1\nv = 'a\n"),
            "1:5 expected an expression, found end of line\n"
            "2:5 unmatched ')'\n"
            "3:6 expected ':' after the if condition\n"
            "4:10 expected an expression, found end of line\n"
            "7:6 '(' was never closed\n"
            "8:12 invalid syntax: unexpected number '1'\n"
            "9:5 unterminated string literal (detected at line 9)\n");
}

TEST(ParserErrors, TheListHasALimit) {
  Diagnostics diagnostics;
  parse(Source::create("test.py", std::string(5000, ')')), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 100u);
  EXPECT_EQ(diagnostics.all().back().message, "4900 more syntax errors are not shown");
}

TEST(ParserErrors, GoodStatementsStayInTheTree) {
  Diagnostics diagnostics;
  auto tree = parse(Source::create("test.py", "a = 1\nb = = 2\nc = 3\n"), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(tree->module->body.size(), 2u);
}

TEST(ParserErrors, NestingHasALimit) {
  auto repeat = [](int count, const char *text) {
    std::string result;
    for (int i = 0; i < count; ++i)
      result += text;
    return result;
  };
  for (const char *piece : {"-", "not ", "lambda: ", "x if x else ", "x ** ", "x + ", "x.", "x[0].", "x()."})
    EXPECT_NE(errorsOf(repeat(100000, piece) + "x\n").find("nested too deeply"), std::string::npos) << piece;
  EXPECT_NE(errorsOf("if x: pass\n" + repeat(100000, "elif x: pass\n")).find("nested too deeply"), std::string::npos);
  EXPECT_EQ(errorsOf(repeat(900, "x + ") + "x\n"), "");
  EXPECT_EQ(errorsOf("x = [" + repeat(100000, "x, ") + "]\n"), "");
}

TEST(Encoding, ByMarkOrByComment) {
  EXPECT_EQ(*decodeSource("# coding: latin-1\n'\xE9'"), "# coding: latin-1\n'\xC3\xA9'");
  EXPECT_EQ(*decodeSource("#!/bin/python\n# -*- coding: koi8-r -*-\n\xC1"),
            "#!/bin/python\n# -*- coding: koi8-r -*-\n\xD0\xB0");
  EXPECT_EQ(*decodeSource("\xEF\xBB\xBFx"), "x");
  EXPECT_EQ(declaredEncoding("x = 1\n# coding: latin-1\n"), "");
  EXPECT_EQ(llvm::toString(decodeSource("# coding: nonsense\n").takeError()), "unknown encoding: nonsense");
  EXPECT_EQ(llvm::toString(decodeSource("\xEF\xBB\xBF# coding: latin-1\n").takeError()),
            "encoding problem: latin-1 with a UTF-8 byte order mark");
}
