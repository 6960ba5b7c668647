// Which addresses of this process there is memory at, as the kernel of the system lists them.
#pragma once

#include <cstdint>
#include <vector>

namespace triton {

class MappedMemory {
public:
  enum class Access { None, Read, ReadAndWrite };
  /// What may be done with every one of the `bytes` bytes at `address`. Where the system lists nothing, everything.
  Access at(uint64_t address, uint64_t bytes);

private:
  struct Range {
    uint64_t begin, end;
    Access access;
  };
  Access find(uint64_t address, uint64_t bytes) const;
  void list();

  std::vector<Range> ranges; // by address; listed anew where an address is in none of them
};

} // namespace triton
