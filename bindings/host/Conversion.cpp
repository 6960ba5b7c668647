// What the compiler knows by itself (numbers, text, tuples, types, jitted functions, names of the language) is converted; the rest stays an object of the host.
#include "bindings/host/Conversion.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Package.h"
#include "bindings/Reference.h"
#include "bindings/Text.h"
#include "bindings/host/PythonHost.h"
#include "bindings/interpreter/TensorObject.h"
#include "bindings/launch/Array.h"
#include "bindings/launch/KernelObject.h"

namespace triton::python {

using embed::Kind;
using embed::TypeDescription;
using embed::Value;

embed::Object hold(PyObject *object) {
  Py_INCREF(object);
  return embed::Object(object, [](const void *pointer) {
    if (!Py_IsInitialized()) // the process is ending, and the object is gone already
      return;
    Locked locked;
    Py_DECREF(static_cast<PyObject *>(const_cast<void *>(pointer)));
  });
}

// Types.

static std::optional<TypeDescription> describeType(PyObject *type, const Package &package) {
  TypeDescription out;
  out.name = stringAttribute(type, "name");
  bool isBlock = isA(type, package.blockClass), isPointer = isA(type, package.pointerClass);
  if (!isBlock && !isPointer)
    return out;
  out.form = isBlock ? TypeDescription::Form::Block : TypeDescription::Form::Pointer;
  Reference element(PyObject_GetAttrString(type, "element_ty"));
  std::optional<TypeDescription> inner = element ? describeType(element.get(), package) : std::nullopt;
  if (!inner)
    return std::nullopt;
  out.element = std::make_shared<const TypeDescription>(std::move(*inner));
  if (isBlock) {
    Reference shape(PyObject_GetAttrString(type, "shape"));
    Reference items(shape ? PySequence_Tuple(shape.get()) : nullptr);
    for (Py_ssize_t index = 0; items && index < PyTuple_GET_SIZE(items.get()); ++index)
      out.shape.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(items.get(), index)));
  } else {
    Reference space(PyObject_GetAttrString(type, "address_space")), isConst(PyObject_GetAttrString(type, "const"));
    out.addressSpace = space ? unsigned(PyLong_AsLong(space.get())) : 1;
    out.isConst = isConst && PyObject_IsTrue(isConst.get()) == 1;
  }
  if (PyErr_Occurred())
    return std::nullopt;
  return out;
}

static PyObject *typeToPython(const TypeDescription &type, const Package &package) {
  switch (type.form) {
  case TypeDescription::Form::Pointer: {
    Reference element(typeToPython(*type.element, package));
    return element ? PyObject_CallFunction(reinterpret_cast<PyObject *>(package.pointerClass), "OIO", element.get(),
                                           type.addressSpace, type.isConst ? Py_True : Py_False)
                   : nullptr;
  }
  case TypeDescription::Form::Block: {
    Reference element(typeToPython(*type.element, package)), shape(PyList_New(Py_ssize_t(type.shape.size())));
    for (size_t index = 0; index < type.shape.size(); ++index)
      PyList_SET_ITEM(shape.get(), index, PyLong_FromLongLong(type.shape[index]));
    return element ? PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(package.blockClass), element.get(),
                                                  shape.get(), nullptr)
                   : nullptr;
  }
  case TypeDescription::Form::Scalar:
  case TypeDescription::Form::Other:
    break;
  }
  // The public object where there is one, so that identity works too.
  Reference scalars(PyObject_GetAttrString(package.coreModule, "_SCALAR_OBJECTS"));
  PyObject *known = scalars ? PyDict_GetItemString(scalars.get(), type.name.c_str()) : nullptr;
  if (!known && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "the type %s has no Python object", type.name.c_str());
  return Py_XNewRef(known);
}

// Python -> kernel code.

static std::optional<Value> integerToValue(PyObject *number) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (!overflow)
    return Value::integer(int64_t(small));
  Reference digits(PyNumber_ToBase(number, 16)); // "-0x1f"
  std::string text = textOf(digits.get());
  bool isNegative = text.starts_with("-");
  return Value::integer((isNegative ? "-" : "") + text.substr(isNegative ? 3 : 2));
}

static std::optional<Value> sequenceToValue(PyObject *sequence) {
  Reference items(PySequence_Tuple(sequence));
  if (!items)
    return std::nullopt;
  std::vector<Value> elements;
  for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(items.get()); ++index) {
    std::optional<Value> element = toValue(PyTuple_GET_ITEM(items.get(), index));
    if (!element)
      return std::nullopt;
    elements.push_back(std::move(*element));
  }
  Reference fields(PyTuple_Check(sequence) ? PyObject_GetAttrString(sequence, "_fields") : nullptr);
  PyErr_Clear();
  if (!fields || !PyTuple_Check(fields.get()))
    return Value::tuple(std::move(elements));
  std::vector<std::string> names;
  for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(fields.get()); ++index)
    names.push_back(textOf(PyTuple_GET_ITEM(fields.get(), index)));
  return Value::tuple(std::move(elements), std::move(names), &PythonHost::instance(),
                      hold(reinterpret_cast<PyObject *>(Py_TYPE(sequence))));
}

static std::optional<Value> sliceToValue(PyObject *slice) {
  std::vector<Value> parts;
  for (const char *name : {"start", "stop", "step"}) {
    Reference part(PyObject_GetAttrString(slice, name));
    std::optional<Value> value = part ? toValue(part.get()) : std::nullopt;
    if (!value)
      return std::nullopt;
    parts.push_back(std::move(*value));
  }
  return Value::slice(parts[0], parts[1], parts[2]);
}

/// An instance of an aggregate class: its fields in the order they are declared.
static std::optional<Value> aggregateToValue(PyObject *object) {
  PyObject *cls = reinterpret_cast<PyObject *>(Py_TYPE(object));
  Reference fields(PyObject_GetAttrString(cls, "_aggregate_fields"));
  Reference names(fields ? PySequence_List(fields.get()) : nullptr);
  if (!names)
    return std::nullopt;
  std::vector<std::string> fieldNames;
  std::vector<Value> elements;
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(names.get()); ++index) {
    Reference element(PyObject_GetAttr(object, PyList_GET_ITEM(names.get(), index)));
    std::optional<Value> value = element ? toValue(element.get()) : std::nullopt;
    if (!value)
      return std::nullopt;
    fieldNames.push_back(textOf(PyList_GET_ITEM(names.get(), index)));
    elements.push_back(std::move(*value));
  }
  return Value::aggregate(stringAttribute(cls, "__qualname__"), &PythonHost::instance(), hold(cls),
                          std::move(fieldNames), std::move(elements));
}

/// What the compiler knows under this name: builtins, library functions, the language's classes, Python's own.
static std::optional<Value> languageValue(PyObject *object) {
  std::string module = stringAttribute(object, "__module__");
  bool isPython = module == "builtins";
  if (!isPython && !module.starts_with("triton.language") && module != "triton.profiler.language" &&
      !module.starts_with("triton.experimental.gluon.language"))
    return std::nullopt;
  std::string name = stringAttribute(object, "__name__");
  if (name.empty())
    return std::nullopt;
  for (const std::string &path : {module, std::string(isPython ? "builtins" : "triton.language.core")})
    if (std::optional<embed::LanguageEntry> entry = embed::languageEntry(path, name))
      return entry->value;
  return std::nullopt;
}

static std::optional<Value> moduleValue(PyObject *module) {
  std::string path = stringAttribute(module, "__name__");
  if (path == "triton.language" || path.starts_with("triton.language."))
    return Value::module(path);
  return Value::object(PythonHost::instance(), hold(module));
}

std::optional<Value> toValue(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (object == Py_None)
    return Value();
  if (type == &PyBool_Type)
    return Value::boolean(object == Py_True);
  if (type == &PyLong_Type)
    return integerToValue(object);
  if (type == &PyFloat_Type)
    return Value::real(PyFloat_AS_DOUBLE(object));
  if (type == &PyUnicode_Type) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (!text)
      return std::nullopt;
    return Value::string(std::string(text, size_t(size)));
  }
  const Package *package = Package::get();
  if (!package)
    return std::nullopt;
  if (isA(object, package->constexprClass)) {
    Reference value(PyObject_GetAttrString(object, "value"));
    return value ? toValue(value.get()) : std::nullopt;
  }
  // A type that knows its layout stays an object, which the language asks for it.
  if (isA(object, package->dtypeClass) && !PyObject_HasAttrString(object, "layout")) {
    std::optional<TypeDescription> description = describeType(object, *package);
    return description ? std::optional(Value::type(*description)) : std::nullopt;
  }
  if (const Value *inner = valueOf(object)) // tl.tensor and its like
    return *inner;
  if (isA(object, package->baseValueClass) && PyObject_HasAttrString(object, "__triton_aggregate__"))
    return aggregateToValue(object);
  if (isA(object, package->tupleClass)) {
    Reference values(PyObject_GetAttrString(object, "values"));
    return values ? sequenceToValue(values.get()) : std::nullopt;
  }
  if (PyTuple_Check(object) || type == &PyList_Type)
    return sequenceToValue(object);
  if (PySlice_Check(object) || isA(object, package->sliceClass))
    return sliceToValue(object);
  if (object == Py_Ellipsis)
    return Value::ellipsis();
  if (isKernelObject(object)) {
    std::optional<embed::Function> function = functionOf(object);
    return function ? std::optional(Value::function(*function)) : std::nullopt;
  }
  if (PyModule_Check(object))
    return moduleValue(object);
  // A function in interpreter mode: the regions of reductions and scans are made of its compiled form.
  if (PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), "__triton_interpreted__")) {
    Reference compiled(PyObject_GetAttrString(object, "compiled"));
    return compiled ? toValue(compiled.get()) : std::nullopt;
  }
  if (std::optional<Value> known = languageValue(object))
    return known;
  // An enum's member keeps its identity even where it is a number as well.
  bool isEnumMember = PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), "__members__");
  // The language's own enum is a number to kernels.
  if (isEnumMember && stringAttribute(reinterpret_cast<PyObject *>(type), "__qualname__") == "PropagateNan" &&
      stringAttribute(reinterpret_cast<PyObject *>(type), "__module__") == "triton.language.core") {
    Reference number(PyObject_GetAttrString(object, "value"));
    return number ? toValue(number.get()) : std::nullopt;
  }
  if (!isEnumMember && PyLong_Check(object)) {
    Reference plain(PyNumber_Long(object));
    return plain ? integerToValue(plain.get()) : std::nullopt;
  }
  if (!isEnumMember && PyFloat_Check(object))
    return Value::real(PyFloat_AsDouble(object));
  if (Reference number(numberOfScalar(object)); number)
    return toValue(number.get());
  return Value::object(PythonHost::instance(), hold(object));
}

// Kernel code -> Python.

static PyObject *wrapConstant(PyObject *plain, Wrapping wrapping) { // steals
  if (!plain || wrapping == Wrapping::Plain)
    return plain;
  Reference owned(plain);
  const Package *package = Package::get();
  return package ? PyObject_CallOneArg(reinterpret_cast<PyObject *>(package->constexprClass), plain) : nullptr;
}

static PyObject *tupleToPython(const Value &value, Wrapping wrapping, const Package &package) {
  std::vector<Value> elements = value.elements();
  Reference tuple(PyTuple_New(Py_ssize_t(elements.size())));
  for (size_t index = 0; index < elements.size(); ++index) {
    PyObject *element = toPython(elements[index], wrapping);
    if (!element)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), index, element);
  }
  if (embed::Object hostClass = value.object())
    tuple = Reference(PyObject_Call(objectOf(hostClass), tuple.get(), nullptr));
  if (!tuple || wrapping == Wrapping::Plain)
    return tuple.release();
  return PyObject_CallOneArg(reinterpret_cast<PyObject *>(package.tupleClass), tuple.get());
}

static PyObject *sliceToPython(const Value &value, Wrapping wrapping, const Package &package) {
  std::vector<Value> parts = value.elements();
  Reference start(toPython(parts[0], wrapping)), stop(toPython(parts[1], wrapping)), step(toPython(parts[2], wrapping));
  if (!start || !stop || !step)
    return nullptr;
  if (wrapping == Wrapping::Plain)
    return PySlice_New(start.get(), stop.get(), step.get());
  return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(package.sliceClass), start.get(), stop.get(),
                                      step.get(), nullptr);
}

PyObject *languageObject(const std::string &path) {
  size_t dot = path.rfind('.');
  Reference module(PyImport_ImportModule(path.substr(0, dot).c_str()));
  return module ? PyObject_GetAttrString(module.get(), path.substr(dot + 1).c_str()) : nullptr;
}

/// The type of a tensor. One that knows its layout is an object that the language makes.
static PyObject *typeOfTensor(const Value &value, const Package &package) {
  const TypeDescription type = value.type();
  embed::Emission *emission = currentEmission();
  if (type.form == TypeDescription::Form::Block && emission && !emission->eager()) {
    embed::Result<std::optional<Value>> found = emission->attribute(value, "type");
    auto *object = std::get_if<std::optional<Value>>(&found);
    if (object && *object && (*object)->kind() == Kind::Object)
      return Py_NewRef(objectOf((*object)->object()));
  }
  return typeToPython(type, package);
}

/// What needs no class of the package, which may still be loading; null without an exception for the rest.
static PyObject *plainToPython(const Value &value) {
  switch (value.kind()) {
  case Kind::None:
    return Py_NewRef(Py_None);
  case Kind::Ellipsis:
    return Py_NewRef(Py_Ellipsis);
  case Kind::Boolean:
    return PyBool_FromLong(value.boolean());
  case Kind::Integer:
    if (std::optional<int64_t> small = value.integer())
      return PyLong_FromLongLong(*small);
    return PyLong_FromString(value.integerText().c_str(), nullptr, 16);
  case Kind::Real:
    return PyFloat_FromDouble(value.real());
  case Kind::String:
    return PyUnicode_DecodeUTF8(value.string().data(), Py_ssize_t(value.string().size()), "surrogatepass");
  default:
    return nullptr;
  }
}

PyObject *toPython(const Value &value, Wrapping wrapping) {
  if (PyObject *plain = plainToPython(value); plain || PyErr_Occurred())
    return wrapConstant(plain, wrapping);
  const Package *package = Package::get();
  if (!package)
    return nullptr;
  switch (value.kind()) {
  case Kind::None:
  case Kind::Ellipsis:
  case Kind::Boolean:
  case Kind::Integer:
  case Kind::Real:
  case Kind::String:
    break; // above
  case Kind::Type:
    return typeToPython(value.type(), *package);
  case Kind::Tensor:
    return wrapValue(value, reinterpret_cast<PyObject *>(package->tensorClass),
                     Reference(typeOfTensor(value, *package)));
  case Kind::Descriptor:
    return wrapValue(value, reinterpret_cast<PyObject *>(package->descriptorValueClass),
                     Reference(typeToPython(value.type(), *package)));
  case Kind::Tuple:
    return tupleToPython(value, wrapping, *package);
  case Kind::Aggregate:
    return unpackAggregate(value);
  case Kind::Slice:
    return sliceToPython(value, wrapping, *package);
  case Kind::Function:
    if (embed::Object scope = value.scope(PythonHost::instance()))
      return wrapConstant(jitFunctionOf(scope), wrapping);
    return languageObject(value.path());
  case Kind::Builtin:
    return languageObject(value.path());
  case Kind::Module:
    return PyImport_ImportModule(value.path().c_str());
  case Kind::Object:
    return wrapConstant(Py_NewRef(objectOf(value.object())), wrapping);
  case Kind::Handle: {
    Reference cls(languageObject(value.path()));
    return cls ? wrapValue(value, cls.get(), Reference::borrow(Py_None)) : nullptr;
  }
  case Kind::Method:
    return makeHandle(value);
  }
  return nullptr;
}

} // namespace triton::python
