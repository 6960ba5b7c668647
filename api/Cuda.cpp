// Devices, memory and streams of include/triton/c_cuda.h.
#include <triton/c_cuda.h>

#include "api/Border.h"
#include "dispatch/launch/CudaKernel.h"
#include "runtime/gpu/Memory.h"

using namespace triton;
namespace driver = runtime::gpu;

struct triton_cuda_memory : llvm::ThreadSafeRefCountedBase<triton_cuda_memory> {
  explicit triton_cuda_memory(driver::DeviceMemory memory) : memory(std::move(memory)) {}
  mutable driver::DeviceMemory memory;
};

struct triton_cuda_stream : llvm::ThreadSafeRefCountedBase<triton_cuda_stream> {
  triton_cuda_stream(driver::StreamHandle stream, int device) : stream(stream), device(device) {}
  ~triton_cuda_stream() { driver::destroyStream(stream, device); }
  driver::StreamHandle stream;
  int device;
};

static llvm::Expected<triton_cuda_memory *> allocate(size_t bytes, int device) {
  if (auto found = dispatch::gpuDriver(); !found)
    return found.takeError();
  auto allocated = driver::DeviceMemory::allocate(bytes, device);
  if (!allocated)
    return allocated.takeError();
  return handOut(llvm::makeIntrusiveRefCnt<triton_cuda_memory>(std::move(*allocated)));
}

static llvm::Expected<triton_cuda_stream *> createStream(int device) {
  if (auto found = dispatch::gpuDriver(); !found)
    return found.takeError();
  auto created = driver::createStream(device);
  if (!created)
    return created.takeError();
  return handOut(llvm::makeIntrusiveRefCnt<triton_cuda_stream>(*created, device));
}

extern "C" {

int triton_cuda_device_count(triton_error **error) {
  int count = -1;
  attempt(error, {}, [&]() -> llvm::Error {
    auto found = dispatch::gpuDriver();
    if (!found)
      return found.takeError();
    count = found->deviceCount();
    return llvm::Error::success();
  });
  return count;
}

triton_bytes *triton_cuda_architecture(int device, triton_error **error) {
  return make(error, {}, [&]() -> llvm::Expected<triton_bytes *> {
    auto name = dispatch::gpuArchitecture(device);
    if (!name)
      return name.takeError();
    return new triton_bytes{std::move(*name)};
  });
}

int triton_cuda_synchronize(void *stream, int device, triton_error **error) {
  return attempt(error, {}, [&] { return driver::synchronize(static_cast<driver::StreamHandle>(stream), device); });
}

triton_cuda_memory *triton_cuda_memory_allocate(size_t bytes, int device, triton_error **error) {
  return make(error, {}, [&] { return allocate(bytes, device); });
}

void *triton_cuda_memory_data(const triton_cuda_memory *memory) {
  return memory ? reinterpret_cast<void *>(memory->memory.address()) : nullptr;
}
size_t triton_cuda_memory_bytes(const triton_cuda_memory *memory) { return memory ? memory->memory.bytes() : 0; }

int triton_cuda_memory_copy_from(const triton_cuda_memory *memory, const void *host, size_t bytes,
                                 triton_error **error) {
  return attempt(error, {{"memory", memory}, {"host", bytes ? host : memory}},
                 [&] { return memory->memory.copyFrom(host, bytes); });
}
int triton_cuda_memory_copy_to(const triton_cuda_memory *memory, void *host, size_t bytes, triton_error **error) {
  return attempt(error, {{"memory", memory}, {"host", bytes ? host : memory}},
                 [&] { return memory->memory.copyTo(host, bytes); });
}

triton_cuda_memory *triton_cuda_memory_retain(const triton_cuda_memory *memory) { return retain(memory); }
void triton_cuda_memory_free(triton_cuda_memory *memory) { release(memory); }

triton_cuda_stream *triton_cuda_stream_create(int device, triton_error **error) {
  return make(error, {}, [&] { return createStream(device); });
}
void *triton_cuda_stream_handle(const triton_cuda_stream *stream) { return stream ? stream->stream : nullptr; }
int triton_cuda_stream_synchronize(const triton_cuda_stream *stream, triton_error **error) {
  return attempt(error, {{"stream", stream}}, [&] { return driver::synchronize(stream->stream, stream->device); });
}
triton_cuda_stream *triton_cuda_stream_retain(const triton_cuda_stream *stream) { return retain(stream); }
void triton_cuda_stream_free(triton_cuda_stream *stream) { release(stream); }

} // extern "C"
