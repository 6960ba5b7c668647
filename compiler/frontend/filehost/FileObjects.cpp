// The objects that a file's definitions are: modules, functions, NamedTuples, enums. What can be asked of them, and calling them.
#include "compiler/frontend/filehost/FileHostImpl.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/ScopeExit.h"

using namespace triton;
using namespace triton::frontend;
using llvm::Expected;
using llvm::StringRef;

using Kind = FileObject::Kind;

Expected<std::optional<Value>> FileHostImpl::attribute(const HostObject &object, StringRef name) {
  const FileObject &file = get(object);
  if (file.kind == Kind::Module) {
    if (file.file)
      return global(*file.file, name);
    if (file.name == "math") {
      auto value = resolvePath(*main, ("math." + name).str());
      if (!value)
        return value.takeError();
      return *value;
    }
    return hostError("RuntimeError", ("'" + file.name + "." + name +
                                      "' cannot be read without Python: only triton's modules, math and "
                                      "files beside this one can be imported")
                                         .str());
  }
  if (file.kind == Kind::EnumMember) {
    if (name == "value")
      return file.value;
    if (name == "name")
      return Value::string(file.name);
  }
  for (const auto &[member, value] : file.members)
    if (member == name && file.kind != Kind::NamedTupleClass)
      return value;
  return std::nullopt;
}

Expected<std::optional<Value>> FileHostImpl::attributeOf(const Value &value, StringRef name) {
  if (auto *object = value.getIf<HostObject>())
    return object->host->attribute(*object, name);
  if (auto *module = value.getIf<ModuleValue>())
    return languageAttribute(module->path, name);
  if (auto *tuple = value.tuple())
    for (auto [field, element] : llvm::zip(tuple->fields, tuple->elements))
      if (field == name)
        return element;
  if (value.is<Type>() && name == "primitive_bitwidth")
    return Value::integer(int64_t(value.get<Type>().bitWidth()));
  return std::nullopt;
}

Expected<Value> FileHostImpl::callObject(const FileObject &object, const HostObject &handle,
                                         const CallArguments &arguments) {
  switch (object.kind) {
  case Kind::MathFunction:
    return callMath(StringRef(object.name).rsplit('.').second, arguments.positional);
  case Kind::ConstexprFunction:
  case Kind::PythonFunction: {
    if (callDepth >= 50)
      return hostError("RecursionError", "compile-time functions call each other too deeply");
    ++callDepth;
    llvm::scope_exit leave([&] { --callDepth; });
    return FileEvaluator(*this, *object.file).run(object.function, arguments);
  }
  case Kind::NamedTupleClass: {
    std::vector<Value> elements;
    std::vector<std::string> fields;
    if (arguments.positional.size() > object.members.size())
      return hostError("TypeError", object.name + "() takes " + std::to_string(object.members.size()) + " fields");
    for (const auto &[keyword, value] : arguments.keywords)
      if (llvm::none_of(object.members, [&](const auto &member) { return member.first == keyword; }))
        return hostError("TypeError", object.name + "() has no field '" + keyword + "'");
    for (auto [index, member] : llvm::enumerate(object.members)) {
      auto keyword = llvm::find_if(arguments.keywords, [&](const auto &item) { return item.first == member.first; });
      fields.push_back(member.first);
      if (index < arguments.positional.size())
        elements.push_back(arguments.positional[index]);
      else if (keyword != arguments.keywords.end())
        elements.push_back(keyword->second);
      else if (member.second)
        elements.push_back(*member.second);
      else
        return hostError("TypeError", object.name + "() is missing field '" + member.first + "'");
    }
    return Value::tuple(std::move(elements), std::move(fields), handle);
  }
  default:
    return hostError("TypeError", "'" + object.name + "' cannot be called without Python");
  }
}

Expected<Value> FileHostImpl::call(const HostObject &callable, const CallArguments &arguments, Emitter &) {
  std::lock_guard lock(mutex);
  const FileObject &object = get(callable);
  if (object.kind == Kind::PythonFunction)
    return hostError("RuntimeError", "Unsupported function referenced: " + object.name +
                                         " is not jitted; decorate it with @triton.jit or @triton.constexpr_function");
  return callObject(object, callable, arguments);
}

/// `triton.cdiv` and `triton.next_power_of_2` on numbers, as the host computes them.
static std::optional<Expected<Value>> callHostFunction(StringRef name, llvm::ArrayRef<Value> arguments) {
  if (!llvm::all_of(arguments, [](const Value &argument) { return argument.is<Integer>(); }))
    return std::nullopt;
  if (name == "cdiv" && arguments.size() == 2 && arguments[1].get<Integer>() > 0)
    return Value::integer(ceilDiv(arguments[0].get<Integer>(), arguments[1].get<Integer>()));
  if (name == "next_power_of_2" && arguments.size() == 1) {
    Integer number = arguments[0].get<Integer>();
    return number <= 0 ? Value::integer(int64_t(0))
                       : Value::integer(fromBits(llvm::APInt::getOneBitSet(4096, bitLength(number - 1)), false));
  }
  return std::nullopt;
}

Expected<Value> FileHostImpl::callValue(const Value &callable, const CallArguments &arguments) {
  if (auto *object = callable.getIf<HostObject>())
    return object->host == this ? callObject(get(*object), *object, arguments) : object->host->fold(*object, arguments);
  if (auto *builtin = callable.getIf<const Builtin *>()) {
    // `tl.constexpr(value)` is its value; dtype constructors are the only others that make compile-time values.
    if ((*builtin)->name == "constexpr" && arguments.positional.size() == 1)
      return arguments.positional.front();
    if ((*builtin)->name == "pointer_type" && !arguments.positional.empty() && arguments.positional[0].is<Type>())
      return Value::dtype(Type::pointer(arguments.positional[0].get<Type>()));
    if (auto folded = callHostFunction((*builtin)->name, arguments.positional))
      return std::move(*folded);
  }
  return hostError("TypeError", callable.repr() + " cannot be called at a file's top level without Python");
}

Expected<bool> FileHostImpl::isInstance(const Value &value, const HostObject &hostClass) {
  if (auto *tuple = value.tuple())
    return tuple->hostClass.handle == hostClass.handle;
  auto *object = value.getIf<HostObject>();
  return object && object->host == this && get(*object).enumClass == hostClass.handle;
}

Expected<Value> FileHostImpl::binary(BinaryOperation operation, const Value &lhs, const Value &rhs) {
  auto *a = lhs.getIf<HostObject>(), *b = rhs.getIf<HostObject>();
  bool same = a && b && a->handle == b->handle;
  if (operation == BinaryOperation::Eq || operation == BinaryOperation::Ne)
    return Value::boolean(same == (operation == BinaryOperation::Eq));
  return hostError("TypeError",
                   ("operator " + spelling(operation) + " is not defined on " + (a ? describe(*a) : rhs.repr())).str());
}

Expected<Value> FileHostImpl::unary(UnaryOperation operation, const HostObject &operand) {
  return hostError("TypeError", ("operator " + spelling(operation) + " is not defined on " + describe(operand)).str());
}

Expected<Value> FileHostImpl::subscript(const HostObject &object, const Value &index) {
  const FileObject &file = get(object);
  if (file.kind == Kind::EnumClass && index.is<std::string>())
    for (const auto &[member, value] : file.members)
      if (member == index.get<std::string>())
        return *value;
  return hostError("TypeError", describe(object) + " cannot be subscripted");
}

Expected<Value> FileHostImpl::length(const HostObject &object) {
  const FileObject &file = get(object);
  if (file.kind == Kind::EnumClass)
    return Value::integer(int64_t(file.members.size()));
  return hostError("TypeError", describe(object) + " has no len()");
}

Expected<std::vector<Value>> FileHostImpl::iterate(const HostObject &object) {
  const FileObject &file = get(object);
  if (file.kind != Kind::EnumClass)
    return hostError("TypeError", describe(object) + " is not iterable");
  std::vector<Value> members;
  for (const auto &[name, value] : file.members)
    members.push_back(*value);
  return members;
}

std::string FileHostImpl::describe(const HostObject &object) {
  const FileObject &file = get(object);
  switch (file.kind) {
  case Kind::Module:
    return "<module '" + file.name + "'>";
  case Kind::EnumMember:
    return "<" + file.enumClass->name + "." + file.name + ": " + file.value.repr() + ">";
  case Kind::NamedTupleClass:
  case Kind::EnumClass:
  case Kind::PlainClass:
    return "<class '" + file.name + "'>";
  default:
    return "<function " + file.name + ">";
  }
}

std::string FileHostImpl::className(const HostObject &object) {
  const FileObject &file = get(object);
  switch (file.kind) {
  case Kind::Module:
    return "module";
  case Kind::EnumMember:
    return file.enumClass->name;
  case Kind::NamedTupleClass:
  case Kind::EnumClass:
  case Kind::PlainClass:
    return "type";
  default:
    return "function";
  }
}
