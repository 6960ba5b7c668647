// Order matters and is the contract: exact types first, then None, tuples, constexprs, descriptors, jitted functions, subclasses of int and float, numpy's scalars, and other memory.
#include "bindings/launch/Argument.h"

#include "bindings/Package.h"
#include "bindings/Reference.h"
#include "bindings/Result.h"
#include "bindings/launch/Array.h"
#include "bindings/launch/CompactInteger.h"
#include "bindings/launch/DescriptorArgument.h"

namespace triton::python {

bool raise(const dispatch::Outcome &outcome) {
  if (!outcome)
    return true;
  setError(outcome->exception, outcome->message);
  return false;
}

static bool classifyInteger(PyObject *object, Argument &argument) {
  int64_t compact = 0;
  if (readCompact(object, compact)) {
    argument.setInteger32(compact);
    return true;
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && PyErr_Occurred())
    return false;
  if (overflow > 0) {
    unsigned long long wide = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      PyErr_Format(PyExc_OverflowError, "integer argument %R does not fit in 64 bits", object);
      return false;
    }
    argument.setNatural(wide);
    return true;
  }
  if (overflow < 0) {
    PyErr_Format(PyExc_OverflowError, "integer argument %R does not fit in 64 bits", object);
    return false;
  }
  argument.setInteger(value);
  return true;
}

static bool classifyReal(PyObject *object, Argument &argument) {
  argument.setReal(PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyFloat_AsDouble(object));
  return argument.real != -1 || !PyErr_Occurred();
}

bool classify(PyObject *object, Argument &argument, PyObject **holder) {
  *holder = nullptr;
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyLong_Type)
    return classifyInteger(object, argument);
  if (type == &PyFloat_Type)
    return classifyReal(object, argument);
  if (type == &PyBool_Type) {
    argument.setBoolean(object == Py_True);
    return true;
  }
  if (object == Py_None) {
    argument.kind = ArgumentKind::None;
    return true;
  }
  if (isArray(type))
    return classifyArray(object, argument, holder);
  const Package *package = Package::get();
  if (!package)
    return false;
  if (PyTuple_Check(object))
    argument.kind = ArgumentKind::Tuple;
  else if (isA(object, package->constexprClass))
    argument.kind = ArgumentKind::Constexpr;
  else if (isA(object, package->descriptorClass))
    argument.kind = ArgumentKind::Descriptor;
  else if (isA(object, package->jitCallableClass))
    argument.kind = ArgumentKind::Callable;
  else if (PyLong_Check(object))
    return classifyInteger(object, argument);
  else if (PyFloat_Check(object))
    return classifyReal(object, argument);
  else if (Reference number(numberOfScalar(object)); number)
    return classify(number.get(), argument, holder);
  else
    return classifyMemory(object, argument, holder);
  return true;
}

// Specialisation as Python objects: what the binder, hooks and Inductor see.

static PyObject *pair(PyObject *type, PyObject *key) { // steals both
  if (!type || !key) {
    Py_XDECREF(type);
    Py_XDECREF(key);
    return nullptr;
  }
  PyObject *result = PyTuple_New(2);
  PyTuple_SET_ITEM(result, 0, type);
  PyTuple_SET_ITEM(result, 1, key);
  return result;
}

static PyObject *text(std::string_view string) {
  return PyUnicode_FromStringAndSize(string.data(), Py_ssize_t(string.size()));
}

/// A tuple, or the named tuple of the same class.
static PyObject *likeTuple(PyObject *model, PyObject *elements) { // steals `elements`
  if (!elements || Py_TYPE(model) == &PyTuple_Type || !PyObject_HasAttrString(model, "_fields"))
    return elements;
  Reference stolen(elements);
  return PyObject_Call(reinterpret_cast<PyObject *>(Py_TYPE(model)), elements, nullptr);
}

static PyObject *specializeTuple(PyObject *backend, PyObject *tuple) {
  Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  Reference types(PyTuple_New(size)), keys(PyTuple_New(size));
  for (Py_ssize_t index = 0; index < size; ++index) {
    Reference element(specialize(backend, PyTuple_GET_ITEM(tuple, index), dispatch::Parameter()));
    if (!element)
      return nullptr;
    PyTuple_SET_ITEM(types.get(), index, Py_NewRef(PyTuple_GET_ITEM(element.get(), 0)));
    PyTuple_SET_ITEM(keys.get(), index, Py_NewRef(PyTuple_GET_ITEM(element.get(), 1)));
  }
  return pair(likeTuple(tuple, types.release()), likeTuple(tuple, keys.release()));
}

static PyObject *specializeDescriptor(PyObject *descriptor) {
  Reference base(PyObject_GetAttrString(descriptor, "base"));
  Reference dtype(base ? PyObject_GetAttrString(base.get(), "dtype") : nullptr);
  ScalarType element = dtype ? scalarTypeOfDtype(dtype.get()) : noScalarType;
  std::vector<int64_t> block;
  if (element == noScalarType || !readBlockShape(descriptor, block))
    return nullptr;
  std::string type = dispatch::descriptorType(element, block);
  Reference layout(PyObject_GetAttrString(descriptor, "layout"));
  PyErr_Clear();
  if (!layout)
    return pair(text(type), Py_NewRef(Py_None));
  type.pop_back(); // of Gluon's: the layout stands after the shape
  Reference module(PyImport_ImportModule("triton.experimental.gluon._runtime"));
  Reference made(module ? PyObject_GetAttrString(module.get(), "DescriptorType") : nullptr);
  Reference shown(PyUnicode_FromFormat("%s,%R>", type.c_str(), layout.get()));
  return made && shown
             ? pair(PyObject_CallFunctionObjArgs(made.get(), shown.get(), layout.get(), nullptr), Py_NewRef(Py_None))
             : nullptr;
}

/// Backends written in Python may decide about tensors and integers themselves.
static PyObject *backendKey(PyObject *backend, const char *method, PyObject *object, bool align) {
  Reference function(PyObject_GetAttrString(backend, method));
  Reference arguments(PyTuple_Pack(1, object)), keywords(Py_BuildValue("{s:O}", "align", align ? Py_True : Py_False));
  return function ? PyObject_Call(function.get(), arguments.get(), keywords.get()) : nullptr;
}

static bool isTrue(PyObject *backend, const char *attribute, bool otherwise = false) {
  Reference flag(PyObject_GetAttrString(backend, attribute));
  if (!flag)
    PyErr_Clear();
  return flag ? PyObject_IsTrue(flag.get()) != 0 : otherwise;
}

static bool decidesItself(PyObject *backend) {
  return !isTrue(backend, "supports_native_tensor_specialization", /*otherwise=*/true);
}

/// The part of a key that is about a value.
static PyObject *keyOf(PyObject *backend, PyObject *object, const Argument &argument,
                       const dispatch::Parameter &parameter, const dispatch::Specialization &special) {
  if (!special.looksAtValue)
    return Py_NewRef(Py_None);
  if (argument.isOne())
    return PyLong_FromLong(1); // of a parameter whose annotation keeps it from being a constant
  if (decidesItself(backend)) {
    const char *method =
        argument.kind == ArgumentKind::Pointer ? "get_tensor_specialization" : "get_int_specialization";
    return backendKey(backend, method, object, parameter.specializesAlignment);
  }
  std::string key = special.isDivisible ? "D" : "";
  if (special.isSmall && isTrue(backend, "specializes_storage"))
    key += "S";
  return text(key);
}

PyObject *specialize(PyObject *backend, PyObject *object, const dispatch::Parameter &parameter) {
  Argument argument;
  PyObject *holder = nullptr;
  if (!classify(object, argument, &holder))
    return nullptr;
  Reference owned(holder);
  switch (argument.kind) {
  case ArgumentKind::Tuple:
    return specializeTuple(backend, object);
  case ArgumentKind::Descriptor:
    return specializeDescriptor(object);
  case ArgumentKind::Unknown:
    PyErr_Format(PyExc_TypeError, "failed to specialize argument of type: %s", Py_TYPE(object)->tp_name);
    return nullptr;
  default:
    break;
  }
  dispatch::Specialization special = dispatch::specialize(parameter, argument);
  if (!special.isConstant)
    return pair(text(special.type), keyOf(backend, object, argument, parameter, special));
  PyObject *value = argument.kind == ArgumentKind::Callable ? PyObject_GetAttrString(object, "cache_key")
                    : argument.isOne()                      ? PyLong_FromLong(1)
                                                            : Py_NewRef(object);
  return pair(text("constexpr"), value);
}

} // namespace triton::python
