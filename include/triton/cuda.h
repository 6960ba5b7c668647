// Memory and streams of NVIDIA GPUs for C++ programs that launch kernels there and use no other CUDA library; no CUDA header is needed.
//
//   triton::cuda::Buffer<float> x(host), out(n);                              // copies of host data, or room for n elements
//   module.kernel("add_kernel").launch(triton::cdiv(n, 1024), {x, x, out, n, 1024}, {.target = "cuda"});
//   std::vector<float> result = out.toHost();
//
// Pointers of cudaMalloc, and streams of any CUDA library, serve as well: `triton::Options::stream`.
#pragma once

#include <triton/c_cuda.h>
#include <triton/triton.h>

namespace triton::cuda {

/// How many devices there are; an Error where there is no driver.
inline Expected<int> tryDeviceCount() {
  detail::ErrorSlot error;
  const int count = triton_cuda_device_count(error);
  if (count < 0)
    return error.take();
  return count;
}
inline int deviceCount() { return tryDeviceCount().take(); }
/// "sm_90a"
inline Expected<std::string> tryArchitecture(int device = 0) {
  detail::ErrorSlot error;
  triton_bytes *name = triton_cuda_architecture(device, error);
  if (!name)
    return error.take();
  return detail::takeBytes(name);
}
inline std::string architecture(int device = 0) { return tryArchitecture(device).take(); }

/// Waits for the work of a stream, by default the device's default one; errors of kernels show here.
inline std::optional<Error> trySynchronize(void *stream = nullptr, int device = 0) {
  detail::ErrorSlot error;
  return error.check(triton_cuda_synchronize(stream, device, error));
}
inline void synchronize(void *stream = nullptr, int device = 0) {
  if (std::optional<Error> error = trySynchronize(stream, device))
    throw *error;
}

/// An allocation in a device's memory; copies of this object share it.
class Memory {
public:
  static Expected<Memory> tryAllocate(size_t bytes, int device = 0) {
    detail::ErrorSlot error;
    Memory memory;
    memory.state = decltype(memory.state)(triton_cuda_memory_allocate(bytes, device, error));
    if (!memory.state)
      return error.take();
    return memory;
  }
  void *data() const { return triton_cuda_memory_data(detail::require(state, "Memory")); }
  size_t bytes() const { return triton_cuda_memory_bytes(detail::require(state, "Memory")); }
  /// Both wait until the copy is done.
  std::optional<Error> tryCopyFrom(const void *host, size_t bytes) const {
    if (!state)
      return detail::emptyError("Memory");
    detail::ErrorSlot error;
    return error.check(triton_cuda_memory_copy_from(state.get(), host, bytes, error));
  }
  std::optional<Error> tryCopyTo(void *host, size_t bytes) const {
    if (!state)
      return detail::emptyError("Memory");
    detail::ErrorSlot error;
    return error.check(triton_cuda_memory_copy_to(state.get(), host, bytes, error));
  }

  detail::Handle<triton_cuda_memory, triton_cuda_memory_retain, triton_cuda_memory_free> state;
};

/// Elements in a device's memory. Passed to a kernel it is the pointer to the first.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t count, int device = 0)
      : memory(Memory::tryAllocate(bytesOf(count), device).take()), count(count) {}
  explicit Buffer(const std::vector<T> &host, int device = 0) : Buffer(host.size(), device) { copyFrom(host); }

  T *data() const { return static_cast<T *>(memory.data()); }
  size_t size() const { return count; }
  operator Argument() const { return Argument(data()); }
  void copyFrom(const std::vector<T> &host) const { check(memory.tryCopyFrom(host.data(), host.size() * sizeof(T))); }
  std::vector<T> toHost() const {
    std::vector<T> host(count);
    check(memory.tryCopyTo(host.data(), count * sizeof(T)));
    return host;
  }

private:
  static size_t bytesOf(size_t count) {
    if (count > SIZE_MAX / sizeof(T))
      throw Error("ValueError", std::to_string(count) + " elements are more than any memory holds");
    return count * sizeof(T);
  }
  static void check(const std::optional<Error> &error) {
    if (error)
      throw *error;
  }
  Memory memory;
  size_t count;
};

/// A queue of work on a device; `handle()` is a CUstream.
class Stream {
public:
  static Expected<Stream> tryCreate(int device = 0) {
    detail::ErrorSlot error;
    Stream stream;
    stream.state = decltype(stream.state)(triton_cuda_stream_create(device, error));
    if (!stream.state)
      return error.take();
    return stream;
  }
  static Stream create(int device = 0) { return tryCreate(device).take(); }
  void *handle() const { return triton_cuda_stream_handle(detail::require(state, "Stream")); }
  std::optional<Error> trySynchronize() const {
    if (!state)
      return detail::emptyError("Stream");
    detail::ErrorSlot error;
    return error.check(triton_cuda_stream_synchronize(state.get(), error));
  }
  void synchronize() const {
    if (std::optional<Error> error = trySynchronize())
      throw *error;
  }

  detail::Handle<triton_cuda_stream, triton_cuda_stream_retain, triton_cuda_stream_free> state;
};

} // namespace triton::cuda
