// Memory and streams of NVIDIA GPUs for C++ programs that launch kernels there and use no other CUDA library; no CUDA header is needed.
//
//   triton::cuda::Buffer<float> x(host), out(n);                              // copies of host data, or room for n elements
//   module.kernel("add_kernel").launch(triton::cdiv(n, 1024), {x, x, out, n, 1024}, {.target = "cuda"});
//   std::vector<float> result = out.toHost();
//
// Pointers of cudaMalloc, and streams of any CUDA library, serve as well: `triton::Options::stream`.
#pragma once

#include <triton/triton.h>

#include <vector>

namespace triton::cuda {

/// How many devices there are; an Error where there is no driver.
TRITON_EXPORT Expected<int> tryDeviceCount();
inline int deviceCount() { return tryDeviceCount().take(); }
/// "sm_90a"
TRITON_EXPORT Expected<std::string> tryArchitecture(int device = 0);
inline std::string architecture(int device = 0) { return tryArchitecture(device).take(); }

/// Waits for the work of a stream, by default the device's default one; errors of kernels show here.
TRITON_EXPORT std::optional<Error> trySynchronize(void *stream = nullptr, int device = 0);
inline void synchronize(void *stream = nullptr, int device = 0) {
  if (std::optional<Error> error = trySynchronize(stream, device))
    throw *error;
}

/// An allocation in a device's memory; copies of this object share it.
class TRITON_EXPORT Memory {
public:
  static Expected<Memory> tryAllocate(size_t bytes, int device = 0);
  void *data() const;
  size_t bytes() const;
  /// Both wait until the copy is done.
  std::optional<Error> tryCopyFrom(const void *host, size_t bytes) const;
  std::optional<Error> tryCopyTo(void *host, size_t bytes) const;

  struct State;
  std::shared_ptr<const State> state;
};

/// Elements in a device's memory. Passed to a kernel it is the pointer to the first.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t count, int device = 0)
      : memory(Memory::tryAllocate(count * sizeof(T), device).take()), count(count) {}
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
  static void check(const std::optional<Error> &error) {
    if (error)
      throw *error;
  }
  Memory memory;
  size_t count;
};

/// A queue of work on a device; `handle()` is a CUstream.
class TRITON_EXPORT Stream {
public:
  static Expected<Stream> tryCreate(int device = 0);
  static Stream create(int device = 0) { return tryCreate(device).take(); }
  void *handle() const;
  std::optional<Error> trySynchronize() const;
  void synchronize() const {
    if (std::optional<Error> error = trySynchronize())
      throw *error;
  }

  struct State;
  std::shared_ptr<const State> state;
};

} // namespace triton::cuda
