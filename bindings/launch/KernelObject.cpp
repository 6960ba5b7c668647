#include "bindings/launch/KernelObject.h"

#include "bindings/launch/BoundLaunch.h"
#include "bindings/launch/RepeatedCall.h"

namespace triton::python {

namespace {
struct KernelObject {
  PyObject_HEAD KernelState *state;
};
} // namespace

static PyTypeObject *kernelType;
static PyObject *hashName = PyUnicode_InternFromString("hash");

bool isKernelObject(PyObject *object) { return PyObject_TypeCheck(object, kernelType); }

KernelState &stateOf(PyObject *kernel) { return *reinterpret_cast<KernelObject *>(kernel)->state; }
ParsedFunction &parsedFunction(PyObject *kernel) { return stateOf(kernel).parsed; }

PyObject *kernelHash(PyObject *kernel) {
  Reference hash(PyObject_GetAttr(kernel, hashName));
  if (!hash)
    PyErr_Clear();
  return hash.get(); // the kernel holds it
}

static PyObject *createKernel(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *object = type->tp_alloc(type, 0);
  if (object)
    reinterpret_cast<KernelObject *>(object)->state = new KernelState;
  return object;
}

static int traverseKernel(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  KernelState *state = reinterpret_cast<KernelObject *>(object)->state;
  if (!state)
    return 0;
  for (const KernelParameter &parameter : state->parameters)
    Py_VISIT(parameter.defaultValue.get());
  for (const auto &[hash, launch] : state->launches) {
    Py_VISIT(launch->kernel.get());
    Py_VISIT(launch->launcher.get());
    Py_VISIT(launch->getStream.get());
    if (int result = launch->key.traverse(visit, arg))
      return result;
  }
  for (const auto &call : state->repeated)
    if (int result = call ? call->traverse(visit, arg) : 0)
      return result;
  return state->environment.traverse(visit, arg);
}

static int clearKernel(PyObject *object) {
  if (KernelState *state = reinterpret_cast<KernelObject *>(object)->state) {
    state->forget();
    Py_CLEAR(state->parsed.source);
    state->parsed.function.reset();
  }
  return 0;
}

static void destroyKernel(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearKernel(object);
  delete std::exchange(reinterpret_cast<KernelObject *>(object)->state, nullptr);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject *forget(PyObject *kernel, PyObject *) {
  KernelState &state = stateOf(kernel);
  state.forget();
  state.isConfigured = false;
  Py_RETURN_NONE;
}

static PyMethodDef kernelMethods[] = {
    {"_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(launchMethod)), METH_FASTCALL | METH_KEYWORDS,
     "_launch(grid, *args, **kwargs): launches, natively if a launch with the same key came before, else through "
     "`_run_generally`."},
    {"_forget_launches", forget, METH_NOARGS,
     "Forgets the compiled kernels that launches have used, so that the next launch asks `device_caches`."},
    {nullptr, nullptr, 0, nullptr},
};
static PyType_Slot kernelSlots[] = {
    {Py_tp_doc, const_cast<char *>("The native half of a jitted function.")},
    {Py_tp_new, reinterpret_cast<void *>(createKernel)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseKernel)},
    {Py_tp_clear, reinterpret_cast<void *>(clearKernel)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyKernel)},
    {Py_tp_methods, kernelMethods},
    {Py_mp_subscript, reinterpret_cast<void *>(bindLaunch)},
    {0, nullptr},
};
static PyType_Spec kernelSpec = {"triton._C.libtriton.KernelBase", sizeof(KernelObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernelSlots};

bool addKernelObject(PyObject *module) {
  kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kernelSpec));
  return kernelType && addBoundLaunch() &&
         PyModule_AddObjectRef(module, "KernelBase", reinterpret_cast<PyObject *>(kernelType)) == 0;
}

} // namespace triton::python
