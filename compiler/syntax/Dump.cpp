#include "compiler/syntax/Dump.h"

#include "compiler/syntax/Fields.h"
#include "compiler/syntax/Identifiers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>
#include <utility>

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;

/// Python's `repr` of a float: the shortest digits that read back as the same, with an exponent below 1e-4 and from
/// 1e16 on.
static std::string floatRepr(double value, bool isImaginary) {
  if (std::isinf(value))
    return "inf";
  char buffer[64];
  auto written = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  auto [mantissa, power] = StringRef(buffer, written.ptr - buffer).split('e');
  int exponent = 0;
  power.ltrim('+').getAsInteger(10, exponent);
  std::string digits;
  for (char c : mantissa)
    if (c != '.')
      digits += c;
  if (exponent < -4 || exponent >= 16) {
    std::string text = digits.substr(0, 1);
    if (digits.size() > 1)
      text += "." + digits.substr(1);
    std::string size = llvm::itostr(std::abs(exponent));
    return text + "e" + (exponent < 0 ? "-" : "+") + (size.size() < 2 ? "0" : "") + size;
  }
  if (exponent < 0)
    return "0." + std::string(-exponent - 1, '0') + digits;
  size_t whole = exponent + 1;
  if (digits.size() <= whole)
    return digits + std::string(whole - digits.size(), '0') + (isImaginary ? "" : ".0");
  return digits.substr(0, whole) + "." + digits.substr(whole);
}

/// Python's `repr` of a string or of bytes.
static std::string stringRepr(StringRef text, bool isBytes) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result = isBytes ? "b" : "";
  result += quote;
  auto escape = [&](char letter, uint32_t value, unsigned digits) {
    result += '\\';
    result += letter;
    result += llvm::utohexstr(value, /*LowerCase=*/true, digits);
  };
  while (!text.empty()) {
    CodePoint c = decodeCodePoint(text);
    if (isBytes || !c.isValid)
      c = {(unsigned char)text.front(), 1, false};
    StringRef written = text.take_front(c.bytes);
    text = text.drop_front(c.bytes);
    if (c.value == '\\' || c.value == uint32_t(quote))
      (result += '\\') += char(c.value);
    else if (c.value == '\n')
      result += "\\n";
    else if (c.value == '\r')
      result += "\\r";
    else if (c.value == '\t')
      result += "\\t";
    else if (c.value >= ' ' && c.value < 127)
      result += char(c.value);
    else if (c.isValid && isPrintable(c.value))
      result += written;
    else if (c.value < 256)
      escape('x', c.value, 2);
    else if (c.value < 0x10000)
      escape('u', c.value, 4);
    else
      escape('U', c.value, 8);
  }
  return result += quote;
}

static StringRef name(ExprContext context) {
  static constexpr StringRef names[] = {"Load()", "Store()", "Del()"};
  return names[unsigned(context)];
}
static StringRef name(BoolOperator op) { return op == BoolOperator::And ? "And()" : "Or()"; }
static StringRef name(UnaryOperator op) {
  static constexpr StringRef names[] = {"Invert()", "Not()", "UAdd()", "USub()"};
  return names[unsigned(op)];
}
static StringRef name(BinaryOperator op) {
  static constexpr StringRef names[] = {"Add()",    "Sub()",    "Mult()",    "MatMult()", "Div()",
                                        "Mod()",    "Pow()",    "LShift()",  "RShift()",  "BitOr()",
                                        "BitXor()", "BitAnd()", "FloorDiv()"};
  return names[unsigned(op)];
}
static StringRef name(CompareOperator op) {
  static constexpr StringRef names[] = {"Eq()",  "NotEq()", "Lt()",    "LtE()", "Gt()",
                                        "GtE()", "Is()",    "IsNot()", "In()",  "NotIn()"};
  return names[unsigned(op)];
}
static StringRef name(NodeKind kind) {
  static constexpr StringRef names[] = {
#define TRITON_NODE(Struct, Base, PythonName) PythonName,
#include "compiler/syntax/Nodes.def"
  };
  return names[unsigned(kind)];
}

static bool hasAttributes(const Node *node) {
  if (llvm::isa<Stmt, Expr, Pattern, TypeParam>(node))
    return true;
  return llvm::isa<ExceptHandler, Arg, Keyword, Alias>(node);
}

namespace {

class Dumper {
public:
  explicit Dumper(DumpOptions options) : options(options) {}
  std::string text;

  void print(const Node *node) {
    text += name(node->kind);
    text += '(';
    ++level;
    bool isFirst = true;
    bool wasOnOneLine = std::exchange(onOneLine, onOneLine || isShort(*node));
    forEachShown(*node, [&](StringRef field, const auto &value) {
      separate(isFirst);
      text += field;
      text += '=';
      print(value);
    });
    onOneLine = wasOnOneLine;
    --level;
    text += ')';
  }

private:
  /// Calls `visit(name, value)` for each field, and each attribute, that is to be printed.
  template <typename V> void forEachShown(const Node &node, V &&visit) {
    visitFields(node, [&](StringRef field, const auto &value) {
      if (options.showEmpty || !isEmpty(value))
        visit(field, value);
    });
    if (node.kind == NodeKind::Module && options.showEmpty)
      visit("type_ignores", llvm::ArrayRef<Stmt *>());
    if (!options.includeAttributes || !hasAttributes(&node) || !node.range.isValid())
      return;
    LineColumn from = node.range.source->locate(node.range.begin), to = node.range.source->locate(node.range.end);
    visit("lineno", int(from.line)), visit("col_offset", int(from.column));
    visit("end_lineno", int(to.line)), visit("end_col_offset", int(to.column));
  }

  /// CPython's rule for what stays on one line: at most three fields, each without parts of its own.
  bool isShort(const Node &node) {
    unsigned count = 0;
    bool allSimple = true;
    forEachShown(node, [&]<typename Field>(StringRef, const Field &value) {
      ++count;
      if constexpr (std::is_convertible_v<Field, const Node *>)
        allSimple &= !value || !hasShown(*value);
      else if constexpr (requires { value.begin(); } && !std::is_same_v<Field, StringRef>)
        allSimple &= value.empty();
    });
    return allSimple && count <= 3;
  }
  bool hasShown(const Node &node) {
    bool has = false;
    forEachShown(node, [&](StringRef, const auto &) { has = true; });
    return has;
  }

  /// Before each element: a comma unless it is the first, then a line of its own or a space.
  void separate(bool &isFirst) {
    if (!isFirst)
      text += ',';
    if (options.indent >= 0 && !onOneLine)
      text.append(1, '\n').append(level * options.indent, ' ');
    else if (!isFirst)
      text += ' ';
    isFirst = false;
  }

  /// None or an empty list, as far as it is the field's default: the None of a constant is not.
  template <typename Field> static bool isEmpty(const Field &field) {
    if constexpr (std::is_convertible_v<Field, const Node *>)
      return !field;
    else if constexpr (requires { field.empty(); })
      return field.empty();
    else
      return false;
  }

  template <typename T> void print(llvm::ArrayRef<T> list) {
    text += '[';
    ++level;
    bool isFirst = true;
    for (const T &element : list) {
      separate(isFirst);
      print(element);
    }
    --level;
    text += ']';
  }
  template <typename T>
    requires std::is_base_of_v<Node, T>
  void print(T *child) {
    if (child)
      print(static_cast<const Node *>(child));
    else
      text += "None";
  }
  void print(StringRef identifier) { text += identifier.empty() ? "None" : stringRepr(identifier, false); }
  void print(StringValue value) { text += stringRepr(value.text, false); }
  void print(int number) { text += llvm::itostr(number); }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void print(Enum value) {
    text += name(value);
  }
  void print(const ConstantValue &value) { std::visit(*this, value); }

public: // for std::visit
  void operator()(NoneValue) { text += "None"; }
  void operator()(EllipsisValue) { text += "Ellipsis"; }
  void operator()(bool value) { text += value ? "True" : "False"; }
  void operator()(const llvm::APInt &value) {
    // Decimal digits take quadratic time. CPython refuses to print more than 4300 of them; here such a number is hexadecimal.
    if (value.getActiveBits() > 14000) {
      std::string words;
      for (unsigned word = value.getNumWords(); word > 0; --word)
        words += llvm::utohexstr(value.getRawData()[word - 1], /*LowerCase=*/true, /*Width=*/16);
      text += ("0x" + StringRef(words).ltrim('0')).str();
      return;
    }
    llvm::SmallString<40> digits;
    value.toString(digits, 10, /*Signed=*/false);
    text += digits;
  }
  void operator()(double value) { text += floatRepr(value, false); }
  void operator()(ImaginaryValue value) { text += floatRepr(value.value, true) + "j"; }
  void operator()(StringValue value) { text += stringRepr(value.text, false); }
  void operator()(BytesValue value) { text += stringRepr(value.data, true); }

private:
  DumpOptions options;
  unsigned level = 0;
  bool onOneLine = false;
};

} // namespace

std::string syntax::dump(const Node *node, DumpOptions options) {
  Dumper dumper(options);
  dumper.print(node);
  return std::move(dumper.text);
}
