// `triton._C.libtriton.emission`: the functions by which tl.tensor's operators and `_semantic` reach the compile in progress.
#include "bindings/interpreter/TensorObject.h"

#include "bindings/Package.h"
#include "bindings/Result.h"
#include "bindings/Submodules.h"
#include "bindings/host/Conversion.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace triton::python {

using embed::Value;

static thread_local embed::Emission *emission = nullptr;

embed::Emission *currentEmission() { return emission; }
EmissionScope::EmissionScope(embed::Emission &inner) : previous(std::exchange(emission, &inner)) {}
EmissionScope::~EmissionScope() { emission = previous; }

const Value *valueOf(PyObject *object) {
  if (nb::isinstance<Value>(nb::handle(object)))
    return nb::inst_ptr<Value>(object);
  const Package *package = Package::get();
  if (!package || !isA(object, package->baseValueClass))
    return nullptr;
  Reference handle(PyObject_GetAttrString(object, "handle")); // which the object keeps
  PyErr_Clear();
  return handle && nb::isinstance<Value>(nb::handle(handle.get())) ? nb::inst_ptr<Value>(handle.get()) : nullptr;
}

PyObject *makeHandle(const Value &value) { return nb::cast(value).release().ptr(); }

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

static embed::Emission &inProgress() {
  if (!emission)
    throw nb::value_error(
        "Did you forget to add @triton.jit ? (kernel values can only be worked with while a kernel is compiled)");
  return *emission;
}

static Value read(nb::handle object) { return take(toValue(object.ptr())); }

static nb::object give(embed::Result<Value> result) {
  if (auto *value = std::get_if<Value>(&result))
    return take(toPython(*value, Wrapping::Kernel));
  // Python's own exceptions by their names; what only a compile raises is a ValueError here.
  auto &error = std::get<embed::Error>(result);
  PyObject *known = PyDict_GetItemString(PyEval_GetBuiltins(), error.exception.c_str());
  PyErr_SetString(known && PyExceptionClass_Check(known) ? known : PyExc_ValueError, error.message.c_str());
  throw nb::python_error();
}

static nb::object emitAttribute(nb::handle object, const std::string &name) {
  embed::Emission &current = inProgress();
  const Value value = read(object);
  embed::Result<std::optional<Value>> result = current.attribute(value, name);
  if (auto *error = std::get_if<embed::Error>(&result))
    return give(*error);
  if (auto &found = std::get<std::optional<Value>>(result))
    return give(*found);
  throw nb::attribute_error(("a value of type " + value.type().name + " has no attribute '" + name + "'").c_str());
}

static nb::object emitCall(nb::handle callable, const nb::tuple &positional, const nb::dict &keywords) {
  embed::Emission &current = inProgress();
  const Value function = read(callable);
  embed::CallArguments arguments;
  for (nb::handle argument : positional)
    arguments.positional.push_back(read(argument));
  for (auto [name, argument] : keywords)
    arguments.keywords.emplace_back(nb::cast<std::string>(name), read(argument));
  return give(current.call(function, arguments));
}

/// In interpreter mode, the elements as a numpy array.
static nb::object dataOf(const Value &value) {
  nb::object data = nb::module_::import_("triton.runtime.interpreter").attr("stored_data_of")(give(value));
  if (data.is_none())
    throw nb::attribute_error("values have data in interpreter mode only");
  return data;
}

void addTensorObject(nb::module_ &parent) {
  nb::class_<Value>(parent, "ValueHandle", "A value of kernel code; only good during the compile that made it.")
      .def_prop_ro("data", &dataOf, "The elements, in interpreter mode.")
      .def("__repr__", [](const Value &value) { return "<value " + value.str() + ">"; });
  nb::module_ module = parent.def_submodule("emission", "The compile in progress, for Python code that emits code.");
  module.def(
      "binary",
      [](const std::string &operation, nb::handle lhs, nb::handle rhs) {
        embed::Emission &current = inProgress();
        const Value left = read(lhs);
        return give(current.binary(operation, left, read(rhs)));
      },
      nb::arg("operator"), nb::arg("lhs").none(), nb::arg("rhs").none());
  module.def(
      "unary",
      [](const std::string &operation, nb::handle operand) {
        return give(inProgress().unary(operation, read(operand)));
      },
      nb::arg("operator"), nb::arg("operand").none());
  module.def(
      "subscript",
      [](nb::handle object, nb::handle index) {
        embed::Emission &current = inProgress();
        const Value value = read(object);
        return give(current.subscript(value, read(index)));
      },
      nb::arg("value").none(), nb::arg("index").none());
  module.def("attribute", &emitAttribute, nb::arg("value").none(), nb::arg("name"));
  module.def(
      "to_tensor", [](nb::handle value) { return give(inProgress().toTensor(read(value))); }, nb::arg("value").none());
  module.def("call", &emitCall, nb::arg("callable").none(), nb::arg("args"), nb::arg("kwargs"));
}

} // namespace triton::python
