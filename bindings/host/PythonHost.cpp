// The rules about which globals a kernel may read are those of the language: modules, jitted and compile-time functions, what belongs to triton.language,
// aggregate and NamedTuple classes, None. Everything else must be wrapped in tl.constexpr.
#include "bindings/host/PythonHost.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Package.h"
#include "bindings/host/Answers.h"
#include "bindings/host/Conversion.h"
#include "bindings/host/HostCall.h"
#include "bindings/launch/KernelObject.h"

#include <string>

namespace triton::python {

using embed::Error;
using embed::Object;
using embed::Result;
using embed::Value;

PythonHost &PythonHost::instance() {
  static PythonHost *host = new PythonHost; // values refer to it until the process ends
  return *host;
}

static thread_local PyObject *lastException = nullptr;

Reference PythonHost::takeException() { return Reference(std::exchange(lastException, nullptr)); }

static std::string str(PyObject *object) {
  Reference text(object ? PyObject_Str(object) : nullptr);
  const char *utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string result = utf8 ? utf8 : "";
  PyErr_Clear();
  return result;
}

/// The pending Python exception as an Error.
static Error takePending() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Error error{type ? reinterpret_cast<PyTypeObject *>(type)->tp_name : "", str(value)};
  if (size_t dot = error.exception.rfind('.'); dot != std::string::npos)
    error.exception = error.exception.substr(dot + 1);
  if (type && PyErr_GivenExceptionMatches(type, PyExc_KeyError)) // its text is the repr of the key
    error.message = "key " + error.message + " not found";
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  if (lastException && !PyObject_TypeCheck(lastException, reinterpret_cast<PyTypeObject *>(PyExc_Exception)))
    Py_XDECREF(value); // what is to end the process or the command is not forgotten over what comes after it
  else
    Py_XDECREF(std::exchange(lastException, value));
  return error;
}

static Result<Value> give(PyObject *object) { // steals
  Reference owned(object);
  std::optional<Value> value = object ? toValue(object) : std::nullopt;
  if (!value)
    return takePending();
  return std::move(*value);
}

static Reference text(std::string_view string) {
  return Reference(PyUnicode_FromStringAndSize(string.data(), Py_ssize_t(string.size())));
}

// Scopes.

Object makeScope(PyObject *jitFunction, PyObject *function) {
  Reference weak(PyWeakref_NewRef(jitFunction, nullptr));
  Reference scope(weak ? PyTuple_Pack(2, function, weak.get()) : nullptr);
  return scope ? hold(scope.get()) : nullptr;
}

PyObject *jitFunctionOf(const Object &scope) {
  PyObject *found = PyObject_CallNoArgs(PyTuple_GET_ITEM(objectOf(scope), 1));
  if (found == Py_None) {
    Py_DECREF(found);
    PyErr_SetString(PyExc_ReferenceError, "the jitted function does not exist any more");
    return nullptr;
  }
  return found;
}

static bool startsWith(PyObject *object, const char *attribute, std::string_view prefix) {
  Reference value(PyObject_GetAttrString(object, attribute));
  const char *string = value && PyUnicode_Check(value.get()) ? PyUnicode_AsUTF8(value.get()) : nullptr;
  PyErr_Clear();
  return string && std::string_view(string).starts_with(prefix);
}

static bool isTrueAttribute(PyObject *object, const char *attribute) {
  Reference value(PyObject_GetAttrString(object, attribute));
  bool isTrue = value && PyObject_IsTrue(value.get()) == 1;
  PyErr_Clear();
  return isTrue;
}

static bool isReadable(PyObject *value, const Package &package) {
  if (value == Py_None || PyModule_Check(value) || isA(value, package.constexprClass) ||
      isA(value, package.jitCallableClass))
    return true;
  if (isTrueAttribute(value, "__triton_builtin__") || isTrueAttribute(value, "__triton_aggregate__") ||
      startsWith(value, "__module__", "triton.language") ||
      startsWith(value, "__module__", "triton.experimental.gluon.language"))
    return true;
  if (PyType_Check(value) && PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(value), &PyTuple_Type) &&
      PyObject_HasAttrString(value, "_fields"))
    return true;
  return isTrueAttribute(package.compilationKnobs, "allow_non_constexpr_globals");
}

/// What a question with these operands, none of them null, is answered with; null with an exception set, or because there is none.
static Reference askAbout(HostQuestion::Kind kind, PyObject *name, std::initializer_list<PyObject *> operands) {
  return Reference(ask({kind, name, {operands.begin(), operands.size()}}));
}

/// `found` as a value; nullopt if there is none.
static Result<std::optional<Value>> giveIfThere(Reference found) {
  if (!found && !PyErr_Occurred())
    return std::optional<Value>();
  std::optional<Value> value = found ? toValue(found.get()) : std::nullopt;
  if (!value)
    return takePending();
  return value;
}

Result<std::optional<Value>> PythonHost::lookup(const Object &scope, std::string_view name) {
  Locked locked;
  const Package *package = Package::get();
  Reference function(package ? jitFunctionOf(scope) : nullptr);
  if (!function)
    return takePending();
  Reference found = askAbout(HostQuestion::Kind::Lookup, text(name).get(), {function.get()});
  if (found && !isReadable(found.get(), *package))
    return embed::globalNotConstexpr(name);
  return giveIfThere(std::move(found));
}

Result<std::optional<Value>> PythonHost::attribute(const Object &object, std::string_view name) {
  Locked locked;
  return giveIfThere(askAbout(HostQuestion::Kind::Attribute, text(name).get(), {objectOf(object)}));
}

Result<Value> PythonHost::call(const Object &callable, const embed::CallArguments &arguments,
                               embed::Emission &emission) {
  Locked locked;
  return give(callHost(objectOf(callable), arguments, emission));
}

/// The class of run-time values, which exist only as values of the compiler; null for compile-time ones.
static PyObject *classOf(const Value &value, const Package &package) {
  switch (value.kind()) {
  case embed::Kind::Tensor:
    return reinterpret_cast<PyObject *>(package.tensorClass);
  case embed::Kind::Descriptor:
    return reinterpret_cast<PyObject *>(package.descriptorValueClass);
  case embed::Kind::Handle: {
    size_t dot = value.path().rfind('.');
    Reference module(PyImport_ImportModule(value.path().substr(0, dot).c_str()));
    Reference cls(module ? PyObject_GetAttrString(module.get(), value.path().substr(dot + 1).c_str()) : nullptr);
    return cls.get(); // which the module keeps
  }
  case embed::Kind::Tuple:
    return value.object()          ? objectOf(value.object())
           : value.isCompileTime() ? nullptr
                                   : reinterpret_cast<PyObject *>(package.tupleClass);
  case embed::Kind::Aggregate:
    return objectOf(value.object());
  default:
    return nullptr;
  }
}

Result<bool> PythonHost::isInstance(const Value &value, const Object &hostClass) {
  Locked locked;
  const Package *package = Package::get();
  if (PyObject *cls = package ? classOf(value, *package) : nullptr) {
    int answer = PyObject_IsSubclass(cls, objectOf(hostClass));
    if (answer < 0)
      return takePending();
    return answer == 1;
  }
  Reference object(package ? toPython(value, Wrapping::Plain) : nullptr);
  Reference answer =
      object ? askAbout(HostQuestion::Kind::IsInstance, nullptr, {object.get(), objectOf(hostClass)}) : Reference();
  if (!answer)
    return takePending();
  return answer.get() == Py_True;
}

Result<Value> PythonHost::binary(embed::BinaryOperation operation, const Value &lhs, const Value &rhs) {
  Locked locked;
  Reference left(toPython(lhs, Wrapping::Plain)), right(left ? toPython(rhs, Wrapping::Plain) : nullptr);
  Reference number(PyLong_FromLong(long(operation)));
  if (!right || !number)
    return takePending();
  return give(askAbout(HostQuestion::Kind::Binary, number.get(), {left.get(), right.get()}).release());
}

Result<Value> PythonHost::unary(embed::UnaryOperation operation, const Object &operand) {
  Locked locked;
  Reference number(PyLong_FromLong(long(operation)));
  if (!number)
    return takePending();
  return give(askAbout(HostQuestion::Kind::Unary, number.get(), {objectOf(operand)}).release());
}

Result<Value> PythonHost::subscript(const Object &object, const Value &index) {
  Locked locked;
  Reference position(toPython(index, Wrapping::Plain));
  if (!position)
    return takePending();
  return give(askAbout(HostQuestion::Kind::Subscript, nullptr, {objectOf(object), position.get()}).release());
}

Result<Value> PythonHost::length(const Object &object) {
  Locked locked;
  return give(askAbout(HostQuestion::Kind::Length, nullptr, {objectOf(object)}).release());
}

Result<bool> PythonHost::truth(const Object &object) {
  Locked locked;
  Reference answer = askAbout(HostQuestion::Kind::Truth, nullptr, {objectOf(object)});
  if (!answer)
    return takePending();
  return answer.get() == Py_True;
}

Result<std::vector<Value>> PythonHost::iterate(const Object &object) {
  Locked locked;
  Reference items = askAbout(HostQuestion::Kind::Iterate, nullptr, {objectOf(object)});
  if (!items)
    return takePending();
  std::vector<Value> out;
  for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(items.get()); ++index) {
    std::optional<Value> value = toValue(PyTuple_GET_ITEM(items.get(), index));
    if (!value)
      return takePending();
    out.push_back(std::move(*value));
  }
  return out;
}

Result<Value> PythonHost::import(std::string_view module, std::string_view name) {
  Locked locked;
  return give(askAbout(HostQuestion::Kind::Import, text(name).get(), {text(module).get()}).release());
}

std::string PythonHost::describe(const Object &object) {
  Locked locked;
  Reference text = askAbout(HostQuestion::Kind::Describe, nullptr, {objectOf(object)});
  PyErr_Clear();
  return text ? str(text.get()) : "<" + className(object) + " object>";
}

std::string PythonHost::className(const Object &object) {
  Locked locked;
  std::string name = Py_TYPE(objectOf(object))->tp_name;
  size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

/// What tells one object from another in the keys of specialised functions.
std::string PythonHost::key(const Object &object) {
  Locked locked;
  PyObject *value = objectOf(object);
  Reference fingerprints(PyImport_ImportModule("triton.runtime.fingerprints"));
  Reference describe(fingerprints ? PyObject_GetAttrString(fingerprints.get(), "memory_key") : nullptr);
  Reference key(describe ? PyObject_CallOneArg(describe.get(), value) : nullptr);
  PyErr_Clear();
  return key ? str(key.get()) : "object@" + std::to_string(reinterpret_cast<uintptr_t>(value));
}

void PythonHost::print(std::string_view string) {
  Locked locked;
  Reference stream = Reference::borrow(PySys_GetObject("stdout"));
  if (!stream || stream.get() == Py_None || PyFile_WriteObject(text(string).get(), stream.get(), Py_PRINT_RAW) < 0)
    PyErr_Clear();
}

void PythonHost::warn(std::string_view category, const embed::Place &place, std::string_view message) {
  Locked locked;
  PyObject *cls = category == "DeprecationWarning" ? PyExc_DeprecationWarning : PyExc_UserWarning;
  PyErr_WarnExplicit(cls, std::string(message).c_str(), place.file.empty() ? "<triton>" : place.file.c_str(),
                     int(place.line), nullptr, nullptr);
  PyErr_Clear(); // warnings turned into errors are not errors of the kernel
}

} // namespace triton::python
