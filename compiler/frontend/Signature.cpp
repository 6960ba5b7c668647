#include "compiler/frontend/Signature.h"

#include "compiler/frontend/Operators.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/support/ForkMutex.h"
#include "compiler/support/Suggestion.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <mutex>

using namespace triton;
using namespace triton::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;

/// The value of a default as signatures write it: literals, tuples of them, and names of the language.
static Value defaultValue(const syntax::Expr *expr) {
  if (auto *tuple = dyn_cast<syntax::Tuple>(expr)) {
    std::vector<Value> elements;
    for (const syntax::Expr *element : tuple->elts)
      elements.push_back(defaultValue(element));
    return Value::tuple(std::move(elements));
  }
  if (auto *unary = dyn_cast<syntax::UnaryOp>(expr)) {
    assert(unary->op == syntax::UnaryOperator::USub && "the only operator in signatures is the sign");
    return llvm::cantFail(fold(UnaryOperation::Neg, defaultValue(unary->operand)));
  }
  if (auto *constant = dyn_cast<syntax::Constant>(expr))
    return constantValue(constant).value_or(Value::none());
  // `float32`, `tl.float32`, `PropagateNan.NONE`
  StringRef text = expr->range.text();
  text.consume_front("tl.");
  auto [first, second] = text.split('.');
  auto value = languageAttribute("triton.language", first);
  if (value && !second.empty())
    if (auto *module = value->getIf<ModuleValue>())
      value = languageAttribute(module->path, second);
  assert(value && "a default in a signature names something of the language");
  return value ? *value : Value::none();
}

static Signature parseSignature(const Builtin &builtin) {
  Diagnostics diagnostics;
  auto source = Source::create("<signature>", ("def f" + builtin.signature + ": pass").str());
  auto tree = syntax::parse(source, diagnostics);
  assert(!diagnostics.hasErrors() && "signatures of builtins are Python");
  const syntax::Arguments &arguments = *cast<syntax::FunctionDef>(tree->module->body[0])->args;
  Signature signature;
  std::vector<const syntax::Arg *> plain(arguments.posonlyargs.begin(), arguments.posonlyargs.end());
  plain.insert(plain.end(), arguments.args.begin(), arguments.args.end());
  const size_t required = plain.size() - arguments.defaults.size();
  for (auto [i, argument] : llvm::enumerate(plain)) {
    Signature::Parameter parameter{argument->arg.str()};
    if (i >= required)
      parameter.defaultValue = defaultValue(arguments.defaults[i - required]);
    parameter.isPositionalOnly = i < arguments.posonlyargs.size();
    signature.parameters.push_back(std::move(parameter));
  }
  if (arguments.vararg)
    signature.parameters.push_back({arguments.vararg->arg.str(), Signature::Kind::Rest});
  for (auto [argument, value] : llvm::zip_equal(arguments.kwonlyargs, arguments.kwDefaults)) {
    Signature::Parameter parameter{argument->arg.str(), Signature::Kind::KeywordOnly};
    if (value)
      parameter.defaultValue = defaultValue(value);
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

const Signature &triton::frontend::signatureOf(const Builtin &builtin) {
  static ForkMutex mutex;
  static llvm::DenseMap<const Builtin *, std::unique_ptr<Signature>> cache;
  {
    std::lock_guard lock(mutex);
    if (auto known = cache.find(&builtin); known != cache.end())
      return *known->second;
  }
  // Not under the lock: a default may name a library function, whose own loading binds builtins.
  auto signature = std::make_unique<Signature>(parseSignature(builtin));
  std::lock_guard lock(mutex);
  auto &entry = cache[&builtin];
  if (!entry)
    entry = std::move(signature);
  return *entry;
}

Signature triton::frontend::signatureOf(const Function &function) {
  Signature signature;
  for (const Parameter &parameter : function.parameters)
    signature.parameters.push_back({parameter.name, Signature::Kind::Plain, parameter.defaultValue});
  if (!function.definition)
    return signature;
  const syntax::Arguments &declared = *function.definition->args;
  const auto isOneOf = [](llvm::ArrayRef<syntax::Arg *> list, StringRef name) {
    return llvm::any_of(list, [&](const syntax::Arg *argument) { return argument->arg == name; });
  };
  for (Signature::Parameter &parameter : signature.parameters) {
    if (declared.vararg && declared.vararg->arg == parameter.name)
      parameter.kind = Signature::Kind::Rest;
    else if (isOneOf(declared.kwonlyargs, parameter.name))
      parameter.kind = Signature::Kind::KeywordOnly;
    parameter.isPositionalOnly = isOneOf(declared.posonlyargs, parameter.name);
  }
  return signature;
}

unsigned Signature::indexOf(StringRef name) const {
  auto it = llvm::find_if(parameters, [&](const Parameter &parameter) { return parameter.name == name; });
  assert(it != parameters.end() && "asked for a parameter the signature has");
  return it - parameters.begin();
}

/// The parameter that may be meant or, where they are few, all of them.
static std::string suggestParameter(StringRef name, llvm::ArrayRef<Signature::Parameter> parameters) {
  std::vector<StringRef> names;
  for (const Signature::Parameter &parameter : parameters)
    if (parameter.kind != Signature::Kind::Rest && parameter.name != "self")
      names.push_back(parameter.name);
  std::string suggestion = didYouMean(name, names);
  if (!suggestion.empty() || names.empty() || names.size() > 8)
    return suggestion;
  const StringRef last = names.back();
  names.pop_back();
  return names.empty() ? ("; it takes '" + last + "'").str()
                       : "; it takes '" + llvm::join(names, "', '") + "' and '" + last.str() + "'";
}

/// `f() takes from 1 to 2 positional arguments but 3 were given`
static llvm::Error tooManyPositional(StringRef callee, const Signature &signature, size_t given) {
  size_t most = 0, least = 0;
  for (const Signature::Parameter &parameter : signature.parameters)
    if (parameter.kind == Signature::Kind::Plain) {
      ++most;
      least += !parameter.defaultValue;
    }
  std::string takes =
      least == most ? std::to_string(most) : "from " + std::to_string(least) + " to " + std::to_string(most);
  return hostError("TypeError", (callee + "() takes " + takes + " positional argument" + (most == 1 ? "" : "s") +
                                 " but " + std::to_string(given) + (given == 1 ? " was given" : " were given"))
                                    .str());
}

/// `f() missing 2 required positional arguments: 'a' and 'b'`; `kind` is "positional" or "keyword-only".
static llvm::Error missing(StringRef callee, llvm::ArrayRef<std::string> names, StringRef kind) {
  std::string list;
  for (auto [i, name] : llvm::enumerate(names))
    list += (i == 0 ? "'" : i + 1 == names.size() ? (names.size() > 2 ? ", and '" : " and '") : ", '") + name + "'";
  return hostError("TypeError", (callee + "() missing " + std::to_string(names.size()) + " required " + kind +
                                 " argument" + (names.size() == 1 ? "" : "s") + ": " + list)
                                    .str());
}

llvm::Expected<BoundArguments> Signature::bind(StringRef callee, const CallArguments &arguments) const {
  BoundArguments bound;
  bound.values.resize(parameters.size());
  bound.given.resize(parameters.size());
  size_t next = 0;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (parameter.kind == Kind::Plain && next < arguments.positional.size()) {
      bound.values[i] = arguments.positional[next++];
      bound.given[i] = true;
    } else if (parameter.kind == Kind::Rest) {
      bound.values[i] = Value::tuple({arguments.positional.begin() + next, arguments.positional.end()});
      bound.given[i] = next < arguments.positional.size();
      next = arguments.positional.size();
    }
  }
  if (next < arguments.positional.size())
    return tooManyPositional(callee, *this, arguments.positional.size());
  for (const auto &[name, value] : arguments.keywords) {
    auto it = llvm::find_if(
        parameters, [&](const Parameter &parameter) { return parameter.kind != Kind::Rest && parameter.name == name; });
    if (it == parameters.end()) {
      return hostError("TypeError", (callee + "() got an unexpected keyword argument '" + name + "'").str() +
                                        suggestParameter(name, parameters));
    }
    if (it->isPositionalOnly)
      return hostError("TypeError",
                       (callee + "() takes its arguments by position, '" + name + "' is given as a keyword").str());
    const size_t index = it - parameters.begin();
    if (bound.given[index])
      return hostError("TypeError", (callee + "() got multiple values for argument '" + name + "'").str());
    bound.values[index] = value;
    bound.given[index] = true;
  }
  std::vector<std::string> absent, absentKeywords;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (bound.given[i] || parameter.kind == Kind::Rest)
      continue;
    if (parameter.defaultValue)
      bound.values[i] = *parameter.defaultValue;
    else
      (parameter.kind == Kind::KeywordOnly ? absentKeywords : absent).push_back(parameter.name);
  }
  if (!absent.empty())
    return missing(callee, absent, "positional");
  if (!absentKeywords.empty())
    return missing(callee, absentKeywords, "keyword-only");
  return bound;
}
