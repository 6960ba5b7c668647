// Packs the arguments into the block the kernel reads, lets go of the interpreter lock, runs the grid.
#include "bindings/launch/HostLauncher.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include <triton/embed.h>

#include <string>

namespace triton::python {

namespace {
struct HostFunction {
  PyObject_HEAD embed::HostKernel *kernel;
};

struct HostLauncher {
  Launcher base;
  embed::HostKernel::Launch how;
};
} // namespace

static PyTypeObject *hostFunctionType = nullptr, *hostLauncherType = nullptr;

/// Whether an object says that it has elements.
static bool hasElements(PyObject *object) {
  Reference count(PyObject_CallMethod(object, "numel", nullptr));
  PyErr_Clear();
  return count && PyLong_Check(count.get()) && PyObject_IsTrue(count.get()) == 1;
}

static bool resolve(const ArgumentSlot &slot, PyObject *object, const Argument &argument, uint64_t &) {
  if (argument.memory == Memory::Unknown && !argument.bits && hasElements(object)) {
    PyErr_Format(PyExc_ValueError, "argument '%s' has elements and no memory (%s, whose data_ptr() is 0)",
                 slot.name.c_str(), Py_TYPE(object)->tp_name);
    return false;
  }
  if (argument.memory != Memory::Device)
    return true;
  PyErr_Format(PyExc_ValueError,
               "Pointer argument (at %d) cannot be accessed from Triton (a tensor of another device, and this "
               "kernel runs on the CPU)",
               int(slot.parameter));
  return false;
}

static bool launch(Launcher &launcher, const Invocation &invocation) {
  if (Py_TYPE(invocation.function) != hostFunctionType) {
    PyErr_Format(PyExc_TypeError, "expected the kernel's function, got %s", Py_TYPE(invocation.function)->tp_name);
    return false;
  }
  const int32_t *grid = invocation.grid;
  if (isEmpty(grid))
    return true;
  ArgumentBlock block;
  if (!block.pack(launcher, invocation, resolve))
    return false;
  const embed::HostKernel &kernel = *reinterpret_cast<HostFunction *>(invocation.function)->kernel;
  std::optional<std::string> error =
      unlocked([&] { return kernel.launch(block.data(), grid, reinterpret_cast<HostLauncher &>(launcher).how); });
  if (error && !raiseInterruption())
    PyErr_SetString(PyExc_RuntimeError, error->c_str());
  return !error;
}

static bool isCurrent(Launcher &, PyObject *) { return true; }

/// HostLauncher(signature: list of types, metadata)
static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *signature = nullptr, *metadata = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &signature, &metadata))
    return nullptr;
  const bool waits = factOf(metadata, "waits_for_programs"), polls = factOf(metadata, "polls");
  Launcher *self = PyErr_Occurred() ? nullptr : createLauncher(type, signature, metadata);
  if (self) {
    self->hasStreams = false;
    self->memory = Memory::Host;
    self->launch = launch;
    self->isCurrent = isCurrent;
    reinterpret_cast<HostLauncher *>(self)->how = {0, isInterrupted, waits, polls};
  }
  return reinterpret_cast<PyObject *>(self);
}

/// HostFunction(object: bytes, symbol: str, arena_bytes: int)
static PyObject *createFunction(PyTypeObject *type, PyObject *arguments, PyObject *) {
  const char *object = nullptr, *symbol = nullptr;
  Py_ssize_t objectSize = 0;
  unsigned long long arenaBytes = 0;
  if (!PyArg_ParseTuple(arguments, "y#sK", &object, &objectSize, &symbol, &arenaBytes))
    return nullptr;
  embed::Result<embed::HostKernel> kernel =
      unlocked([&] { return embed::HostKernel::load({object, size_t(objectSize)}, symbol, arenaBytes); });
  if (auto *error = std::get_if<embed::Error>(&kernel)) {
    PyErr_SetString(PyExc_RuntimeError, error->message.c_str());
    return nullptr;
  }
  auto *self = reinterpret_cast<HostFunction *>(type->tp_alloc(type, 0));
  if (self)
    self->kernel = new embed::HostKernel(std::move(std::get<embed::HostKernel>(kernel)));
  return reinterpret_cast<PyObject *>(self);
}

static void destroyFunction(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<HostFunction *>(object)->kernel;
  type->tp_free(object);
  Py_DECREF(type);
}

static PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("Packs a kernel's arguments and launches it on the CPU.")},
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_members, launcherMembers},
    {0, nullptr},
};
static PyType_Spec launcherSpec = {"triton._C.libtriton.HostLauncher", sizeof(HostLauncher), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, launcherSlots};

static PyType_Slot functionSlots[] = {
    {Py_tp_doc, const_cast<char *>("Code of the CPU target, loaded.")},
    {Py_tp_new, reinterpret_cast<void *>(createFunction)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyFunction)},
    {0, nullptr},
};
static PyType_Spec functionSpec = {"triton._C.libtriton.HostFunction", sizeof(HostFunction), 0, Py_TPFLAGS_DEFAULT,
                                   functionSlots};

bool addHostLauncher(PyObject *module) {
  hostFunctionType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&functionSpec));
  hostLauncherType = reinterpret_cast<PyTypeObject *>(
      PyType_FromSpecWithBases(&launcherSpec, reinterpret_cast<PyObject *>(launcherType)));
  return hostFunctionType && hostLauncherType &&
         PyModule_AddObjectRef(module, "HostFunction", reinterpret_cast<PyObject *>(hostFunctionType)) == 0 &&
         PyModule_AddObjectRef(module, "HostLauncher", reinterpret_cast<PyObject *>(hostLauncherType)) == 0;
}

} // namespace triton::python
