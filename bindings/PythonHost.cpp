// The rules about which globals a kernel may read are those of the language: modules, jitted and compile-time functions, what belongs to triton.language,
// aggregate and NamedTuple classes, None. Everything else must be wrapped in tl.constexpr.
#include "bindings/PythonHost.h"

#include "bindings/Conversion.h"
#include "bindings/HostCall.h"
#include "bindings/InterpreterLock.h"
#include "bindings/KernelObject.h"
#include "bindings/Package.h"

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

/// A free name's value, borrowed; null if it is not defined.
static PyObject *findName(PyObject *function, PyObject *name) {
  if (PyFunction_Check(function)) {
    Reference code(PyObject_GetAttrString(function, "__code__"));
    Reference freeNames(code ? PyObject_GetAttrString(code.get(), "co_freevars") : nullptr);
    PyObject *cells = PyFunction_GetClosure(function);
    for (Py_ssize_t index = 0; freeNames && cells && index < PyTuple_GET_SIZE(cells); ++index)
      if (PyUnicode_Compare(PyTuple_GET_ITEM(freeNames.get(), index), name) == 0)
        if (PyObject *value = PyCell_GET(PyTuple_GET_ITEM(cells, index)))
          return value;
    return PyDict_GetItemWithError(PyFunction_GetGlobals(function), name);
  }
  Reference globals(PyObject_GetAttrString(function, "__globals__"));
  return globals && PyDict_Check(globals.get()) ? PyDict_GetItemWithError(globals.get(), name) : nullptr;
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

Result<std::optional<Value>> PythonHost::lookup(const Object &scope, std::string_view name) {
  Locked locked;
  const Package *package = Package::get();
  if (!package)
    return takePending();
  Reference found = Reference::borrow(findName(PyTuple_GET_ITEM(objectOf(scope), 0), text(name).get()));
  if (PyErr_Occurred())
    return takePending();
  if (!found)
    return std::optional<Value>();
  if (!isReadable(found.get(), *package))
    return embed::globalNotConstexpr(name);
  std::optional<Value> value = toValue(found.get());
  if (!value)
    return takePending();
  return value;
}

Result<std::optional<Value>> PythonHost::attribute(const Object &object, std::string_view name) {
  Locked locked;
  Reference found(PyObject_GetAttr(objectOf(object), text(name).get()));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    return std::optional<Value>();
  }
  std::optional<Value> value = found ? toValue(found.get()) : std::nullopt;
  if (!value)
    return takePending();
  return value;
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
  int answer = -1;
  if (PyObject *cls = package ? classOf(value, *package) : nullptr)
    answer = PyObject_IsSubclass(cls, objectOf(hostClass));
  else if (Reference object(package ? toPython(value, Wrapping::Plain) : nullptr); object)
    answer = PyObject_IsInstance(object.get(), objectOf(hostClass));
  if (answer < 0)
    return takePending();
  return answer == 1;
}

static PyObject *compare(PyObject *lhs, PyObject *rhs, int operation) {
  return PyObject_RichCompare(lhs, rhs, operation);
}

static PyObject *apply(embed::BinaryOperation operation, PyObject *lhs, PyObject *rhs) {
  using enum embed::BinaryOperation;
  switch (operation) {
  case Add:
    return PyNumber_Add(lhs, rhs);
  case Sub:
    return PyNumber_Subtract(lhs, rhs);
  case Mul:
    return PyNumber_Multiply(lhs, rhs);
  case TrueDiv:
    return PyNumber_TrueDivide(lhs, rhs);
  case FloorDiv:
    return PyNumber_FloorDivide(lhs, rhs);
  case Mod:
    return PyNumber_Remainder(lhs, rhs);
  case Pow:
    return PyNumber_Power(lhs, rhs, Py_None);
  case LShift:
    return PyNumber_Lshift(lhs, rhs);
  case RShift:
    return PyNumber_Rshift(lhs, rhs);
  case And:
    return PyNumber_And(lhs, rhs);
  case Or:
    return PyNumber_Or(lhs, rhs);
  case Xor:
    return PyNumber_Xor(lhs, rhs);
  case MatMul:
    return PyNumber_MatrixMultiply(lhs, rhs);
  case Eq:
    return compare(lhs, rhs, Py_EQ);
  case Ne:
    return compare(lhs, rhs, Py_NE);
  case Lt:
    return compare(lhs, rhs, Py_LT);
  case Le:
    return compare(lhs, rhs, Py_LE);
  case Gt:
    return compare(lhs, rhs, Py_GT);
  case Ge:
    return compare(lhs, rhs, Py_GE);
  }
  return nullptr;
}

Result<Value> PythonHost::binary(embed::BinaryOperation operation, const Value &lhs, const Value &rhs) {
  Locked locked;
  Reference left(toPython(lhs, Wrapping::Plain)), right(left ? toPython(rhs, Wrapping::Plain) : nullptr);
  return give(right ? apply(operation, left.get(), right.get()) : nullptr);
}

static PyObject *apply(embed::UnaryOperation operation, PyObject *operand) {
  switch (operation) {
  case embed::UnaryOperation::Neg:
    return PyNumber_Negative(operand);
  case embed::UnaryOperation::Pos:
    return PyNumber_Positive(operand);
  case embed::UnaryOperation::Invert:
    return PyNumber_Invert(operand);
  case embed::UnaryOperation::Not:
    break;
  }
  int truth = PyObject_Not(operand);
  return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

Result<Value> PythonHost::unary(embed::UnaryOperation operation, const Object &operand) {
  Locked locked;
  return give(apply(operation, objectOf(operand)));
}

Result<Value> PythonHost::subscript(const Object &object, const Value &index) {
  Locked locked;
  Reference position(toPython(index, Wrapping::Plain));
  return give(position ? PyObject_GetItem(objectOf(object), position.get()) : nullptr);
}

Result<Value> PythonHost::length(const Object &object) {
  Locked locked;
  Py_ssize_t size = PyObject_Size(objectOf(object));
  if (size < 0)
    return takePending();
  return Value::integer(int64_t(size));
}

Result<bool> PythonHost::truth(const Object &object) {
  Locked locked;
  int truth = PyObject_IsTrue(objectOf(object));
  if (truth < 0)
    return takePending();
  return truth == 1;
}

Result<std::vector<Value>> PythonHost::iterate(const Object &object) {
  Locked locked;
  Reference items(PySequence_Tuple(objectOf(object)));
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
  Reference found(PyImport_Import(text(module).get()));
  return give(found ? PyObject_GetAttr(found.get(), text(name).get()) : nullptr);
}

static std::string represent(PyObject *object) {
  Reference text(PyObject_Repr(object));
  PyErr_Clear();
  return text ? str(text.get()) : std::string("<") + Py_TYPE(object)->tp_name + " object>";
}

std::string PythonHost::describe(const Object &object) {
  Locked locked;
  return represent(objectOf(object));
}

std::string PythonHost::className(const Object &object) {
  Locked locked;
  std::string name = Py_TYPE(objectOf(object))->tp_name;
  size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

/// What tells one object from another in the keys of specialised functions: its own key if it has one, its text if it compares by value, else its address.
std::string PythonHost::key(const Object &object) {
  Locked locked;
  PyObject *value = objectOf(object);
  for (const char *attribute : {"cache_key", "cache_key_part"}) {
    Reference own(PyType_Check(value) ? nullptr : PyObject_GetAttrString(value, attribute));
    PyErr_Clear();
    if (own)
      return str(own.get());
  }
  std::string result = std::string(Py_TYPE(value)->tp_name) + ":" + represent(value);
  if (Py_TYPE(value)->tp_richcompare == PyBaseObject_Type.tp_richcompare) // equal by identity
    result += "@" + std::to_string(reinterpret_cast<uintptr_t>(value));
  return result;
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
