// Which addresses of the process are there at all: for kernels of which nobody said what they may touch.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace triton::simulator {

class HostMemory {
public:
  /// Whether all bytes can be read, or written. Looks again where they could not be: memory may have come since.
  bool contains(uint64_t begin, uint64_t bytes, bool writes);

private:
  struct Stretch {
    uint64_t begin, end;
    bool isWritable;
  };
  bool isKnown(uint64_t begin, uint64_t end, bool writes) const;
  void read();

  std::shared_mutex mutex;
  std::vector<Stretch> stretches; // by address; neighbours with the same rights are one
};

} // namespace triton::simulator
