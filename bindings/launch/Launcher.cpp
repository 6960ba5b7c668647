#include "bindings/launch/Launcher.h"

#include "bindings/launch/CompactInteger.h"
#include "bindings/launch/CudaTensorMap.h"
#include "bindings/launch/DescriptorArgument.h"

#include <structmember.h>

#include <algorithm>
#include <cstring>

namespace triton::python {

PyTypeObject *launcherType = nullptr;

// Packing.

static bool failPointer(PyObject *object, size_t position) {
  if (PyErr_Occurred())
    return false;
  PyErr_Format(PyExc_TypeError, "Pointer argument must be either uint64 or have data_ptr method (argument %zu is a %s)",
               position, Py_TYPE(object)->tp_name);
  return false;
}

/// A launch that is repeated comes here for what is not plain; for all others its key says whether memory is read-only.
static bool checkStores(const ArgumentSlot &slot, PyObject *object, const Argument &argument) {
  if (!argument.isReadOnly || !slot.isStored)
    return true;
  PyErr_Format(PyExc_ValueError, "argument '%s' is read-only (%s), and the kernel stores to it", slot.name.c_str(),
               Py_TYPE(object)->tp_name);
  return false;
}

static bool packScalar(ScalarType type, PyObject *object, const Argument &argument, std::byte *destination) {
  dispatch::PackFault fault = dispatch::packScalar(type, argument, destination);
  if (fault == dispatch::PackFault::None)
    return true;
  Reference value(fault == dispatch::PackFault::DoesNotFit ? PyObject_Repr(object) : nullptr);
  const char *shown = value ? PyUnicode_AsUTF8(value.get()) : Py_TYPE(object)->tp_name;
  return raise(dispatch::problemOf(fault, type, shown ? shown : ""));
}

bool ArgumentBlock::packSlot(const ArgumentSlot &slot, PyObject *object, const Argument &argument, Resolve resolve) {
  std::byte *destination = block + slot.offset;
  if (slot.kind == ArgumentSlot::Kind::Scalar)
    return packScalar(slot.type, object, argument, destination);
  if (slot.kind == ArgumentSlot::Kind::TensorMap)
    return packTensorMap(object, slot.parameter, destination);
  if (slot.kind == ArgumentSlot::Kind::Descriptor)
    return packDescriptor(slot, object, resolve);
  uint64_t address = argument.bits;
  if (argument.kind == ArgumentKind::Pointer) {
    if (!checkStores(slot, object, argument) || !resolve(slot, object, argument, address))
      return false;
  } else if (argument.kind != ArgumentKind::None && argument.kind != ArgumentKind::Integer)
    return failPointer(object, slot.parameter);
  std::memcpy(destination, &address, sizeof(address));
  return true;
}

bool ArgumentBlock::packDescriptor(const ArgumentSlot &slot, PyObject *object, Resolve resolve) {
  DescriptorArgument descriptor;
  if (!descriptor.read(object, slot.descriptor.rank))
    return false;
  uint64_t address = descriptor.facts.base.bits;
  if (!checkStores(slot, descriptor.object.get(), descriptor.facts.base) ||
      !resolve(slot, descriptor.object.get(), descriptor.facts.base, address) ||
      !descriptor.pack(slot.descriptor, address, block))
    return false;
  if (descriptor.holder)
    holders.push_back(std::move(descriptor.holder));
  return true;
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

bool ArgumentBlock::packSlot(size_t index, const Launcher &launcher, const Invocation &invocation, Resolve resolve) {
  const ArgumentSlot &slot = launcher.layout->slots[index];
  PyObject *object = invocation.parameters[slot.parameter];
  if (invocation.classified && slot.path.empty())
    return packSlot(slot, object, invocation.classified[slot.parameter], resolve);
  Argument argument;
  PyObject *holder = nullptr;
  object = elementAt(object, slot.path);
  bool isNumberOrMemory = slot.kind == ArgumentSlot::Kind::Scalar || slot.kind == ArgumentSlot::Kind::Pointer;
  if (!object || (isNumberOrMemory && !classify(object, argument, &holder)))
    return false;
  if (holder)
    holders.emplace_back(holder);
  return packSlot(slot, object, argument, resolve);
}

bool ArgumentBlock::packRest(const Launcher &launcher, const Invocation &invocation, Resolve resolve) {
  const ArgumentLayout &layout = *launcher.layout;
  auto packOne = [&](size_t index) { return packSlot(index, launcher, invocation, resolve); };
  if (PackedArguments *packed = invocation.packed) {
    block = packed->block;
    return std::ranges::all_of(layout.others, packOne) &&
           std::all_of(packed->rest, packed->rest + packed->restCount, packOne);
  }
  if (launcher.argumentBytes > sizeof(inlineBlock)) {
    // Tensor maps stand at multiples of 64 bytes, and the code copies them whole.
    largeBlock.resize(launcher.argumentBytes + 128);
    block = largeBlock.data() + (128 - reinterpret_cast<uintptr_t>(largeBlock.data()) % 128);
  }
  for (size_t index = 0; index < layout.slots.size(); ++index) {
    const PlainSlot &plain = layout.plain[index];
    if (!(invocation.classified && plain.pack(invocation.classified[plain.parameter], launcher.memory, block)) &&
        !packOne(index))
      return false;
  }
  return true;
}

// The grid.

static bool readExtent(PyObject *object, int32_t &out) {
  if (int64_t value = 0; PyLong_CheckExact(object) && readCompact(object, value)) {
    out = int32_t(value);
    return true;
  }
  if (PyLong_CheckExact(object)) {
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
  if (!number && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "the grid extent %R is not an integer", object);
  }
  return number && readExtent(number.get(), out);
}

static bool checkGrid(const int32_t grid[3]) {
  if (grid[0] >= 0 && grid[1] >= 0 && grid[2] >= 0)
    return true;
  PyErr_Format(PyExc_ValueError, "the grid (%d, %d, %d) has a negative extent", int(grid[0]), int(grid[1]),
               int(grid[2]));
  return false;
}

bool readAnyGrid(PyObject *grid, int32_t out[3]) {
  out[0] = out[1] = out[2] = 1;
  const bool hasItems = PySequence_Check(grid) || PyMapping_Check(grid);
  if (!hasItems || PyUnicode_Check(grid) || PyBytes_Check(grid) || PyObject_HasAttrString(grid, "keys")) {
    PyErr_Format(PyExc_TypeError, "a grid is a tuple of one to three integers, or a function that gives one, not %R",
                 grid);
    return false;
  }
  Reference extents(PySequence_Tuple(grid));
  if (!extents)
    return false;
  Py_ssize_t size = PyTuple_GET_SIZE(extents.get());
  if (size < 1 || size > 3) {
    PyErr_Format(PyExc_ValueError, "a grid has one to three extents, not %zd as %R has", size, grid);
    return false;
  }
  for (Py_ssize_t index = 0; index < size; ++index)
    if (!readExtent(PyTuple_GET_ITEM(extents.get(), index), out[index]))
      return false;
  return checkGrid(out);
}

// The Python class.

static bool callHook(PyObject *hook, PyObject *metadata) {
  if (hook == Py_None)
    return true;
  Reference result(PyObject_CallOneArg(hook, metadata));
  return bool(result);
}

/// A stream as a number; None is the default one.
static bool readStream(PyObject *object, uint64_t &stream) {
  stream = object == Py_None ? 0 : PyLong_AsUnsignedLongLong(object);
  return stream != uint64_t(-1) || !PyErr_Occurred();
}

static PyObject *call(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) {
  constexpr size_t fixed = 9;
  auto &self = *reinterpret_cast<Launcher *>(callable);
  size_t count = PyVectorcall_NARGS(flags);
  if (count != fixed + self.parameterCount || (names && PyTuple_GET_SIZE(names) != 0)) {
    PyErr_Format(PyExc_TypeError,
                 "the launcher takes %zu positional arguments (%zu and the kernel's %u parameters), got %zu",
                 fixed + self.parameterCount, fixed, unsigned(self.parameterCount), count);
    return nullptr;
  }
  int32_t grid[3];
  for (int index = 0; index < 3; ++index)
    if (!readExtent(arguments[index], grid[index]))
      return nullptr;
  uint64_t stream = 0;
  if (!checkGrid(grid) || (self.hasStreams && !readStream(arguments[3], stream)))
    return nullptr;
  if (isEmpty(grid))
    Py_RETURN_NONE;
  Invocation invocation{arguments[4], stream, grid, {arguments + fixed, self.parameterCount}, nullptr};
  if (!callHook(arguments[7], arguments[6]) || !self.launch(self, invocation) || !callHook(arguments[8], arguments[6]))
    return nullptr;
  Py_RETURN_NONE;
}

uint64_t factOf(PyObject *metadata, const char *name) {
  Reference value(PyErr_Occurred() ? nullptr : PyObject_GetAttrString(metadata, name));
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Clear();
  if (!value)
    return 0;
  return PyLong_Check(value.get()) ? PyLong_AsUnsignedLongLong(value.get()) : PyObject_IsTrue(value.get()) == 1;
}

Launcher *createLauncher(PyTypeObject *type, PyObject *signature, PyObject *metadata) {
  const auto argumentBytes = uint32_t(factOf(metadata, "argument_bytes"));
  std::unique_ptr<ArgumentLayout> layout = PyErr_Occurred() ? nullptr : readLayout(signature, metadata);
  if (!layout)
    return nullptr;
  for (uint32_t offset : layout->offsets)
    if (offset >= argumentBytes) {
      PyErr_SetString(PyExc_ValueError, "an argument lies outside the block");
      return nullptr;
    }
  auto *self = reinterpret_cast<Launcher *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = call;
  self->layout = layout.release();
  self->argumentBytes = argumentBytes + 8; // an argument may be written as eight bytes
  self->parameterCount = uint32_t(PyList_GET_SIZE(signature));
  return self;
}

void destroyLauncher(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<Launcher *>(object)->layout;
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef launcherMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Launcher, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
static PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("Packs a kernel's arguments and launches it.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyLauncher)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, launcherMembers},
    {0, nullptr},
};
static PyType_Spec launcherSpec = {"triton._C.libtriton.Launcher", sizeof(Launcher), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL |
                                       Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   launcherSlots};

bool addLauncher(PyObject *module) {
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return launcherType && PyModule_AddObjectRef(module, "Launcher", reinterpret_cast<PyObject *>(launcherType)) == 0;
}

} // namespace triton::python
