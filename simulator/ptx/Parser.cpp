#include "simulator/ptx/Parser.h"

#include "simulator/ptx/Lexer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace triton::simulator::ptx {

namespace {

struct RegisterRange {
  std::string_view prefix;
  uint32_t count, first; // %r0 to %r<count - 1> are `first` onwards
};

struct Scope {
  std::unordered_map<std::string_view, uint32_t> names;
  std::vector<RegisterRange> ranges;
  uint32_t index = 0;
};

/// Recursive descent. The first problem is kept, after which every step does nothing.
class Parser {
public:
  explicit Parser(Module &module) : module(module), lexer(module.text) {
    token = lexer.next();
    ahead = lexer.next();
  }
  std::string run();

private:
  void fail(const std::string &message);
  void advance();
  bool accept(char c);
  bool accept(std::string_view word);
  void expect(char c, const char *where);
  std::string_view word(const char *what);
  int64_t integer(const char *what);
  bool atEnd() const { return !problem.empty() || token.kind == Token::Kind::End; }

  /// Brackets inside of brackets are functions inside of functions here: a text must not decide how deep.
  struct Nested {
    explicit Nested(Parser &parser) : parser(parser) {
      if (++parser.depth > deepest)
        parser.fail("brackets are nested deeper than " + std::to_string(deepest));
    }
    ~Nested() { --parser.depth; }
    Parser &parser;
  };
  static constexpr unsigned deepest = 256;

  void moduleItem();
  void file();
  void skipSection();
  uint64_t alignment();
  Variable variable(Space space, bool isExtern);
  void initialiser(Variable &into, unsigned elementBytes);
  void initialValue(Variable &into, unsigned elementBytes);
  void function(bool isEntry, bool isDeclaration);
  std::vector<Variable> parameterList();
  void performanceDirectives(Function &function);
  void body();
  void statement();
  void registers();
  void instruction();
  Operand operand();
  Operand number(bool isNegative);
  Operand address();
  Operand name();
  std::optional<uint32_t> findRegister(std::string_view name) const;
  uint32_t registerNamed(const char *where);
  void addRegisters(Storage storage, std::string_view name, uint32_t count);

  Module &module;
  Lexer lexer;
  Token token, ahead;
  std::string problem;
  unsigned depth = 0;
  Function *current = nullptr;
  std::vector<Scope> scopes;
  Place place;
};

std::string quoted(const Token &token) {
  return token.kind == Token::Kind::End ? "the end" : "'" + std::string(token.text) + "'";
}

void Parser::fail(const std::string &message) {
  if (problem.empty())
    problem = "line " + std::to_string(token.line) + ": " + message;
  token = {};
}

void Parser::advance() {
  if (!problem.empty())
    return;
  token = ahead;
  ahead = lexer.next();
}

bool Parser::accept(char c) {
  if (!token.is(c))
    return false;
  advance();
  return true;
}

bool Parser::accept(std::string_view word) {
  if (!token.is(word))
    return false;
  advance();
  return true;
}

void Parser::expect(char c, const char *where) {
  if (!accept(c))
    fail(std::string("expected '") + c + "' " + where + ", got " + quoted(token));
}

std::string_view Parser::word(const char *what) {
  std::string_view text = token.text;
  if (token.kind != Token::Kind::Word)
    fail(std::string("expected ") + what + ", got " + quoted(token));
  advance();
  return text;
}

/// Of a variable.
constexpr uint64_t mostBytes = uint64_t(1) << 30;

std::optional<int64_t> integerOf(std::string_view text) {
  if (text.ends_with('U'))
    text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X"))
    base = 16;
  else if (text.starts_with("0b") || text.starts_with("0B"))
    base = 2;
  else if (text.size() > 1 && text[0] == '0')
    base = 8;
  if (base == 16 || base == 2)
    text.remove_prefix(2);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return int64_t(value);
}

int64_t Parser::integer(const char *what) {
  bool isNegative = accept('-');
  std::optional<int64_t> value = token.kind == Token::Kind::Number ? integerOf(token.text) : std::nullopt;
  if (!value)
    fail(std::string("expected ") + what + ", got " + quoted(token));
  advance();
  return isNegative ? int64_t(-uint64_t(value.value_or(0))) : value.value_or(0);
}

std::optional<Storage> storageOf(std::string_view type) {
  if (type == ".pred")
    return Storage::Predicate;
  if (type.size() < 3 || type[0] != '.')
    return std::nullopt;
  std::string_view digits = type.substr(type.starts_with(".bf") ? 3 : 2);
  static const std::map<std::string_view, Storage> sizes = {
      {"8", Storage::Bits8},     {"16", Storage::Bits16},   {"32", Storage::Bits32},  {"64", Storage::Bits64},
      {"128", Storage::Bits128}, {"16x2", Storage::Bits32}, {"32x2", Storage::Bits64}};
  auto found = sizes.find(digits);
  bool isType = type[1] == 'b' || type[1] == 'u' || type[1] == 's' || type[1] == 'f';
  return isType && found != sizes.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<Space> spaceOf(std::string_view word) {
  static const std::map<std::string_view, Space> spaces = {{".global", Space::Global},
                                                           {".shared", Space::Shared},
                                                           {".const", Space::Constant},
                                                           {".local", Space::Local},
                                                           {".param", Space::Parameter}};
  auto found = spaces.find(word);
  return found == spaces.end() ? std::nullopt : std::optional(found->second);
}

std::string Parser::run() {
  while (!atEnd())
    moduleItem();
  return problem;
}

void Parser::moduleItem() {
  if (accept(".version")) {
    advance();
  } else if (accept(".target")) {
    module.target = word("a target");
    while (accept(','))
      advance();
  } else if (accept(".address_size")) {
    if (integer("an address size") != 64)
      fail("addresses must have 64 bits");
  } else if (token.is(".file")) {
    file();
  } else if (token.is(".section")) {
    skipSection();
  } else if (token.is(".loc")) {
    for (advance(); token.kind == Token::Kind::Number;)
      advance();
  } else {
    bool isExtern = false;
    for (;; advance()) {
      if (token.is(".extern"))
        isExtern = true;
      else if (!token.is(".visible") && !token.is(".weak") && !token.is(".common") && !token.is(".noreturn"))
        break;
    }
    if (accept(".entry"))
      function(/*isEntry=*/true, isExtern);
    else if (accept(".func"))
      function(/*isEntry=*/false, isExtern);
    else if (auto space = spaceOf(token.text); space && token.kind == Token::Kind::Word) {
      advance();
      module.variables.push_back(variable(*space, isExtern));
      accept(';');
    } else
      fail("expected a directive, got " + quoted(token));
  }
}

void Parser::file() {
  advance();
  size_t index = size_t(integer("the number of a file"));
  if (index > 1 << 20)
    return fail("file number " + std::to_string(index) + " is too large");
  if (module.files.size() <= index)
    module.files.resize(index + 1);
  module.files[index] = std::string(token.text);
  advance();
  while (accept(','))
    integer("the size or time of a file");
}

void Parser::skipSection() {
  while (!atEnd() && !token.is('{'))
    advance();
  int depth = 0;
  do {
    depth += token.is('{') ? 1 : token.is('}') ? -1 : 0;
    advance();
  } while (!atEnd() && depth > 0);
}

uint64_t Parser::alignment() {
  constexpr int64_t largest = 1 << 16;
  const int64_t value = integer("an alignment");
  if (value <= 0 || value > largest || !std::has_single_bit(uint64_t(value))) {
    fail("an alignment is a power of two up to " + std::to_string(largest) + ", got " + std::to_string(value));
    return 1;
  }
  return uint64_t(value);
}

/// Behind the space: `.align 16 .b8 name[128] = {1, 2}`, `.u64 .ptr .global .align 16 name`.
Variable Parser::variable(Space space, bool isExtern) {
  Variable made{.space = space, .isExtern = isExtern};
  std::optional<Storage> element;
  while (token.kind == Token::Kind::Word && token.text[0] == '.') {
    if (accept(".align"))
      made.alignment = alignment();
    else if (auto storage = storageOf(token.text)) {
      element = storage;
      advance();
    } else
      advance(); // .ptr, .global, .attribute and other remarks
  }
  if (!element) {
    fail("expected the type of a variable, got " + quoted(token));
    return made;
  }
  made.name = word("the name of a variable");
  made.bytes = bytesOf(*element);
  made.alignment = std::max<uint64_t>(made.alignment, made.bytes);
  uint64_t count = 1;
  while (accept('[')) {
    const int64_t length = token.is(']') ? 0 : integer("the length of an array");
    expect(']', "behind the length of an array");
    if (length < 0 || __builtin_mul_overflow(count, uint64_t(length), &count) || count > mostBytes) {
      fail("variable '" + std::string(made.name) + "' is larger than " + std::to_string(mostBytes) + " bytes");
      return made;
    }
  }
  unsigned elementBytes = bytesOf(*element);
  made.bytes *= count;
  if (accept('=')) {
    initialiser(made, elementBytes);
    made.bytes = std::max<uint64_t>(made.bytes, made.initialiser.size());
  }
  return made;
}

void Parser::initialiser(Variable &into, unsigned elementBytes) {
  if (!accept('{'))
    return initialValue(into, elementBytes);
  Nested nested(*this);
  while (!atEnd() && !token.is('}')) {
    initialiser(into, elementBytes);
    if (!accept(','))
      break;
  }
  expect('}', "behind the values of a variable");
}

void Parser::initialValue(Variable &into, unsigned elementBytes) {
  uint64_t bits = 0;
  if (token.kind == Token::Kind::Word) {
    bool isGeneric = accept("generic");
    if (isGeneric)
      expect('(', "behind 'generic'");
    Variable::Reference reference{into.initialiser.size(), word("a symbol"), 0, isGeneric};
    if (isGeneric)
      expect(')', "behind the symbol");
    if (accept('+'))
      reference.addend = integer("an offset");
    if (elementBytes != 8)
      fail("an address has 64 bits, and the elements of '" + std::string(into.name) + "' have " +
           std::to_string(8 * elementBytes));
    into.references.push_back(reference);
  } else {
    bool isNegative = accept('-');
    Operand value = number(isNegative);
    bits = uint64_t(value.number);
    if (value.kind == Operand::Kind::Float64 && elementBytes == 4)
      bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
  }
  for (unsigned byte = 0; byte < elementBytes; ++byte)
    into.initialiser.push_back(byte < 8 ? uint8_t(bits >> (8 * byte)) : 0);
}

std::vector<Variable> Parser::parameterList() {
  std::vector<Variable> parameters;
  if (!accept('('))
    return parameters;
  while (!atEnd() && !token.is(')')) {
    if (!accept(".param")) {
      if (!accept(".reg")) {
        fail("expected a parameter, got " + quoted(token));
        break;
      }
    }
    parameters.push_back(variable(Space::Parameter, false));
    if (!accept(','))
      break;
  }
  expect(')', "behind parameters");
  return parameters;
}

void Parser::performanceDirectives(Function &into) {
  while (token.kind == Token::Kind::Word && token.text[0] == '.') {
    std::string_view directive = token.text;
    advance();
    uint32_t product = 1;
    if (token.kind == Token::Kind::Number) {
      product = uint32_t(integer("a number"));
      while (accept(','))
        product *= uint32_t(integer("a number"));
    } else if (token.kind == Token::Kind::String) {
      advance(); // .pragma "…"
    }
    if (directive == ".reqntid")
      into.requiredThreads = product;
    else if (directive == ".maxntid")
      into.maxThreads = product;
    else if (directive == ".reqnctapercluster")
      into.clusterSize = product;
    else if (directive == ".maxnreg")
      into.maxRegisters = product;
    accept(';');
  }
}

void Parser::function(bool isEntry, bool isDeclaration) {
  Function made{.isEntry = isEntry, .line = token.line};
  if (!isEntry)
    made.results = parameterList();
  made.name = word("the name of a function");
  made.parameters = parameterList();
  performanceDirectives(made);
  if (accept(';')) {
    made.isDeclaration = true;
  } else {
    made.isDeclaration = isDeclaration;
    made.scopes = {0};
    current = &made;
    scopes = {Scope{}};
    place = {};
    expect('{', "before the body of a function");
    body();
    current = nullptr;
  }
  module.functions.push_back(std::move(made));
}

/// Up to and with the closing brace.
void Parser::body() {
  Nested nested(*this);
  while (!atEnd() && !token.is('}'))
    statement();
  expect('}', "at the end of a block");
}

void Parser::statement() {
  if (accept(';'))
    return;
  if (accept('{')) {
    uint32_t parent = scopes.back().index;
    scopes.emplace_back().index = uint32_t(current->scopes.size());
    current->scopes.push_back(parent);
    body();
    scopes.pop_back();
    return;
  }
  if (token.kind == Token::Kind::Word && ahead.is(':')) {
    current->statements.push_back(
        {.label = token.text, .scope = scopes.back().index, .line = token.line, .place = place});
    advance();
    advance();
    // A table of targets: `$L: .branchtargets $A, $B;`, kept as an instruction that nobody runs.
    if (token.is(".branchtargets"))
      instruction();
    else if (token.is(".callprototype"))
      while (!atEnd() && !accept(';'))
        advance();
    return;
  }
  if (token.is(".reg")) {
    registers();
  } else if (token.is(".loc")) {
    advance();
    place.file = uint32_t(integer("the number of a file"));
    place.line = uint32_t(integer("a line"));
    place.column = uint32_t(integer("a column"));
    while (accept(',')) { // function_name $L, inlined_at 1 42 3
      advance();
      while (token.kind == Token::Kind::Number || token.is('+') ||
             (token.kind == Token::Kind::Word && token.text[0] == '$' && !ahead.is(':')))
        advance();
    }
  } else if (auto space = spaceOf(token.text); space && token.kind == Token::Kind::Word) {
    advance();
    current->variables.push_back(variable(*space, false));
    current->variables.back().scope = scopes.back().index;
    expect(';', "behind a variable");
  } else if (token.is(".pragma")) {
    while (!atEnd() && !accept(';'))
      advance();
  } else {
    instruction();
  }
}

void Parser::addRegisters(Storage storage, std::string_view name, uint32_t count) {
  auto first = uint32_t(current->registers.size());
  bool isRange = count != 0;
  if (isRange)
    scopes.back().ranges.push_back({name, count, first});
  else
    scopes.back().names[name] = first;
  for (uint32_t index = 0; index < std::max(count, 1u); ++index) {
    current->registers.push_back(storage);
    current->registerNames.push_back(std::string(name) + (isRange ? std::to_string(index) : ""));
  }
}

void Parser::registers() {
  advance();
  std::optional<Storage> storage = storageOf(token.text);
  if (!storage)
    return fail("expected the type of registers, got " + quoted(token));
  advance();
  do {
    std::string_view name = word("the name of a register");
    uint32_t count = 0;
    if (accept('<')) {
      count = uint32_t(integer("how many registers"));
      expect('>', "behind how many registers");
    }
    constexpr size_t most = 1 << 22; // of a function
    if (current->registers.size() + count > most)
      return fail("a function has at most " + std::to_string(most) + " registers, got " + std::to_string(count) +
                  " more than " + std::to_string(current->registers.size()));
    addRegisters(*storage, name, count);
  } while (accept(','));
  expect(';', "behind registers");
}

std::optional<uint32_t> Parser::findRegister(std::string_view name) const {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  uint32_t number = 0;
  bool hasNumber = digits < name.size() && name.size() - digits < 9;
  if (hasNumber)
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
    if (hasNumber)
      for (const RegisterRange &range : scope->ranges)
        if (number < range.count && range.prefix == name.substr(0, digits))
          return range.first + number;
  }
  return std::nullopt;
}

uint32_t Parser::registerNamed(const char *where) {
  std::optional<uint32_t> found =
      token.kind == Token::Kind::Word ? findRegister(token.text) : std::optional<uint32_t>();
  if (!found)
    fail(std::string("expected a register ") + where + ", got " + quoted(token));
  advance();
  return found.value_or(0);
}

std::vector<std::string_view> splitAtDots(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.starts_with('.'))
    text.remove_prefix(1);
  while (true) {
    size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == text.npos)
      return parts;
    text.remove_prefix(dot + 1);
  }
}

void Parser::instruction() {
  Statement made{.scope = scopes.back().index, .line = token.line, .place = place};
  if (accept('@')) {
    made.isGuardNegated = accept('!');
    made.guard = int32_t(registerNamed("behind '@'"));
  }
  made.opcode = splitAtDots(word("an instruction"));
  while (!atEnd() && !token.is(';')) {
    made.operands.push_back(operand());
    if (!accept(','))
      break;
  }
  expect(';', "behind an instruction");
  current->statements.push_back(std::move(made));
}

Operand Parser::number(bool isNegative) {
  Operand made;
  std::string_view text = token.text;
  if (token.kind != Token::Kind::Number) {
    fail("expected a number, got " + quoted(token));
    return made;
  }
  bool isSingle = text.starts_with("0f") || text.starts_with("0F"),
       isDouble = text.starts_with("0d") || text.starts_with("0D");
  if (isSingle || isDouble) {
    uint64_t bits = 0;
    const size_t digits = isSingle ? 8 : 16;
    auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() != digits + 2)
      fail("expected " + std::to_string(digits) + " hexadecimal digits, got " + quoted(token));
    if (isNegative)
      bits ^= uint64_t(1) << (isSingle ? 31 : 63);
    made.kind = isSingle ? Operand::Kind::Float32 : Operand::Kind::Float64;
    made.number = int64_t(bits);
  } else if (auto value = integerOf(text)) {
    made.kind = Operand::Kind::Integer;
    made.number = isNegative ? int64_t(-uint64_t(*value)) : *value;
  } else {
    std::string copy(text);
    char *end = nullptr;
    double parsed = std::strtod(copy.c_str(), &end);
    if (*end)
      fail("expected a number, got " + quoted(token));
    made.kind = Operand::Kind::Float64;
    made.number = std::bit_cast<int64_t>(isNegative ? -parsed : parsed);
  }
  advance();
  return made;
}

Operand Parser::name() {
  Operand made{.text = token.text};
  if (token.is("_")) {
    advance();
  } else if (auto found = findRegister(token.text)) {
    made.kind = Operand::Kind::Register;
    made.number = *found;
    advance();
  } else {
    made.kind = token.text[0] == '%' ? Operand::Kind::Special : Operand::Kind::Symbol;
    if (token.is("WARP_SZ")) {
      made.kind = Operand::Kind::Integer;
      made.number = 32;
    }
    advance();
    if (made.kind == Operand::Kind::Symbol && accept('+'))
      made.number = integer("an offset");
  }
  if (accept('|')) {
    if (accept("_"))
      made.second = -2;
    else
      made.second = int32_t(registerNamed("behind '|'"));
  }
  return made;
}

/// `[%rd1 + 16]`, `[shared+-4]`, `[%rd1, {%r1, %r2}]`.
Operand Parser::address() {
  Operand made{.kind = Operand::Kind::Address};
  made.elements.push_back(operand());
  Operand &base = made.elements[0];
  if (base.kind == Operand::Kind::Symbol)
    made.number = std::exchange(base.number, 0);
  while (token.is('+') || token.is('-')) {
    bool isMinus = token.is('-');
    advance();
    int64_t offset = integer("an offset");
    made.number = int64_t(uint64_t(made.number) + (isMinus ? -uint64_t(offset) : uint64_t(offset)));
  }
  while (accept(','))
    made.elements.push_back(operand());
  expect(']', "behind an address");
  return made;
}

Operand Parser::operand() {
  Nested nested(*this);
  if (accept('['))
    return address();
  if (token.is('{') || token.is('(')) {
    bool isVector = token.is('{');
    advance();
    Operand made{.kind = isVector ? Operand::Kind::Vector : Operand::Kind::List};
    while (!atEnd() && !token.is(isVector ? '}' : ')')) {
      made.elements.push_back(operand());
      if (!accept(','))
        break;
    }
    expect(isVector ? '}' : ')', "behind a list");
    return made;
  }
  if (accept('!')) {
    Operand made = operand();
    made.isNegated = !made.isNegated;
    return made;
  }
  if (accept('-'))
    return number(/*isNegative=*/true);
  if (accept('+') || token.kind == Token::Kind::Number)
    return number(/*isNegative=*/false);
  if (token.kind == Token::Kind::Word)
    return name();
  fail("expected an operand, got " + quoted(token));
  return {};
}

} // namespace

Parsed parse(std::string text) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  std::string problem = Parser(*module).run();
  if (!problem.empty())
    return {nullptr, problem};
  return {std::move(module), ""};
}

} // namespace triton::simulator::ptx
