// What the launchers of all drivers share: the block of arguments that a kernel's code reads, and the call that clients make:
// `launcher(gridX, gridY, gridZ, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *parameters)`.
// A driver adds how it launches; KernelObject then launches from C++ without a Python call.
#pragma once

#include "bindings/launch/Argument.h"
#include "bindings/launch/CompactInteger.h"
#include "bindings/launch/LaunchLayout.h"

#include <span>
#include <vector>

namespace triton::python {

/// The block of arguments with the plain ones in place, made while the arguments of a call were looked at.
struct PackedArguments {
  static constexpr size_t byteLimit = 512, parameterLimit = 40;
  alignas(128) std::byte block[byteLimit];
  uint16_t rest[parameterLimit]; // plain slots whose arguments were not as usual
  uint16_t restCount = 0;
};

/// One launch. `classified[i]` describes `parameters[i]`; if it is null, they are looked at when they are packed. With `packed`, only arguments that
/// are not packed yet are described.
struct Invocation {
  PyObject *function; // what the driver's `load_binary` gave
  uint64_t stream;
  const int32_t *grid; // three extents
  std::span<PyObject *const> parameters;
  const Argument *classified;
  bool isCurrent = false; // the launcher has just said that the function's context is
  PackedArguments *packed = nullptr;
};

/// Every launcher object begins with this.
struct Launcher {
  PyObject_HEAD vectorcallfunc vectorcall;
  ArgumentLayout *layout;
  uint32_t argumentBytes; // with room for an argument written as eight bytes
  uint32_t parameterCount;
  bool hasStreams;
  Memory memory; // what the code reaches: pointers to it are passed as they are
  /// False with an exception set.
  bool (*launch)(Launcher &launcher, const Invocation &invocation);
  /// Whether `function` can be launched as this thread stands, without asking the driver's Python side for the device.
  bool (*isCurrent)(Launcher &launcher, PyObject *function);
};

/// The base class of all launchers.
extern PyTypeObject *launcherType;
bool addLauncher(PyObject *module);
/// The members that classes of launchers share.
extern PyMemberDef launcherMembers[];
/// A number or a truth that a kernel's metadata says, 0 where it does not; perhaps an exception is set.
uint64_t factOf(PyObject *metadata, const char *name);
/// A launcher of `type` for kernels with this metadata, whose parameters have the types of `signature`, a list. Null with an exception set.
Launcher *createLauncher(PyTypeObject *type, PyObject *signature, PyObject *metadata);
/// The destructor; classes that hold more call it last.
void destroyLauncher(PyObject *object);

/// The block of arguments, with what must stay alive while it is used.
class ArgumentBlock {
public:
  /// Turns what an argument says of memory into the address that the code gets; false with an exception set.
  using Resolve = bool (*)(const ArgumentSlot &slot, PyObject *object, const Argument &argument, uint64_t &address);
  bool pack(const Launcher &launcher, const Invocation &invocation, Resolve resolve) {
    PackedArguments *packed = invocation.packed;
    if (!packed || packed->restCount || !launcher.layout->others.empty())
      return packRest(launcher, invocation, resolve);
    block = packed->block;
    return true;
  }
  std::byte *data() { return block; }

private:
  bool packRest(const Launcher &launcher, const Invocation &invocation, Resolve resolve);
  bool packSlot(size_t index, const Launcher &launcher, const Invocation &invocation, Resolve resolve);
  bool packSlot(const ArgumentSlot &slot, PyObject *object, const Argument &argument, Resolve resolve);
  bool packDescriptor(const ArgumentSlot &slot, PyObject *object, Resolve resolve);
  alignas(128) std::byte inlineBlock[PackedArguments::byteLimit];
  std::byte *block = inlineBlock;
  std::vector<std::byte> largeBlock;
  std::vector<Reference> holders; // allocates only when something must be held
};

/// Entries of a grid as 32-bit numbers: a tuple, or another sequence, of one to three integers. False with an exception set.
bool readAnyGrid(PyObject *grid, int32_t out[3]);
/// The same; a tuple of small ints, as nearly every grid is, is read right here.
inline bool readGrid(PyObject *grid, int32_t out[3]) {
  Py_ssize_t size = PyTuple_CheckExact(grid) ? PyTuple_GET_SIZE(grid) : 0;
  if (size < 1 || size > 3)
    return readAnyGrid(grid, out);
  for (Py_ssize_t index = 0; index < 3; ++index) {
    int64_t value = 1;
    if (index < size) {
      PyObject *extent = PyTuple_GET_ITEM(grid, index);
      if (!PyLong_CheckExact(extent) || !readCompact(extent, value) || value < 0)
        return readAnyGrid(grid, out);
    }
    out[index] = int32_t(value);
  }
  return true;
}
inline bool isEmpty(const int32_t grid[3]) { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }

} // namespace triton::python
