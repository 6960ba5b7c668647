#include "bindings/host/PythonHost.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Package.h"
#include "bindings/Text.h"
#include "bindings/host/Conversion.h"
#include "bindings/interpreter/TensorObject.h"

namespace triton::python {

using embed::Error;
using embed::Object;
using embed::Result;
using embed::Value;

PythonHost &PythonHost::instance() {
  static PythonHost *host = new PythonHost; // values refer to it until the process ends
  return *host;
}

static thread_local PyObject *lastException = nullptr, *recording = Py_None;

Reference PythonHost::takeException() { return Reference(std::exchange(lastException, nullptr)); }

RecordingScope::RecordingScope(PyObject *answers) : previous(std::exchange(recording, answers)) {}
RecordingScope::~RecordingScope() { recording = previous; }

/// The pending Python exception as an Error.
static Error takePending() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Reference text(value ? PyObject_Str(value) : nullptr);
  Error error{type ? reinterpret_cast<PyTypeObject *>(type)->tp_name : "", textOf(text.get())};
  PyErr_Clear(); // of a text that cannot be made, or is no UTF-8
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

/// Calls a function of triton.compiler.host; null with an exception set.
template <typename... Arguments>
static Reference callHost(const char *function, const char *format, Arguments... arguments) {
  Reference module(PyImport_ImportModule("triton.compiler.host"));
  return Reference(module ? PyObject_CallMethod(module.get(), function, format, arguments...) : nullptr);
}

static Result<Value> give(PyObject *object) { // borrowed; null: an exception is set
  std::optional<Value> value = object ? toValue(object) : std::nullopt;
  if (!value)
    return takePending();
  return std::move(*value);
}

/// The first element of a tuple as a value; nullopt if it has none.
static Result<std::optional<Value>> giveFirst(const Reference &found) {
  if (found && PyTuple_GET_SIZE(found.get()) == 0)
    return std::optional<Value>();
  Result<Value> value = give(found ? PyTuple_GET_ITEM(found.get(), 0) : nullptr);
  if (auto *error = std::get_if<Error>(&value))
    return std::move(*error);
  return std::optional(std::get<Value>(std::move(value)));
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

// Questions.

Result<std::optional<Value>> PythonHost::lookup(const Object &scope, std::string_view name) {
  Locked locked;
  Reference function(jitFunctionOf(scope));
  Reference found =
      function ? callHost("look_up", "OOs#", recording, function.get(), name.data(), name.size()) : Reference();
  if (found && PyTuple_GET_SIZE(found.get()) == 2 && PyTuple_GET_ITEM(found.get(), 1) == Py_False)
    return embed::globalNotConstexpr(name);
  return giveFirst(found);
}

Result<std::optional<Value>> PythonHost::ask(Question question, std::string_view name,
                                             const std::vector<Value> &operands) {
  static constexpr const char *names[] = {"attribute", "import", "binary", "unary",
                                          "subscript", "length", "truth",  "iterate"};
  Locked locked;
  Reference objects(PyTuple_New(Py_ssize_t(operands.size())));
  for (size_t index = 0; objects && index < operands.size(); ++index) {
    PyObject *operand = toPython(operands[index], Wrapping::Plain);
    if (!operand)
      return takePending();
    PyTuple_SET_ITEM(objects.get(), index, operand);
  }
  return giveFirst(callHost("ask", "Osz#O", recording, names[int(question)], name.empty() ? nullptr : name.data(),
                            name.size(), objects.get()));
}

static bool convert(const embed::CallArguments &arguments, Wrapping wrapping, Reference &positional,
                    Reference &keywords) {
  positional = Reference(PyTuple_New(Py_ssize_t(arguments.positional.size())));
  keywords = Reference(PyDict_New());
  for (size_t index = 0; index < arguments.positional.size(); ++index) {
    PyObject *value = toPython(arguments.positional[index], wrapping);
    if (!value)
      return false;
    PyTuple_SET_ITEM(positional.get(), index, value);
  }
  for (const auto &[name, value] : arguments.keywords) {
    Reference object(toPython(value, wrapping));
    if (!object || PyDict_SetItemString(keywords.get(), name.c_str(), object.get()) < 0)
      return false;
  }
  return true;
}

Result<Value> PythonHost::call(const Object &callable, const embed::CallArguments &arguments,
                               embed::Emission &emission) {
  Locked locked;
  EmissionScope scope(emission);
  Reference way = callHost("way_to_call", "(O)", objectOf(callable)), positional, keywords;
  const bool isWrapped = way && PyTuple_GET_ITEM(way.get(), 0) == Py_True;
  if (!way || !convert(arguments, isWrapped ? Wrapping::Kernel : Wrapping::Plain, positional, keywords))
    return takePending();
  Reference result(PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(way.get(), 1), recording, objectOf(callable),
                                                positional.get(), keywords.get(), nullptr));
  // A method may have set fields of the object it was given, which is a copy.
  if (result && !arguments.positional.empty() && arguments.positional[0].kind() == embed::Kind::Aggregate) {
    std::optional<Value> receiver = toValue(PyTuple_GET_ITEM(positional.get(), 0));
    if (!receiver)
      return takePending();
    emission.changeReceiver(*receiver);
  }
  return give(result.get());
}

/// The class of run-time values, which exist only as values of the compiler; null for compile-time ones.
static PyObject *classOf(const Value &value, const Package &package) {
  switch (value.kind()) {
  case embed::Kind::Tensor:
    return reinterpret_cast<PyObject *>(package.tensorClass);
  case embed::Kind::Descriptor:
    return reinterpret_cast<PyObject *>(package.descriptorValueClass);
  case embed::Kind::Handle: {
    Reference cls(languageObject(value.path()));
    return cls.get(); // which its module keeps
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
      object ? callHost("ask", "Osz(OO)", recording, "is_instance", nullptr, object.get(), objectOf(hostClass))
             : Reference();
  if (!answer)
    return takePending();
  return PyTuple_GET_ITEM(answer.get(), 0) == Py_True;
}

std::string PythonHost::describe(const Object &object) {
  Locked locked;
  Reference text = callHost("describe", "OO", recording, objectOf(object));
  std::string shown = textOf(text.get());
  PyErr_Clear();
  return shown;
}

std::string PythonHost::className(const Object &object) {
  Locked locked;
  std::string name = Py_TYPE(objectOf(object))->tp_name;
  return name.substr(name.rfind('.') + 1);
}

std::string PythonHost::key(const Object &object) {
  Locked locked;
  Reference text = callHost("key", "(O)", objectOf(object));
  std::string shown = textOf(text.get());
  PyErr_Clear();
  return shown;
}

void PythonHost::print(std::string_view text) {
  Locked locked;
  callHost("write", "(s#)", text.data(), text.size());
  PyErr_Clear();
}

void PythonHost::warn(std::string_view category, const embed::Place &place, std::string_view message) {
  Locked locked;
  callHost("warn", "s#sIs#", category.data(), category.size(), place.file.c_str(), place.line, message.data(),
           message.size());
  PyErr_Clear(); // warnings turned into errors are not errors of the kernel
}

} // namespace triton::python
