// Order matters and is the contract: exact types first, then None, tuples, constexprs, descriptors, jitted functions, subclasses of int and float, numpy's scalars, and other memory.
#include "bindings/launch/Argument.h"

#include "bindings/Package.h"
#include "bindings/Reference.h"
#include "bindings/launch/Array.h"
#include "bindings/launch/CompactInteger.h"

#include <array>
#include <cstring>

namespace triton::python {

static constexpr std::array<std::string_view, 19> typeNames = {
    "u1",    "i8",       "i16",     "i32",      "i64",  "u8",   "u16",  "u32",  "u64", "fp8e4nv",
    "fp8e5", "fp8e4b15", "fp8e4b8", "fp8e5b16", "fp16", "bf16", "fp32", "fp64", "void"};

std::string_view nameOf(TypeCode code) { return typeNames[size_t(code)]; }

TypeCode typeCodeOf(std::string_view name) {
  for (size_t index = 0; index < typeNames.size(); ++index)
    if (typeNames[index] == name)
      return TypeCode(index);
  return TypeCode::None;
}

static bool classifyInteger(PyObject *object, Argument &argument) {
  int64_t compact = 0;
  if (readCompact(object, compact)) {
    argument.setCompact(compact);
    return true;
  }
  argument.kind = ArgumentKind::Integer;
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
    argument.bits = wide;
    argument.type = TypeCode::U64;
    return true;
  }
  if (overflow < 0) {
    PyErr_Format(PyExc_OverflowError, "integer argument %R does not fit in 64 bits", object);
    return false;
  }
  argument.bits = uint64_t(value);
  argument.type = value >= INT32_MIN && value <= INT32_MAX ? TypeCode::I32 : TypeCode::I64;
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
    argument.kind = ArgumentKind::Boolean;
    argument.type = TypeCode::U1;
    argument.bits = object == Py_True;
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

static PyObject *alignmentKey(const Argument &argument, bool specializeValue, bool align) {
  if (!specializeValue)
    return Py_NewRef(Py_None);
  return text(align && argument.isDivisibleBy16() ? "D" : "");
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
    Reference element(specialize(backend, PyTuple_GET_ITEM(tuple, index), false, true, true));
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
  TypeCode type = dtype ? typeCodeOfDtype(dtype.get()) : TypeCode::None;
  if (type == TypeCode::None)
    return nullptr;
  Reference shape(PyObject_GetAttrString(descriptor, "block_shape"));
  Reference list(shape ? PySequence_List(shape.get()) : nullptr);
  if (!list)
    return nullptr;
  Reference layout(PyObject_GetAttrString(descriptor, "layout"));
  PyErr_Clear();
  if (layout) { // of Gluon's
    Reference module(PyImport_ImportModule("triton.experimental.gluon._runtime"));
    Reference made(module ? PyObject_GetAttrString(module.get(), "DescriptorType") : nullptr);
    Reference text(PyUnicode_FromFormat("tensordesc<%s%R,%R>", nameOf(type).data(), list.get(), layout.get()));
    return made && text
               ? pair(PyObject_CallFunctionObjArgs(made.get(), text.get(), layout.get(), nullptr), Py_NewRef(Py_None))
               : nullptr;
  }
  return pair(PyUnicode_FromFormat("tensordesc<%s%R>", nameOf(type).data(), list.get()), Py_NewRef(Py_None));
}

/// Backends written in Python may decide about tensors and integers themselves.
static PyObject *backendKey(PyObject *backend, const char *method, PyObject *object, bool align) {
  Reference function(PyObject_GetAttrString(backend, method));
  Reference arguments(PyTuple_Pack(1, object)), keywords(Py_BuildValue("{s:O}", "align", align ? Py_True : Py_False));
  return function ? PyObject_Call(function.get(), arguments.get(), keywords.get()) : nullptr;
}

static bool decidesItself(PyObject *backend) {
  Reference flag(PyObject_GetAttrString(backend, "supports_native_tensor_specialization"));
  if (!flag)
    PyErr_Clear();
  return flag && PyObject_IsTrue(flag.get()) == 0;
}

PyObject *specialize(PyObject *backend, PyObject *object, bool isConst, bool specializeValue, bool align) {
  Argument argument;
  PyObject *holder = nullptr;
  if (!classify(object, argument, &holder))
    return nullptr;
  Reference owned(holder);
  switch (argument.kind) {
  case ArgumentKind::None:
    return pair(text("constexpr"), Py_NewRef(Py_None));
  case ArgumentKind::Boolean:
    return pair(text("u1"), Py_NewRef(Py_None));
  case ArgumentKind::Integer:
    if (specializeValue && argument.isOne())
      return pair(text("constexpr"), PyLong_FromLong(1));
    if (specializeValue && decidesItself(backend))
      return pair(text(nameOf(argument.type)), backendKey(backend, "get_int_specialization", object, align));
    return pair(text(nameOf(argument.type)), alignmentKey(argument, specializeValue, align));
  case ArgumentKind::Real:
    return pair(text("fp32"), Py_NewRef(Py_None));
  case ArgumentKind::Pointer: {
    PyObject *type = PyUnicode_FromFormat("%s%s", isConst ? "*k" : "*", nameOf(argument.type).data());
    if (specializeValue && decidesItself(backend))
      return pair(type, backendKey(backend, "get_tensor_specialization", object, align));
    return pair(type, alignmentKey(argument, specializeValue, align));
  }
  case ArgumentKind::Constexpr:
    return pair(text("constexpr"), Py_NewRef(object));
  case ArgumentKind::Callable:
    return pair(text("constexpr"), PyObject_GetAttrString(object, "cache_key"));
  case ArgumentKind::Tuple:
    return specializeTuple(backend, object);
  case ArgumentKind::Descriptor:
    return specializeDescriptor(object);
  case ArgumentKind::Unknown:
    break;
  }
  PyErr_Format(PyExc_TypeError, "failed to specialize argument of type: %s", Py_TYPE(object)->tp_name);
  return nullptr;
}

} // namespace triton::python
