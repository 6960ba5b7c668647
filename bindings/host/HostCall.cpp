// Three kinds of callable: NamedTuple classes make a tuple of whatever they get; builtins of users, aggregates and their methods emit code; constexpr
// functions and everything else compute on compile-time values.
#include "bindings/host/HostCall.h"

#include "bindings/Package.h"
#include "bindings/Reference.h"
#include "bindings/host/Answers.h"
#include "bindings/host/Conversion.h"
#include "bindings/interpreter/TensorObject.h"

namespace triton::python {

static bool isTrueAttribute(PyObject *object, const char *attribute) {
  Reference value(PyObject_GetAttrString(object, attribute));
  bool isTrue = value && PyObject_IsTrue(value.get()) == 1;
  PyErr_Clear();
  return isTrue;
}

static bool isNamedTupleClass(PyObject *callable) {
  return PyType_Check(callable) && PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(callable), &PyTuple_Type) &&
         PyObject_HasAttrString(callable, "_fields");
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

/// Adds `_semantic` and `_generator` where the function declares them.
static bool addHiddenArguments(PyObject *callable, PyObject *keywords, const Package &package) {
  Reference add(PyObject_GetAttrString(package.coreModule, "_add_hidden_arguments"));
  Reference result(add ? PyObject_CallFunctionObjArgs(add.get(), callable, keywords, nullptr) : nullptr);
  return bool(result);
}

/// A function that emits code cannot be called again to see whether it gives the same: what it consists of is recorded instead.
static bool recordCode(PyObject *callable) {
  if (!Answers::recording())
    return true;
  Reference key(ask({HostQuestion::Kind::Code, nullptr, {&callable, 1}}));
  return bool(key);
}

PyObject *callHost(PyObject *callable, const embed::CallArguments &arguments, embed::Emission &emission) {
  const Package *package = Package::get();
  if (!package)
    return nullptr;
  EmissionScope scope(emission);
  Reference positional, keywords;
  if (isNamedTupleClass(callable))
    return convert(arguments, Wrapping::Kernel, positional, keywords)
               ? PyObject_Call(callable, positional.get(), keywords.get())
               : nullptr;
  bool emitsCode = isTrueAttribute(callable, "__triton_builtin__") || isTrueAttribute(callable, "__triton_aggregate__");
  if (!isA(callable, package->constexprFunctionClass) && !emitsCode) {
    Reference asks(PyObject_GetAttrString(package->coreModule, "_takes_semantic"));
    Reference answer(asks ? PyObject_CallOneArg(asks.get(), callable) : nullptr);
    if (!answer)
      return nullptr;
    emitsCode = answer.get() == Py_True;
  }
  if (!convert(arguments, emitsCode ? Wrapping::Kernel : Wrapping::Plain, positional, keywords))
    return nullptr;
  if (emitsCode && (!addHiddenArguments(callable, keywords.get(), *package) || !recordCode(callable)))
    return nullptr;
  PyObject *operands[] = {callable, positional.get(), keywords.get()};
  HostQuestion question{HostQuestion::Kind::Call, nullptr, operands};
  Reference result(emitsCode ? answer(question) : ask(question));
  // A method may have set fields of the object it was given, which is a copy.
  if (result && !arguments.positional.empty() && arguments.positional[0].kind() == embed::Kind::Aggregate) {
    std::optional<embed::Value> receiver = toValue(PyTuple_GET_ITEM(positional.get(), 0));
    if (!receiver)
      return nullptr;
    emission.changeReceiver(*receiver);
  }
  return result.release();
}

} // namespace triton::python
