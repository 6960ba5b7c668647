// Code on a device: a cubin, PTX that the driver translates, or AMD's code object, loaded into a context.
//   In:  the bytes, the kernel's name, the dynamic shared memory it is launched with.
//   Out: a function ready to launch, and what it uses.
// Functions are known by the driver's handle, a number that programs pass around; they stay loaded until `unload`.
#pragma once

#include "runtime/gpu/Driver.h"

#include <optional>

namespace triton::runtime::gpu {

struct LoadedFunction {
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
  ContextHandle context = nullptr;
  int device = 0;
  int registers = 0;
  int localBytes = 0; // of a thread: stack and spills
  int staticSharedBytes = 0;
  int maxThreads = 0; // of a block
};

/// Leaves the device's context current. Dynamic shared memory beyond what every launch may use is asked for here, once.
llvm::Expected<LoadedFunction> load(Driver &driver, llvm::StringRef image, const std::string &name,
                                    uint32_t sharedBytes, int device);
/// What `load` gave for this handle; nullopt if it did not come from there.
std::optional<LoadedFunction> find(FunctionHandle function);
llvm::Error unload(Driver &driver, const LoadedFunction &function);
/// The same by the module's handle; an error if it did not come from `load`, or is unloaded already.
llvm::Error unload(Driver &driver, ModuleHandle module);

/// Lets blocks of this function form clusters of more than 8, which not every device can run.
llvm::Error allowLargeClusters(Driver &driver, FunctionHandle function);
/// How many clusters of `clusterSize` blocks the device can hold at once.
llvm::Expected<int> maxActiveClusters(Driver &driver, FunctionHandle function, uint32_t threads, uint32_t sharedBytes,
                                      uint32_t clusterSize);
/// Sets the buffer of device-side print of the current context; no call if it has that size.
llvm::Error setPrintfFifoBytes(Driver &driver, size_t bytes);
/// The address at which kernels reach this memory; nullopt if they do not.
std::optional<DevicePointer> devicePointer(Driver &driver, DevicePointer pointer);

} // namespace triton::runtime::gpu
