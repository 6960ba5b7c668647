#include "bindings/host/Fingerprint.h"

#include "bindings/Package.h"
#include "bindings/Text.h"
#include "bindings/interpreter/TensorObject.h"
#include "bindings/launch/KernelObject.h"

namespace triton::python {

using Parts = std::vector<std::pair<std::string, Reference>>;

static void addAttribute(PyObject *object, const char *name, Parts &out) {
  Reference value(PyObject_GetAttrString(object, name));
  PyErr_Clear();
  if (value)
    out.emplace_back(name, std::move(value));
}

static void addElements(PyObject *sequence, Parts &out) {
  Reference items(PySequence_Tuple(sequence));
  PyErr_Clear();
  for (Py_ssize_t index = 0; items && index < PyTuple_GET_SIZE(items.get()); ++index)
    out.emplace_back(std::to_string(index), Reference::borrow(PyTuple_GET_ITEM(items.get(), index)));
}

/// The default values of a jitted function's parameters.
static void addDefaults(PyObject *jitFunction, Parts &out) {
  Reference parameters(PyObject_GetAttrString(jitFunction, "params"));
  Reference items(parameters ? PySequence_Tuple(parameters.get()) : nullptr);
  for (Py_ssize_t index = 0; items && index < PyTuple_GET_SIZE(items.get()); ++index) {
    PyObject *parameter = PyTuple_GET_ITEM(items.get(), index);
    Reference hasDefault(PyObject_GetAttrString(parameter, "has_default"));
    if (hasDefault && PyObject_IsTrue(hasDefault.get()) == 1)
      if (Reference value(PyObject_GetAttrString(parameter, "default")); value)
        out.emplace_back(stringAttribute(parameter, "name"), std::move(value));
  }
  PyErr_Clear();
}

static void addFields(PyObject *aggregate, Parts &out) {
  Reference fields(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(aggregate)), "_aggregate_fields"));
  Reference names(fields ? PySequence_List(fields.get()) : nullptr);
  for (Py_ssize_t index = 0; names && index < PyList_GET_SIZE(names.get()); ++index)
    if (Reference value(PyObject_GetAttr(aggregate, PyList_GET_ITEM(names.get(), index))); value)
      out.emplace_back(textOf(PyList_GET_ITEM(names.get(), index)), std::move(value));
  PyErr_Clear();
}

static bool isPlain(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type || type == &PyBytes_Type;
}

static bool isAggregate(PyObject *object, const Package &package) {
  return isA(object, package.baseValueClass) && PyObject_HasAttrString(object, "__triton_aggregate__");
}

Parts partsOf(PyObject *object) {
  Parts parts;
  const Package *package = Package::get();
  if (!package || isPlain(object) || PyModule_Check(object) || PyType_Check(object) || isLanguageType(object) ||
      valueOf(object))
    return parts;
  if (isA(object, package->constexprClass))
    addAttribute(object, "value", parts);
  else if (isA(object, package->tupleClass))
    addAttribute(object, "values", parts);
  else if (PyTuple_Check(object) || PyList_CheckExact(object))
    addElements(object, parts);
  else if (isKernelObject(object))
    addDefaults(object, parts);
  else if (isAggregate(object, *package))
    addFields(object, parts);
  else if (PySlice_Check(object) || isA(object, package->sliceClass))
    for (const char *name : {"start", "stop", "step"})
      addAttribute(object, name, parts);
  PyTypeObject *type = Py_TYPE(object);
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) // the class of a named tuple, an aggregate, an enum
    parts.emplace_back("__class__", Reference::borrow(reinterpret_cast<PyObject *>(type)));
  return parts;
}

static void appendClass(PyObject *cls, std::string &text) {
  text += stringAttribute(cls, "__module__") + "." + stringAttribute(cls, "__qualname__");
}

/// What the package's Python half makes of objects of other classes.
static bool appendObject(PyObject *object, std::string &text) {
  Reference fingerprints(PyImport_ImportModule("triton.runtime.fingerprints"));
  Reference describe(fingerprints ? PyObject_GetAttrString(fingerprints.get(), "object_key") : nullptr);
  Reference key(describe ? PyObject_CallOneArg(describe.get(), object) : nullptr);
  text += textOf(key.get());
  return key && !PyErr_Occurred();
}

static bool append(PyObject *object, std::string &text, unsigned depth) {
  constexpr unsigned limit = 64;
  if (depth > limit) {
    PyErr_SetString(PyExc_RecursionError, "a compile-time value contains itself, or is nested too deeply");
    return false;
  }
  const Package *package = Package::get();
  if (!package)
    return false;
  if (isPlain(object)) {
    Reference shown(PyFloat_CheckExact(object) ? PyObject_CallMethod(object, "hex", nullptr) : PyObject_Repr(object));
    text += std::string(Py_TYPE(object)->tp_name) + " " + textOf(shown.get());
    return bool(shown);
  }
  if (valueOf(object)) {
    text += "run-time value";
    return true;
  }
  if (PyModule_Check(object)) {
    text += "module " + stringAttribute(object, "__name__");
    return true;
  }
  if (PyType_Check(object)) {
    text += "class ";
    appendClass(object, text);
    return true;
  }
  if (isLanguageType(object)) {
    Reference shown(PyObject_Repr(object));
    text += "type " + textOf(shown.get());
    return bool(shown);
  }
  Parts parts = partsOf(object);
  if (isA(object, package->jitCallableClass))
    text += "function " + stringAttribute(object, "_own_key");
  else if (parts.empty() || parts.front().first == "__class__") {
    if (!appendObject(object, text))
      return false;
  }
  text += "(";
  for (const auto &[name, part] : parts) {
    text += name + "=";
    if (!append(part.get(), text, depth + 1))
      return false;
    text += ", ";
  }
  text += ")";
  return true;
}

bool appendFingerprint(PyObject *object, std::string &text) { return append(object, text, 0); }

} // namespace triton::python
