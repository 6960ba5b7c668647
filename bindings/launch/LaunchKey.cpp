// Which values count as never changing is decided here.
#include "bindings/launch/LaunchKey.h"

#include "bindings/Package.h"
#include "bindings/Reference.h"
#include "bindings/launch/Array.h"
#include "bindings/launch/DescriptorArgument.h"
#include "bindings/launch/KernelObject.h"

#include <bit>

namespace triton::python {

enum Tag : uint64_t {
  Identity = 1,
  ExactInteger,
  WideInteger,
  ExactReal,
  Text,
  TupleBegin,
  ConstantNone,
  ConstantTrue,
  ConstantFalse,
  Callable,
};

bool KeyPart::matches(const KeyPart &other) const {
  if (tag != other.tag || value != other.value)
    return false;
  if (tag != Text && tag != WideInteger)
    return true;
  return object == other.object ||
         PyObject_RichCompareBool(object, other.object, Py_EQ) == 1; // exact str or int: no Python code runs
}

bool LaunchKey::addConstant(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyLong_Type) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    overflow ? append({WideInteger, object, uint64_t(PyObject_Hash(object))})
             : append({ExactInteger, nullptr, uint64_t(value)});
  } else if (object == Py_None || object == Py_True || object == Py_False)
    append({object == Py_None ? ConstantNone : object == Py_True ? ConstantTrue : ConstantFalse, nullptr, 0});
  else if (type == &PyUnicode_Type)
    append({Text, object, uint64_t(PyObject_Hash(object))});
  else if (type == &PyFloat_Type)
    append({ExactReal, nullptr, std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(object))});
  else if (type == &PyTuple_Type) {
    append({TupleBegin, nullptr, uint64_t(PyTuple_GET_SIZE(object))});
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(object); ++index)
      if (!addConstant(PyTuple_GET_ITEM(object, index)))
        return false;
  } else if (isLanguageType(object))
    addIdentity(object);
  else if (isKernelObject(object)) {
    // A jitted function counts as unchanged as long as its key has not been reset or recomputed.
    PyObject *hash = kernelHash(object);
    if (!hash || hash == Py_None)
      return false;
    append({Callable, object, reinterpret_cast<uint64_t>(object)});
    append({Text, hash, uint64_t(PyObject_Hash(hash))});
  } else if (PyObject *value = constexprValue(object)) {
    append({Identity, nullptr, 0}); // tells a wrapped value from a plain one
    Reference owned(value);
    return addConstant(value) && Py_REFCNT(value) > 1;
  } else if (Reference number(numberOfScalar(object)); number) {
    // Nobody holds the number: a key can have it if it keeps the value alone.
    int overflow = 0;
    if (PyLong_CheckExact(number.get()))
      PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    return !overflow && addConstant(number.get());
  } else
    return false;
  return true;
}

bool LaunchKey::addArgument(PyObject *object, const Argument &argument, bool specializeValue, bool align) {
  if (uint64_t tag = dispatch::tagOf(argument)) {
    addTag(tag & dispatch::tagMask(specializeValue, align));
    return true;
  }
  const uint64_t tag = dispatch::baseTagOf(argument);
  switch (argument.kind) {
  case ArgumentKind::Constexpr:
  case ArgumentKind::Callable:
    addTag(tag);
    return addConstant(object);
  case ArgumentKind::Tuple: {
    append({tag, nullptr, uint64_t(PyTuple_GET_SIZE(object))});
    addIdentity(reinterpret_cast<PyObject *>(Py_TYPE(object)));
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(object); ++index) {
      Argument element;
      PyObject *holder = nullptr;
      bool isGood = classify(PyTuple_GET_ITEM(object, index), element, &holder);
      Reference owned(holder);
      if (!isGood || !addArgument(PyTuple_GET_ITEM(object, index), element, true, true)) {
        PyErr_Clear(); // the general path will find and report it
        return false;
      }
    }
    return true;
  }
  case ArgumentKind::Descriptor: {
    if (Py_TYPE(object) != Package::get()->plainDescriptorClass) // other classes may have more that counts
      return false;
    ScalarType element = noScalarType;
    std::vector<int64_t> block;
    if (!readDescriptorType(object, element, block)) {
      PyErr_Clear();
      return false;
    }
    append({tag | uint64_t(uint8_t(element)) << 40, nullptr, block.size()});
    for (int64_t size : block)
      append({ExactInteger, nullptr, uint64_t(size)});
    return true;
  }
  default:
    return false;
  }
}

bool LaunchKey::matches(const LaunchKey &other) const {
  if (hash != other.hash || parts.size() != other.parts.size())
    return false;
  for (size_t index = 0; index < parts.size(); ++index)
    if (!parts[index].matches(other.parts[index]))
      return false;
  return true;
}

void LaunchKey::own() {
  for (KeyPart &part : parts)
    Py_XINCREF(part.object);
}

void LaunchKey::disown() {
  for (KeyPart &part : parts)
    Py_CLEAR(part.object);
}

int LaunchKey::traverse(visitproc visit, void *arg) const {
  for (const KeyPart &part : parts)
    Py_VISIT(part.object);
  return 0;
}

} // namespace triton::python
