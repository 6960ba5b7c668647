// Packs the arguments into the block the kernel reads, lets go of the interpreter lock, runs the grid.
#include "bindings/HostLauncher.h"

#include "bindings/Reference.h"
#include "bindings/Scalars.h"

#include <structmember.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace triton::python {

PyTypeObject *hostFunctionType = nullptr, *hostLauncherType = nullptr;

static bool failPointer(PyObject *object, size_t position) {
  if (PyErr_Occurred())
    return false;
  PyErr_Format(PyExc_TypeError, "Pointer argument must be either uint64 or have data_ptr method (argument %zu is a %s)",
               position, Py_TYPE(object)->tp_name);
  return false;
}

static bool packPointer(const LaunchSlot &slot, PyObject *object, const Argument &argument, std::byte *block) {
  switch (argument.kind) {
  case ArgumentKind::Pointer:
    if (!argument.isHostMemory) {
      PyErr_Format(PyExc_ValueError,
                   "Pointer argument (at %d) cannot be accessed from Triton (a tensor of another device, and this "
                   "kernel runs on the CPU)",
                   int(slot.parameter));
      return false;
    }
    break;
  case ArgumentKind::None:
  case ArgumentKind::Integer:
    break;
  default:
    return failPointer(object, slot.parameter);
  }
  std::memcpy(block + slot.offset, &argument.bits, sizeof(argument.bits));
  return true;
}

static bool pack(const LaunchSlot &slot, PyObject *object, const Argument &argument, std::byte *block) {
  if (slot.isPointer)
    return packPointer(slot, object, argument, block);
  return packScalar(slot.type, object, argument, block + slot.offset);
}

static PyObject *elementAt(PyObject *object, const std::vector<uint16_t> &path) {
  for (uint16_t index : path) {
    if (!PyTuple_Check(object) || index >= PyTuple_GET_SIZE(object)) {
      PyErr_Format(PyExc_TypeError, "expected a tuple with more than %d elements, got %R", int(index), object);
      return nullptr;
    }
    object = PyTuple_GET_ITEM(object, index);
  }
  return object;
}

/// TRITON_CPU_MAX_THREADS: read on every launch, as the other knobs are; 0 means no limit.
static unsigned maxThreads() {
  const char *text = std::getenv("TRITON_CPU_MAX_THREADS");
  long threads = text ? std::strtol(text, nullptr, 10) : 0;
  return threads > 0 ? unsigned(threads) : 0;
}

bool launch(const HostLauncher &launcher, const HostFunction &function, const int32_t grid[3],
            std::span<PyObject *const> parameters, const Argument *classified) {
  if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0) {
    PyErr_Format(PyExc_ValueError, "the grid (%d, %d, %d) has a negative extent", int(grid[0]), int(grid[1]),
                 int(grid[2]));
    return false;
  }
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true;
  alignas(64) std::byte inlineBlock[512];
  std::vector<std::byte> largeBlock;
  std::byte *block = inlineBlock;
  if (launcher.argumentBytes > sizeof(inlineBlock)) {
    largeBlock.resize(launcher.argumentBytes);
    block = largeBlock.data();
  }
  std::vector<Reference> holders; // allocates only when something must be held
  for (const LaunchSlot &slot : *launcher.slots) {
    PyObject *object = parameters[slot.parameter];
    if (classified && slot.path.empty()) {
      if (!pack(slot, object, classified[slot.parameter], block))
        return false;
      continue;
    }
    Argument argument;
    PyObject *holder = nullptr;
    object = elementAt(object, slot.path);
    if (!object || !classify(object, argument, &holder))
      return false;
    if (holder)
      holders.emplace_back(holder);
    if (!pack(slot, object, argument, block))
      return false;
  }
  std::optional<std::string> error;
  bool isAlone = grid[0] == 1 && grid[1] == 1 && grid[2] == 1;
  unsigned threads = isAlone ? 1 : maxThreads();
  Py_BEGIN_ALLOW_THREADS error = function.kernel->launch(block, grid, threads);
  Py_END_ALLOW_THREADS if (error) PyErr_SetString(PyExc_RuntimeError, error->c_str());
  return !error;
}

static bool readExtent(PyObject *object, int32_t &out) {
  if (PyLong_CheckExact(object)) { // the usual case, without a temporary
    int overflow = 0;
    long value = PyLong_AsLongAndOverflow(object, &overflow);
    if (!overflow && value >= INT32_MIN && value <= INT32_MAX) {
      out = int32_t(value);
      return true;
    }
    PyErr_Format(PyExc_OverflowError, "the grid extent %R does not fit in 32 bits", object);
    return false;
  }
  Reference number(PyNumber_Index(object));
  return number && readExtent(number.get(), out);
}

bool readGrid(PyObject *grid, int32_t out[3]) {
  out[0] = out[1] = out[2] = 1;
  Reference fast(PyTuple_CheckExact(grid) || PyList_CheckExact(grid)
                     ? Py_NewRef(grid)
                     : PySequence_Fast(grid, "the grid must be a tuple of one to three integers"));
  if (!fast)
    return false;
  Py_ssize_t size = PySequence_Fast_GET_SIZE(fast.get());
  if (size == 0) {
    PyErr_SetString(PyExc_ValueError, "the grid is empty: it needs one to three extents");
    return false;
  }
  for (Py_ssize_t index = 0; index < size && index < 3; ++index)
    if (!readExtent(PySequence_Fast_GET_ITEM(fast.get(), index), out[index]))
      return false;
  return true;
}

// The Python class.

static bool callHook(PyObject *hook, PyObject *metadata) {
  if (hook == Py_None)
    return true;
  Reference result(PyObject_CallOneArg(hook, metadata));
  return bool(result);
}

static PyObject *call(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) {
  constexpr size_t fixed = 9;
  auto &self = *reinterpret_cast<HostLauncher *>(callable);
  size_t count = PyVectorcall_NARGS(flags);
  if (count != fixed + self.parameterCount || (names && PyTuple_GET_SIZE(names) != 0)) {
    PyErr_Format(PyExc_TypeError,
                 "the launcher takes %zu positional arguments (%zu and the kernel's %u parameters), got %zu",
                 fixed + self.parameterCount, fixed, unsigned(self.parameterCount), count);
    return nullptr;
  }
  if (Py_TYPE(arguments[4]) != hostFunctionType) {
    PyErr_Format(PyExc_TypeError, "expected the kernel's function, got %s", Py_TYPE(arguments[4])->tp_name);
    return nullptr;
  }
  int32_t grid[3];
  for (int index = 0; index < 3; ++index)
    if (!readExtent(arguments[index], grid[index]))
      return nullptr;
  bool isEmpty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
  if (!isEmpty && !callHook(arguments[7], arguments[6]))
    return nullptr;
  if (!launch(self, *reinterpret_cast<HostFunction *>(arguments[4]), grid, {arguments + fixed, self.parameterCount},
              nullptr))
    return nullptr;
  if (!isEmpty && !callHook(arguments[8], arguments[6]))
    return nullptr;
  Py_RETURN_NONE;
}

static bool readSlot(PyObject *item, std::vector<LaunchSlot> &slots) {
  PyObject *path = nullptr;
  const char *type = nullptr;
  unsigned offset = 0;
  if (!PyArg_ParseTuple(item, "O!sI", &PyTuple_Type, &path, &type, &offset))
    return false;
  LaunchSlot slot{};
  std::string_view name = type;
  slot.isPointer = name.starts_with("*");
  slot.type = slot.isPointer ? TypeCode::Void : typeCodeOf(name == "i1" ? "u1" : name);
  slot.offset = offset;
  if (slot.type == TypeCode::None || PyTuple_GET_SIZE(path) == 0) {
    PyErr_Format(PyExc_TypeError, "a kernel argument of type '%s' cannot be passed on the CPU", type);
    return false;
  }
  for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(path); ++index) {
    long position = PyLong_AsLong(PyTuple_GET_ITEM(path, index));
    if (position < 0)
      return PyErr_Occurred() ? false : (PyErr_SetString(PyExc_ValueError, "a path holds positions"), false);
    index == 0 ? void(slot.parameter = uint16_t(position)) : slot.path.push_back(uint16_t(position));
  }
  slots.push_back(std::move(slot));
  return true;
}

/// HostLauncher(argument_bytes: int, parameter_count: int, slots: [(path, type, offset)])
static PyObject *createLauncher(PyTypeObject *type, PyObject *arguments, PyObject *) {
  unsigned argumentBytes = 0, parameterCount = 0;
  PyObject *slotList = nullptr;
  if (!PyArg_ParseTuple(arguments, "IIO!", &argumentBytes, &parameterCount, &PyList_Type, &slotList))
    return nullptr;
  auto slots = std::make_unique<std::vector<LaunchSlot>>();
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(slotList); ++index) {
    if (!readSlot(PyList_GET_ITEM(slotList, index), *slots))
      return nullptr;
    if (slots->back().parameter >= parameterCount || slots->back().offset >= argumentBytes) {
      PyErr_SetString(PyExc_ValueError, "an argument lies outside the block or belongs to no parameter");
      return nullptr;
    }
  }
  auto *self = reinterpret_cast<HostLauncher *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = call;
  self->slots = slots.release();
  self->argumentBytes = argumentBytes + 8; // an argument may be written as eight bytes
  self->parameterCount = parameterCount;
  return reinterpret_cast<PyObject *>(self);
}

static void destroyLauncher(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<HostLauncher *>(object)->slots;
  type->tp_free(object);
  Py_DECREF(type);
}

/// HostFunction(object: bytes, symbol: str, arena_bytes: int)
static PyObject *createFunction(PyTypeObject *type, PyObject *arguments, PyObject *) {
  const char *object = nullptr, *symbol = nullptr;
  Py_ssize_t objectSize = 0;
  unsigned long long arenaBytes = 0;
  if (!PyArg_ParseTuple(arguments, "y#sK", &object, &objectSize, &symbol, &arenaBytes))
    return nullptr;
  embed::Result<embed::HostKernel> kernel = embed::Error{};
  Py_BEGIN_ALLOW_THREADS kernel = embed::HostKernel::load({object, size_t(objectSize)}, symbol, arenaBytes);
  Py_END_ALLOW_THREADS if (auto *error = std::get_if<embed::Error>(&kernel)) {
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

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(HostLauncher, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
static PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("Packs a kernel's arguments and launches it on the CPU.")},
    {Py_tp_new, reinterpret_cast<void *>(createLauncher)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyLauncher)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, members},
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
  hostLauncherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return hostFunctionType && hostLauncherType &&
         PyModule_AddObjectRef(module, "HostFunction", reinterpret_cast<PyObject *>(hostFunctionType)) == 0 &&
         PyModule_AddObjectRef(module, "HostLauncher", reinterpret_cast<PyObject *>(hostLauncherType)) == 0;
}

} // namespace triton::python
