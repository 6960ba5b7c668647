// Turns a call from Python into a CudaCall: packs the arguments, and asks the program's allocators for scratch memory.
#include "bindings/launch/CudaLauncher.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include "dispatch/launch/CudaCall.h"
#include <triton/embed_cuda.h>

#include <algorithm>

namespace triton::python {

namespace {
/// Memory that a launch needs: bytes per block, null if it needs none.
struct Scratch {
  unsigned long long bytes = 0, alignment = 1;
  const char *allocator = nullptr; // in triton.runtime._allocation
};

struct CudaLauncher {
  Launcher base;
  embed::CudaLauncher *native;
  bool usesGraphs;
  Scratch scratch[2];
  uint64_t function, context; // the function launched last, and where it was loaded
  PyObject *functionObject;   // the exact int that it was given as, or null
};
} // namespace

static PyTypeObject *cudaLauncherType = nullptr;

static bool resolve(const ArgumentSlot &slot, PyObject *, const Argument &argument, uint64_t &address) {
  if (argument.memory == Memory::Device || address == 0)
    return true;
  std::optional<uint64_t> onDevice = embed::cudaDevicePointer(address);
  if (!onDevice) {
    PyErr_Format(PyExc_ValueError, "Pointer argument (at %d) cannot be accessed from Triton (cpu tensor?)",
                 int(slot.parameter));
    return false;
  }
  address = *onDevice;
  return true;
}

/// Finds where the function was loaded; one that this package did not load runs in the current context.
static bool prepare(CudaLauncher &self, PyObject *object) {
  if (object == self.functionObject)
    return true;
  uint64_t function = PyLong_AsUnsignedLongLong(object);
  if (function == uint64_t(-1) && PyErr_Occurred()) {
    PyErr_Format(PyExc_TypeError, "expected the handle of the kernel's function, an int, got %s",
                 Py_TYPE(object)->tp_name);
    return false;
  }
  if (function == self.function)
    return true;
  embed::Result<uint64_t> context = self.native->prepare(function);
  if (auto *error = std::get_if<embed::Error>(&context)) {
    PyErr_SetString(PyExc_RuntimeError, error->message.c_str());
    return false;
  }
  self.function = function;
  self.context = std::get<uint64_t>(context);
  Py_XSETREF(self.functionObject, Py_XNewRef(PyLong_CheckExact(object) ? object : nullptr));
  return true;
}

/// The address of what the program's allocator gives; `holder` keeps the memory until the launch is queued.
static bool ask(PyObject *allocator, unsigned long long bytes, unsigned long long alignment, unsigned long long stream,
                uint64_t &address, Reference &holder) {
  holder = Reference(PyObject_CallFunction(allocator, "KKK", bytes, alignment, stream));
  Reference pointer(holder ? PyObject_CallMethod(holder.get(), "data_ptr", nullptr) : nullptr);
  if (!pointer)
    return false;
  address = PyLong_AsUnsignedLongLong(pointer.get());
  return address != uint64_t(-1) || !PyErr_Occurred();
}

/// Scratch memory for a launch. Programs ignore the alignment that they are asked for: a GPU's memory has it, the host's, which a simulated GPU gets, may
/// not. Then more is asked for, and the scratch begins at the first place that is aligned.
static bool allocate(const CudaLauncher &self, const Scratch &scratch, const Invocation &invocation, uint64_t &address,
                     Reference &holder) {
  if (scratch.bytes == 0)
    return true;
  Reference module(PyImport_ImportModule("triton.runtime._allocation"));
  Reference variable(module ? PyObject_GetAttrString(module.get(), scratch.allocator) : nullptr);
  Reference allocator(variable ? PyObject_CallMethod(variable.get(), "get", nullptr) : nullptr);
  if (!allocator)
    return false;
  const unsigned long long bytes = self.native->scratchBytes(invocation.grid, scratch.bytes),
                           stream = invocation.stream, alignment = std::max(scratch.alignment, 1ull);
  if (!ask(allocator.get(), bytes, alignment, stream, address, holder))
    return false;
  if (address % alignment == 0)
    return true;
  if (!ask(allocator.get(), bytes + alignment - 1, alignment, stream, address, holder))
    return false;
  address = (address + alignment - 1) / alignment * alignment;
  return true;
}

static bool launch(Launcher &launcher, const Invocation &invocation) {
  auto &self = reinterpret_cast<CudaLauncher &>(launcher);
  const int32_t *grid = invocation.grid;
  if (!invocation.isCurrent && !prepare(self, invocation.function))
    return false;
  if (isEmpty(grid))
    return true;
  ArgumentBlock block;
  if (!block.pack(launcher, invocation, resolve))
    return false;
  dispatch::CudaCall call;
  Reference holders[2];
  const bool hasScratch = self.scratch[0].bytes || self.scratch[1].bytes;
  if (hasScratch && (!allocate(self, self.scratch[0], invocation, call.scratch, holders[0]) ||
                     !allocate(self, self.scratch[1], invocation, call.profilerScratch, holders[1])))
    return false;
  call.function = self.function;
  call.context = self.context;
  call.stream = invocation.stream;
  std::copy(grid, grid + 3, call.grid);
  call.isContextCurrent = invocation.isCurrent;
  // Only calls like ones before: what a hook is to see, or what clients make themselves, is a launch of the kernel.
  call.mayUseGraph = self.usesGraphs && invocation.packed && invocation.isCurrent;
  int status = unlocked([&] { return self.native->launch(call, block.data()); });
  if (status)
    if (!raiseInterruption())
      PyErr_SetString(PyExc_RuntimeError, self.native->describeFailure(call, status).c_str());
  return status == 0;
}

static bool isCurrent(Launcher &launcher, PyObject *function) {
  auto &self = reinterpret_cast<CudaLauncher &>(launcher);
  if (!prepare(self, function)) {
    PyErr_Clear();
    return false;
  }
  return self.context && self.context == embed::cudaCurrentContext();
}

/// CudaLauncherBase(signature: list of types, metadata, graphs=False)
static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *signature = nullptr, *metadata = nullptr;
  int usesGraphs = 0;
  if (!PyArg_ParseTuple(arguments, "O!O|p", &PyList_Type, &signature, &metadata, &usesGraphs))
    return nullptr;
  auto fact = [&](const char *name) { return factOf(metadata, name); };
  const uint64_t warpSize = fact("warp_size"); // backends of other packages may not say
  dispatch::CudaPlan plan{.threads = uint32_t(fact("num_warps") * (warpSize ? warpSize : 32)),
                          .sharedBytes = uint32_t(fact("shared")),
                          .clusterSize = std::max(uint32_t(fact("num_ctas")), 1u),
                          .isCooperative = fact("launch_cooperative_grid") != 0,
                          .isProgrammatic = fact("launch_pdl") != 0,
                          .waitsAtEntry = fact("waits_at_entry") != 0,
                          .hasScratch = fact("global_scratch_size") != 0,
                          .writesMessages = fact("writes_messages") != 0};
  const Scratch global{fact("global_scratch_size"), fact("global_scratch_align"), "_allocator"},
      profile{fact("profile_scratch_size"), fact("profile_scratch_align"), "_profile_allocator"};
  Launcher *launcher = PyErr_Occurred() ? nullptr : createLauncher(type, signature, metadata);
  if (!launcher)
    return nullptr;
  plan.offsets = launcher->layout->offsets;
  plan.argumentBytes = launcher->argumentBytes;
  launcher->hasStreams = true;
  launcher->memory = Memory::Device;
  launcher->launch = launch;
  launcher->isCurrent = isCurrent;
  auto &self = reinterpret_cast<CudaLauncher &>(*launcher);
  self.native = new embed::CudaLauncher(plan);
  self.usesGraphs = usesGraphs;
  self.scratch[0] = global;
  self.scratch[1] = profile;
  self.function = self.context = 0;
  self.functionObject = nullptr;
  return reinterpret_cast<PyObject *>(launcher);
}

static void destroy(PyObject *object) {
  auto *self = reinterpret_cast<CudaLauncher *>(object);
  delete self->native;
  Py_CLEAR(self->functionObject);
  destroyLauncher(object);
}

static PyObject *graphLaunches(PyObject *object, void *) {
  return PyLong_FromUnsignedLongLong(reinterpret_cast<CudaLauncher *>(object)->native->graphLaunches());
}
static PyGetSetDef properties[] = {
    {"graph_launches", graphLaunches, nullptr, "How many launches went through a graph (knobs.nvidia.launch_graphs).",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("Packs a kernel's arguments and launches it on a stream.")},
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_members, launcherMembers},
    {Py_tp_getset, properties},
    {0, nullptr},
};
static PyType_Spec spec = {"triton._C.libtriton.CudaLauncherBase", sizeof(CudaLauncher), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};

static PyObject *defaultStream(PyObject *, PyObject *) { return PyLong_FromLong(0); }
static PyMethodDef defaultStreamMethod = {"default_stream", defaultStream, METH_VARARGS,
                                          "default_stream(device=None): 0, the stream of programs without PyTorch."};
static PyObject *defaultStreamFunction = nullptr;
bool isDefaultStream(PyObject *getStream) { return getStream == defaultStreamFunction; }

bool addCudaLauncher(PyObject *module) {
  defaultStreamFunction = PyCFunction_New(&defaultStreamMethod, nullptr);
  cudaLauncherType =
      reinterpret_cast<PyTypeObject *>(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject *>(launcherType)));
  return cudaLauncherType && defaultStreamFunction &&
         PyModule_AddObjectRef(module, "default_stream", defaultStreamFunction) == 0 &&
         PyModule_AddObjectRef(module, "CudaLauncherBase", reinterpret_cast<PyObject *>(cudaLauncherType)) == 0;
}

} // namespace triton::python
