// The objects that a file's definitions are: modules, functions, NamedTuples, enums. What can be asked of them, and calling them.
#include "compiler/frontend/filehost/FileHostImpl.h"

#include "compiler/frontend/Operations.h"
#include "compiler/frontend/filehost/CompileTimeEmitter.h"
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
  CompileTimeEmitter emitter(*this);
  auto result = valueAttribute(emitter, value, name);
  if (failed(result))
    return emitter.takeError();
  return *result;
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

Value FileHostImpl::asInKernels(const Value &value) {
  const TupleValue *tuple = value.tuple();
  if (!tuple)
    return value;
  std::vector<Value> elements;
  for (const Value &element : tuple->elements)
    elements.push_back(asInKernels(element));
  return Value::tuple(std::move(elements), tuple->fields, tuple->hostClass);
}

Expected<Value> FileHostImpl::call(const HostObject &callable, const CallArguments &arguments, Emitter &) {
  std::lock_guard lock(mutex);
  const FileObject &object = get(callable);
  if (object.kind == Kind::PythonFunction)
    return hostError("RuntimeError", "Unsupported function referenced: " + object.name +
                                         " is not jitted; decorate it with @triton.jit or @triton.constexpr_function");
  auto result = callObject(object, callable, arguments);
  if (!result)
    return result;
  return asInKernels(*result);
}

Expected<Value> FileHostImpl::fold(const HostObject &callable, const CallArguments &arguments) {
  std::lock_guard lock(mutex);
  return callObject(get(callable), callable, arguments);
}

Expected<Value> FileHostImpl::callValue(const Value &callable, const CallArguments &arguments) {
  CompileTimeEmitter emitter(*this);
  auto result = emitter.call(callable, arguments);
  if (failed(result))
    return emitter.takeError();
  return *result;
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

std::string FileHostImpl::text(const HostObject &object) {
  const FileObject &file = get(object);
  if (file.kind != Kind::EnumMember)
    return describe(object);
  return file.enumClass->isIntEnum ? file.value.str() : file.enumClass->name + "." + file.name;
}
