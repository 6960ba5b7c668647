#include "runtime/hip/Library.h"

#include "runtime/driver/SharedLibrary.h"
#include "runtime/hip/Types.h"

#include <cstdio>
#include <vector>

#include <link.h>

namespace triton::runtime::hip {

using namespace gpu;

namespace {

// Member, symbol, parameters of what the functions below call.
#define TRITON_HIP_REQUIRED(X)                                                                                         \
  X(deviceAttribute, hipDeviceGetAttribute, (int *value, Attribute attribute, DeviceHandle device))                    \
  X(deviceProperties, hipGetDevicePropertiesR0600, (hip::DeviceProperties * properties, DeviceHandle device))          \
  X(getDevice, hipGetDevice, (DeviceHandle * device))                                                                  \
  X(setDevice, hipSetDevice, (DeviceHandle device))                                                                    \
  X(launch, hipModuleLaunchKernel,                                                                                     \
    (FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY,        \
     uint32_t blockZ, uint32_t sharedBytes, StreamHandle stream, void **arguments, void **extra))                      \
  X(launchCooperatively, hipModuleLaunchCooperativeKernel,                                                             \
    (FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY,        \
     uint32_t blockZ, uint32_t sharedBytes, StreamHandle stream, void **arguments))
#define TRITON_HIP_OPTIONAL(X)                                                                                         \
  X(launchWithAttributes, hipDrvLaunchKernelEx,                                                                        \
    (const LaunchConfiguration *configuration, FunctionHandle function, void **arguments, void **extra))               \
  X(addKernelNode, hipGraphAddKernelNode,                                                                              \
    (GraphNodeHandle * node, GraphHandle graph, const GraphNodeHandle *dependencies, size_t count,                     \
     const hip::KernelNode *launch))                                                                                   \
  X(changeKernelNode, hipGraphExecKernelNodeSetParams,                                                                 \
    (ExecutableGraphHandle executable, GraphNodeHandle node, const hip::KernelNode *launch))

struct Functions {
#define TRITON_HIP_DECLARE(member, symbol, parameters) int(*member) parameters = nullptr;
  TRITON_HIP_REQUIRED(TRITON_HIP_DECLARE)
  TRITON_HIP_OPTIONAL(TRITON_HIP_DECLARE)
#undef TRITON_HIP_DECLARE
};
Functions library; // one in a process

// Contexts are devices.

ContextHandle contextOf(DeviceHandle device) { return reinterpret_cast<ContextHandle>(uintptr_t(device) + 1); }
DeviceHandle deviceOf(ContextHandle context) { return DeviceHandle(reinterpret_cast<uintptr_t>(context) - 1); }

int retainPrimaryContext(ContextHandle *context, DeviceHandle device) { return *context = contextOf(device), Success; }
int getCurrentContext(ContextHandle *context) {
  DeviceHandle device = 0;
  int status = library.getDevice(&device);
  *context = status ? nullptr : contextOf(device);
  return status;
}
int setCurrentContext(ContextHandle context) { return library.setDevice(deviceOf(context)); }

thread_local std::vector<DeviceHandle> pushedOver;
int pushContext(ContextHandle context) {
  DeviceHandle current = 0;
  if (int status = library.getDevice(&current))
    return status;
  if (int status = library.setDevice(deviceOf(context)))
    return status;
  pushedOver.push_back(current);
  return Success;
}
int popContext(ContextHandle *context) {
  if (pushedOver.empty())
    return InvalidContext;
  if (int status = getCurrentContext(context))
    return status;
  DeviceHandle before = pushedOver.back();
  pushedOver.pop_back();
  return library.setDevice(before);
}

// Devices.

Attribute numberOf(DeviceAttribute attribute) {
  switch (attribute) {
  case DeviceAttribute::WarpSize:
    return Attribute::WarpSize;
  case DeviceAttribute::MaxRegistersPerBlock:
    return Attribute::MaxRegistersPerBlock;
  case DeviceAttribute::ClockRate:
    return Attribute::ClockRate;
  case DeviceAttribute::MultiprocessorCount:
    return Attribute::MultiprocessorCount;
  case DeviceAttribute::MemoryClockRate:
    return Attribute::MemoryClockRate;
  case DeviceAttribute::MemoryBusWidth:
    return Attribute::MemoryBusWidth;
  case DeviceAttribute::L2CacheSize:
    return Attribute::L2CacheSize;
  case DeviceAttribute::CapabilityMajor:
    return Attribute::CapabilityMajor;
  case DeviceAttribute::CapabilityMinor:
    return Attribute::CapabilityMinor;
  case DeviceAttribute::MaxSharedMemoryPerMultiprocessor: // a workgroup may have all LDS that its CU has for one
  case DeviceAttribute::MaxSharedMemoryPerBlockOptIn:
    return Attribute::MaxSharedMemoryPerBlock;
  }
  return Attribute::WarpSize;
}
int deviceAttribute(int *value, DeviceAttribute attribute, DeviceHandle device) {
  return library.deviceAttribute(value, numberOf(attribute), device);
}
int deviceArchitecture(char *name, int size, DeviceHandle device) {
  DeviceProperties properties{};
  if (int status = library.deviceProperties(&properties, device))
    return status;
  llvm::StringRef architecture = llvm::StringRef(properties.architecture).split(':').first;
  std::snprintf(name, size_t(size), "%.*s", int(architecture.size()), architecture.data());
  return Success;
}

// Functions. All LDS of a workgroup can be had without asking, and there is no preference to state.

int setFunctionAttribute(FunctionHandle, FunctionAttribute, int) { return Success; }
int setCachePreference(FunctionHandle, int) { return Success; }

/// A grid and a block along one axis make fewer than 2^32 threads.
bool fits(const LaunchConfiguration &launch) {
  return uint64_t(launch.gridX) * launch.blockX <= UINT32_MAX && uint64_t(launch.gridY) * launch.blockY <= UINT32_MAX &&
         uint64_t(launch.gridZ) * launch.blockZ <= UINT32_MAX;
}

int launch(const LaunchConfiguration *configuration, FunctionHandle function, void **arguments, void **extra) {
  const LaunchConfiguration &work = *configuration;
  if (!fits(work))
    return InvalidValue;
  bool isCooperative = false, hasOthers = false;
  for (uint32_t index = 0; index < work.attributeCount; ++index)
    (work.attributes[index].id == LaunchAttributeId::Cooperative ? isCooperative : hasOthers) = true;
  if (hasOthers)
    return library.launchWithAttributes ? library.launchWithAttributes(configuration, function, arguments, extra)
                                        : int(InvalidClusterSize);
  if (isCooperative)
    return library.launchCooperatively(function, work.gridX, work.gridY, work.gridZ, work.blockX, work.blockY,
                                       work.blockZ, work.sharedBytes, work.stream, arguments);
  return library.launch(function, work.gridX, work.gridY, work.gridZ, work.blockX, work.blockY, work.blockZ,
                        work.sharedBytes, work.stream, arguments, extra);
}

// Graphs.

hip::KernelNode nodeOf(const gpu::KernelNode &launch) {
  return {.block = {launch.blockX, launch.blockY, launch.blockZ},
          .extra = launch.extra,
          .function = launch.function,
          .grid = {launch.gridX, launch.gridY, launch.gridZ},
          .arguments = launch.arguments,
          .sharedBytes = launch.sharedBytes};
}
int addKernelNode(GraphNodeHandle *node, GraphHandle graph, const GraphNodeHandle *dependencies, size_t count,
                  const gpu::KernelNode *launch) {
  hip::KernelNode made = nodeOf(*launch);
  return library.addKernelNode(node, graph, dependencies, count, &made);
}
int changeKernelNode(ExecutableGraphHandle executable, GraphNodeHandle node, const gpu::KernelNode *launch) {
  hip::KernelNode changed = nodeOf(*launch);
  return library.changeKernelNode(executable, node, &changed);
}

/// The path of the library that is open in this process; empty: none is.
std::string openedAlready() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *found) {
        llvm::StringRef name = info->dlpi_name;
        if (!name.rsplit('/').second.starts_with("libamdhip64.so"))
          return 0;
        *static_cast<std::string *>(found) = name.str();
        return 1;
      },
      &path);
  return path;
}

SharedLibrary find(const std::string &path, std::string &name) {
  if (name = path.empty() ? openedAlready() : fileInFolder(path, "libamdhip64.so"); !name.empty())
    return SharedLibrary::open(name);
  for (const char *each : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"})
    if (SharedLibrary found = SharedLibrary::open(name = each))
      return found;
  return SharedLibrary::open(name = "/opt/rocm/lib/libamdhip64.so");
}

} // namespace

llvm::Expected<std::unique_ptr<const DriverApi>> openLibrary(const std::string &path) {
  std::string name;
  SharedLibrary opened = find(path, name);
  if (!opened)
    return llvm::createStringError("cannot open AMD's HIP library: " + opened.problem());
  auto api = std::make_unique<DriverApi>();
#define TRITON_HIP_SHARED(member, cuda, hip, parameters)                                                               \
  if (llvm::StringRef(#hip) != "absent")                                                                               \
    opened.need(api->member, #hip);
#define TRITON_HIP_SHARED_OPTIONAL(member, cuda, hip, parameters) opened.find(api->member, #hip);
#define TRITON_HIP_NEED(member, symbol, parameters) opened.need(library.member, #symbol);
#define TRITON_HIP_FIND(member, symbol, parameters) opened.find(library.member, #symbol);
  TRITON_DRIVER_REQUIRED(TRITON_HIP_SHARED)
  TRITON_DRIVER_OPTIONAL(TRITON_HIP_SHARED_OPTIONAL)
  TRITON_HIP_REQUIRED(TRITON_HIP_NEED)
  TRITON_HIP_OPTIONAL(TRITON_HIP_FIND)
#undef TRITON_HIP_FIND
#undef TRITON_HIP_NEED
#undef TRITON_HIP_SHARED_OPTIONAL
#undef TRITON_HIP_SHARED
  if (!opened.missing().empty())
    return llvm::createStringError("AMD's HIP library '" + name + "' is too old: it has no " + opened.missing() +
                                   "; ROCm 6 or newer is needed");
  int version = 0;
  if (api->driverVersion(&version) != Success || version < oldestVersion)
    return llvm::createStringError("AMD's HIP library '" + name + "' has version " + llvm::Twine(version / 10000000) +
                                   "." + llvm::Twine(version / 100000 % 100) + "; ROCm 6 or newer is needed");
  opened.keep();
  api->vendor = Vendor::Amd;
  api->deviceArchitecture = deviceArchitecture;
  api->deviceAttribute = deviceAttribute;
  api->retainPrimaryContext = retainPrimaryContext;
  api->getCurrentContext = getCurrentContext;
  api->setCurrentContext = setCurrentContext;
  api->pushContext = pushContext;
  api->popContext = popContext;
  api->setFunctionAttribute = setFunctionAttribute;
  api->setCachePreference = setCachePreference;
  api->launch = launch;
  if (library.addKernelNode && library.changeKernelNode) {
    api->addKernelNode = addKernelNode;
    api->changeKernelNode = changeKernelNode;
  }
  api->launchesGraphs = api->hasGraphs();
  return api;
}

} // namespace triton::runtime::hip
