// Packs the arguments into the block the kernel reads, lets go of the interpreter lock, runs the grid.
#include "bindings/launch/HostLauncher.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include "bindings/Result.h"

#include <triton/embed.h>

#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace triton::python {

namespace {
struct HostLauncher {
  Launcher base;
  embed::HostKernel::Launch how;
  PyObject *function; // that was launched last, or null
  const embed::HostKernel *kernel;
};
} // namespace

static PyTypeObject *hostLauncherType = nullptr;

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

static bool prepare(HostLauncher &self, PyObject *function) {
  if (!nb::isinstance<embed::HostKernel>(nb::handle(function))) {
    PyErr_Format(PyExc_TypeError, "expected the kernel's function, got %s", Py_TYPE(function)->tp_name);
    return false;
  }
  self.kernel = nb::inst_ptr<embed::HostKernel>(function);
  Py_XSETREF(self.function, Py_NewRef(function));
  return true;
}

static bool launch(Launcher &launcher, const Invocation &invocation) {
  auto &self = reinterpret_cast<HostLauncher &>(launcher);
  if (invocation.function != self.function && !prepare(self, invocation.function))
    return false;
  const int32_t *grid = invocation.grid;
  if (isEmpty(grid))
    return true;
  ArgumentBlock block;
  if (!block.pack(launcher, invocation, resolve))
    return false;
  const embed::HostKernel &kernel = *self.kernel; // the caller holds its function
  std::optional<std::string> error = unlocked([&] { return kernel.launch(block.data(), grid, self.how); });
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

static void destroy(PyObject *object) {
  Py_CLEAR(reinterpret_cast<HostLauncher *>(object)->function);
  destroyLauncher(object);
}

static PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("Packs a kernel's arguments and launches it on the CPU.")},
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_members, launcherMembers},
    {0, nullptr},
};
static PyType_Spec launcherSpec = {"triton._C.libtriton.HostLauncher", sizeof(HostLauncher), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, launcherSlots};

bool addHostLauncher(PyObject *module) {
  auto target = nb::borrow<nb::module_>(module);
  nb::class_<embed::HostKernel>(target, "HostFunction", "Code of the CPU target, loaded.")
      .def("__init__", [](embed::HostKernel *self, nb::bytes object, const std::string &symbol, uint64_t arenaBytes) {
        const std::string_view code(object.c_str(), object.size());
        new (self) embed::HostKernel(take(unlocked([&] { return embed::HostKernel::load(code, symbol, arenaBytes); })));
      });
  hostLauncherType = reinterpret_cast<PyTypeObject *>(
      PyType_FromSpecWithBases(&launcherSpec, reinterpret_cast<PyObject *>(launcherType)));
  return hostLauncherType &&
         PyModule_AddObjectRef(module, "HostLauncher", reinterpret_cast<PyObject *>(hostLauncherType)) == 0;
}

} // namespace triton::python
