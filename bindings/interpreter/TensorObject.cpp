// `triton._C.libtriton.emission`: the functions by which tl.tensor's operators and `_semantic` reach the compile in progress.
#include "bindings/interpreter/TensorObject.h"

#include "bindings/Package.h"
#include "bindings/host/Conversion.h"

namespace triton::python {

using embed::Value;

namespace {
struct ValueHandle {
  PyObject_HEAD Value *value;
};
} // namespace

static PyTypeObject *handleType;
static thread_local embed::Emission *emission = nullptr;

embed::Emission *currentEmission() { return emission; }
EmissionScope::EmissionScope(embed::Emission &inner) : previous(std::exchange(emission, &inner)) {}
EmissionScope::~EmissionScope() { emission = previous; }

const Value *valueOf(PyObject *object) {
  if (Py_TYPE(object) == handleType)
    return reinterpret_cast<ValueHandle *>(object)->value;
  const Package *package = Package::get();
  if (!package || !isA(object, package->baseValueClass))
    return nullptr;
  Reference handle(PyObject_GetAttrString(object, "handle"));
  PyErr_Clear();
  return handle && Py_TYPE(handle.get()) == handleType ? reinterpret_cast<ValueHandle *>(handle.get())->value : nullptr;
}

PyObject *makeHandle(const Value &value) {
  PyObject *handle = handleType->tp_alloc(handleType, 0);
  if (handle)
    reinterpret_cast<ValueHandle *>(handle)->value = new Value(value);
  return handle;
}

PyObject *wrapValue(const Value &value, PyObject *cls, Reference type) {
  Reference handle(type ? makeHandle(value) : nullptr);
  return handle ? PyObject_CallFunctionObjArgs(cls, handle.get(), type.get(), nullptr) : nullptr;
}

PyObject *unpackAggregate(const Value &value) {
  std::vector<std::string> fields = value.fields();
  std::vector<Value> elements = value.elements();
  Reference attributes(PyDict_New());
  for (size_t index = 0; index < fields.size(); ++index) {
    Reference element(toPython(elements[index], Wrapping::Kernel));
    if (!element || PyDict_SetItemString(attributes.get(), fields[index].c_str(), element.get()) < 0)
      return nullptr;
  }
  Reference make(PyObject_GetAttrString(Package::get()->coreModule, "_restore_aggregate"));
  return make ? PyObject_CallFunctionObjArgs(make.get(), objectOf(value.object()), attributes.get(), nullptr) : nullptr;
}

// Functions of the module.

static embed::Emission *requireEmission() {
  if (!emission)
    PyErr_SetString(
        PyExc_ValueError,
        "Did you forget to add @triton.jit ? (kernel values can only be worked with while a kernel is compiled)");
  return emission;
}

static PyObject *give(embed::Result<Value> result) {
  auto *error = std::get_if<embed::Error>(&result);
  if (!error)
    return toPython(std::get<Value>(result), Wrapping::Kernel);
  // Python's own exceptions by their names; what only a compile raises is a ValueError here.
  PyObject *known = PyDict_GetItemString(PyEval_GetBuiltins(), error->exception.c_str());
  PyErr_SetString(known && PyExceptionClass_Check(known) ? known : PyExc_ValueError, error->message.c_str());
  return nullptr;
}

static PyObject *emitBinary(PyObject *, PyObject *arguments) {
  const char *name = nullptr;
  PyObject *lhs, *rhs;
  if (!PyArg_ParseTuple(arguments, "sOO", &name, &lhs, &rhs) || !requireEmission())
    return nullptr;
  std::optional<Value> left = toValue(lhs), right = left ? toValue(rhs) : std::nullopt;
  return right ? give(emission->binary(name, *left, *right)) : nullptr;
}

static PyObject *emitUnary(PyObject *, PyObject *arguments) {
  const char *name = nullptr;
  PyObject *operand;
  if (!PyArg_ParseTuple(arguments, "sO", &name, &operand) || !requireEmission())
    return nullptr;
  std::optional<Value> value = toValue(operand);
  return value ? give(emission->unary(name, *value)) : nullptr;
}

static PyObject *emitSubscript(PyObject *, PyObject *arguments) {
  PyObject *object, *index;
  if (!PyArg_ParseTuple(arguments, "OO", &object, &index) || !requireEmission())
    return nullptr;
  std::optional<Value> value = toValue(object), position = value ? toValue(index) : std::nullopt;
  return position ? give(emission->subscript(*value, *position)) : nullptr;
}

static PyObject *emitAttribute(PyObject *, PyObject *arguments) {
  PyObject *object;
  const char *name = nullptr;
  if (!PyArg_ParseTuple(arguments, "Os", &object, &name) || !requireEmission())
    return nullptr;
  std::optional<Value> value = toValue(object);
  if (!value)
    return nullptr;
  embed::Result<std::optional<Value>> result = emission->attribute(*value, name);
  if (auto *error = std::get_if<embed::Error>(&result))
    return give(*error);
  std::optional<Value> &found = std::get<std::optional<Value>>(result);
  if (found)
    return give(*found);
  PyErr_Format(PyExc_AttributeError, "a value of type %s has no attribute '%s'", value->type().name.c_str(), name);
  return nullptr;
}

static PyObject *emitTensor(PyObject *, PyObject *object) {
  if (!requireEmission())
    return nullptr;
  std::optional<Value> value = toValue(object);
  return value ? give(emission->toTensor(*value)) : nullptr;
}

/// call(callable, args, kwargs)
static PyObject *emitCall(PyObject *, PyObject *arguments) {
  PyObject *callable, *positional, *keywords;
  if (!PyArg_ParseTuple(arguments, "OO!O!", &callable, &PyTuple_Type, &positional, &PyDict_Type, &keywords) ||
      !requireEmission())
    return nullptr;
  std::optional<Value> function = toValue(callable);
  if (!function)
    return nullptr;
  embed::CallArguments out;
  for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(positional); ++index) {
    std::optional<Value> value = toValue(PyTuple_GET_ITEM(positional, index));
    if (!value)
      return nullptr;
    out.positional.push_back(std::move(*value));
  }
  PyObject *name, *object;
  for (Py_ssize_t position = 0; PyDict_Next(keywords, &position, &name, &object);) {
    std::optional<Value> value = toValue(object);
    const char *text = PyUnicode_AsUTF8(name);
    if (!value || !text)
      return nullptr;
    out.keywords.emplace_back(text, std::move(*value));
  }
  return give(emission->call(*function, out));
}

static PyMethodDef functions[] = {
    {"binary", emitBinary, METH_VARARGS, "binary(operator, lhs, rhs)"},
    {"unary", emitUnary, METH_VARARGS, "unary(operator, operand)"},
    {"subscript", emitSubscript, METH_VARARGS, "subscript(value, index)"},
    {"attribute", emitAttribute, METH_VARARGS, "attribute(value, name)"},
    {"to_tensor", emitTensor, METH_O, "to_tensor(value)"},
    {"call", emitCall, METH_VARARGS, "call(callable, args, kwargs)"},
    {nullptr, nullptr, 0, nullptr},
};
static PyModuleDef moduleDefinition = {PyModuleDef_HEAD_INIT,
                                       "emission",
                                       "The compile in progress, for Python code that emits code.",
                                       -1,
                                       functions,
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       nullptr};

static void destroyHandle(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<ValueHandle *>(object)->value;
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject *representHandle(PyObject *object) {
  return PyUnicode_FromFormat("<value %s>", reinterpret_cast<ValueHandle *>(object)->value->str().c_str());
}

/// In interpreter mode, the elements as a numpy array.
static PyObject *dataOfHandle(PyObject *object, void *) {
  Reference tensor(toPython(*reinterpret_cast<ValueHandle *>(object)->value, Wrapping::Kernel));
  Reference interpreter(tensor ? PyImport_ImportModule("triton.runtime.interpreter") : nullptr);
  Reference data(interpreter ? PyObject_CallMethod(interpreter.get(), "stored_data_of", "O", tensor.get()) : nullptr);
  if (data && data.get() == Py_None) {
    PyErr_SetString(PyExc_AttributeError, "values have data in interpreter mode only");
    return nullptr;
  }
  return data.release();
}

static PyGetSetDef handleProperties[] = {{"data", dataOfHandle, nullptr, "The elements, in interpreter mode.", nullptr},
                                         {nullptr, nullptr, nullptr, nullptr, nullptr}};

static PyType_Slot handleSlots[] = {
    {Py_tp_getset, handleProperties},
    {Py_tp_doc, const_cast<char *>("A value of kernel code; only good during the compile that made it.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyHandle)},
    {Py_tp_repr, reinterpret_cast<void *>(representHandle)},
    {0, nullptr},
};
static PyType_Spec handleSpec = {"triton._C.libtriton.ValueHandle", sizeof(ValueHandle), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, handleSlots};

bool addTensorObject(PyObject *module) {
  handleType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&handleSpec));
  Reference emissionModule(PyModule_Create(&moduleDefinition));
  return handleType && emissionModule &&
         PyModule_AddObjectRef(module, "ValueHandle", reinterpret_cast<PyObject *>(handleType)) == 0 &&
         PyModule_AddObjectRef(module, "emission", emissionModule.get()) == 0;
}

} // namespace triton::python
