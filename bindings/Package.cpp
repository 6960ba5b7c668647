// Looked up on first use, not at import: the package imports this module first.
#include "bindings/Package.h"

#include "bindings/Reference.h"

namespace triton::python {

namespace {
struct Lookup {
  bool isGood = true;
  PyObject *object(const char *module, const char *name) {
    if (!isGood)
      return nullptr;
    Reference imported(PyImport_ImportModule(module));
    PyObject *found = imported ? PyObject_GetAttrString(imported.get(), name) : nullptr;
    isGood = found != nullptr;
    return found; // kept for good
  }
  PyObject *dictOf(PyObject *object) {
    PyObject *dict = isGood ? PyObject_GenericGetDict(object, nullptr) : nullptr;
    isGood = dict != nullptr;
    return dict; // kept for good
  }
  PyTypeObject *type(const char *module, const char *name) {
    PyObject *found = object(module, name);
    if (found && !PyType_Check(found)) {
      PyErr_Format(PyExc_TypeError, "%s.%s is not a class", module, name);
      isGood = false;
    }
    return reinterpret_cast<PyTypeObject *>(found);
  }
};
} // namespace

static Package *lookUp() {
  const char *core = "triton.language.core", *jit = "triton.runtime.jit", *knobs = "triton.knobs";
  Lookup lookup;
  auto *package = new Package;
  package->constexprClass = lookup.type(core, "constexpr");
  package->dtypeClass = lookup.type(core, "dtype");
  package->pointerClass = lookup.type(core, "pointer_type");
  package->blockClass = lookup.type(core, "block_type");
  package->tensorClass = lookup.type(core, "tensor");
  package->tupleClass = lookup.type(core, "tuple");
  package->sliceClass = lookup.type(core, "slice");
  package->descriptorValueClass = lookup.type(core, "tensor_descriptor");
  package->baseValueClass = lookup.type(core, "base_value");
  package->jitCallableClass = lookup.type(jit, "JITCallable");
  package->jitFunctionClass = lookup.type(jit, "JITFunction");
  package->constexprFunctionClass = lookup.type(jit, "ConstexprFunction");
  package->descriptorClass = lookup.type("triton.tools.tensor_descriptor", "HostDescriptor");
  package->plainDescriptorClass = lookup.type("triton.tools.tensor_descriptor", "TensorDescriptor");
  package->hookChainClass = lookup.type(knobs, "HookChain");
  package->runtimeKnobs = lookup.object(knobs, "runtime");
  package->compilationKnobs = lookup.object(knobs, "compilation");
  package->driverConfig = lookup.object("triton.runtime", "driver");
  package->runtimeKnobsDict = lookup.dictOf(package->runtimeKnobs);
  package->compilationKnobsDict = lookup.dictOf(package->compilationKnobs);
  package->driverConfigDict = lookup.dictOf(package->driverConfig);
  package->coreModule = lookup.isGood ? PyImport_ImportModule(core) : nullptr;
  if (lookup.isGood && package->coreModule)
    return package;
  delete package;
  return nullptr;
}

const Package *Package::get() {
  static Package *package = nullptr;
  if (!package)
    package = lookUp();
  return package;
}

bool isLanguageType(PyObject *object) {
  const Package *package = Package::get();
  return package && isA(object, package->dtypeClass);
}

PyObject *constexprValue(PyObject *object) {
  const Package *package = Package::get();
  if (!package || !isA(object, package->constexprClass))
    return nullptr;
  return PyObject_GetAttrString(object, "value");
}

} // namespace triton::python
