// Devices, memory and streams of include/triton/cuda.h.
#include <triton/cuda.h>

#include "api/CudaKernel.h"
#include "runtime/cuda/Memory.h"

namespace triton::cuda {

namespace driver = runtime::cuda;

static Error toError(llvm::Error error) { return Error("RuntimeError", llvm::toString(std::move(error))); }
static std::optional<Error> toOptional(llvm::Error error) {
  if (error)
    return toError(std::move(error));
  return std::nullopt;
}

Expected<int> tryDeviceCount() {
  auto found = cudaDriver();
  return found ? Expected<int>(found->deviceCount()) : Expected<int>(toError(found.takeError()));
}

Expected<std::string> tryArchitecture(int device) {
  auto found = cudaDriver();
  if (!found)
    return toError(found.takeError());
  auto properties = found->properties(device);
  if (!properties)
    return toError(properties.takeError());
  return "sm_" + std::to_string(properties->capability) + (properties->capability >= 90 ? "a" : "");
}

std::optional<Error> trySynchronize(void *stream, int device) {
  return toOptional(driver::synchronize(static_cast<driver::StreamHandle>(stream), device));
}

struct Memory::State {
  mutable driver::DeviceMemory memory;
};

Expected<Memory> Memory::tryAllocate(size_t bytes, int device) {
  if (auto found = cudaDriver(); !found)
    return toError(found.takeError());
  auto allocated = driver::DeviceMemory::allocate(bytes, device);
  if (!allocated)
    return toError(allocated.takeError());
  Memory memory;
  memory.state = std::make_shared<State>(State{std::move(*allocated)});
  return memory;
}

void *Memory::data() const { return reinterpret_cast<void *>(state->memory.address()); }
size_t Memory::bytes() const { return state->memory.bytes(); }
std::optional<Error> Memory::tryCopyFrom(const void *host, size_t bytes) const {
  return toOptional(state->memory.copyFrom(host, bytes));
}
std::optional<Error> Memory::tryCopyTo(void *host, size_t bytes) const {
  return toOptional(state->memory.copyTo(host, bytes));
}

struct Stream::State {
  driver::StreamHandle stream;
  int device;
  ~State() { driver::destroyStream(stream, device); }
};

Expected<Stream> Stream::tryCreate(int device) {
  if (auto found = cudaDriver(); !found)
    return toError(found.takeError());
  auto created = driver::createStream(device);
  if (!created)
    return toError(created.takeError());
  Stream stream;
  stream.state = std::shared_ptr<const State>(new State{*created, device});
  return stream;
}

void *Stream::handle() const { return state->stream; }
std::optional<Error> Stream::trySynchronize() const {
  return toOptional(driver::synchronize(state->stream, state->device));
}

} // namespace triton::cuda
