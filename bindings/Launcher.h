// What the launchers of all drivers share: the block of arguments that a kernel's code reads, and the call that clients make:
// `launcher(gridX, gridY, gridZ, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *parameters)`.
// A driver adds how it launches; KernelObject then launches from C++ without a Python call.
#pragma once

#include "bindings/LaunchLayout.h"

#include <span>
#include <vector>

namespace triton::python {

/// One launch. `classified[i]` describes `parameters[i]`; if it is null, they are looked at when they are packed.
struct Invocation {
  PyObject *function; // what the driver's `load_binary` gave
  uint64_t stream;
  const int32_t *grid; // three extents
  std::span<PyObject *const> parameters;
  const Argument *classified;
  bool isCurrent = false; // the launcher has just said that the function's context is
};

/// Every launcher object begins with this.
struct Launcher {
  PyObject_HEAD vectorcallfunc vectorcall;
  LaunchLayout *layout;
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
/// The members and the destructor that classes of launchers share.
extern PyMemberDef launcherMembers[];
/// A launcher of `type`; the rest is as LaunchLayout::create takes it. Null with an exception set.
Launcher *createLauncher(PyTypeObject *type, uint32_t argumentBytes, PyObject *signature, PyObject *codeArguments,
                         PyObject *tensorMaps);

/// The block of arguments, with what must stay alive while it is used.
class ArgumentBlock {
public:
  /// Turns what an argument says of memory into the address that the code gets; false with an exception set.
  using Resolve = bool (*)(const LaunchSlot &slot, PyObject *object, const Argument &argument, uint64_t &address);
  bool pack(const Launcher &launcher, const Invocation &invocation, Resolve resolve);
  std::byte *data() { return block; }

private:
  bool packSlot(const LaunchSlot &slot, PyObject *object, const Argument &argument, Resolve resolve);
  bool packDescriptor(const LaunchSlot &slot, PyObject *object, Resolve resolve);
  alignas(128) std::byte inlineBlock[512];
  std::byte *block = inlineBlock;
  std::vector<std::byte> largeBlock;
  std::vector<Reference> holders; // allocates only when something must be held
};

/// Entries of a grid as 32-bit numbers: a tuple or list of one to three ints. False with an exception set.
bool readGrid(PyObject *grid, int32_t out[3]);
inline bool isEmpty(const int32_t grid[3]) { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }

} // namespace triton::python
