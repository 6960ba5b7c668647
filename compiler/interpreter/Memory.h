// The memory interpreted kernels read and write: known buffers of the host, every access checked against them.
#pragma once

#include "compiler/support/AccessChecker.h"
#include "compiler/support/WaitDetector.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace triton::interpreter {

class Memory {
public:
  /// Lets kernels access `bytes` bytes from `data` on, as part of `name`. Buffers do not overlap.
  void add(void *data, uint64_t bytes, std::string name);

  /// Lets kernels access all of the host's memory, unchecked: for callers that know only pointers.
  void trustAll() { isTrusting = true; }

  /// Keeps kernels from storing to these bytes, which the argument `name` leads to.
  void protect(const void *data, uint64_t bytes, std::string name);
  /// The argument that must not be written and has one of these bytes; null if there is none.
  const std::string *protectedAt(uint64_t address, uint64_t bytes) const;

  /// The memory behind `address`, or null where `bytes` bytes from there do not lie in one buffer. Then `explain` says why.
  void *access(uint64_t address, uint64_t bytes) const;

  /// What is wrong with an access that `access` refused, in words.
  std::string explain(uint64_t address, uint64_t bytes) const;

  /// Watches every access, if set. The program, and the place where the host does not know places by itself, are for its messages.
  AccessChecker *checker = nullptr;
  std::array<int32_t, 3> program = {0, 0, 0};
  std::function<std::string()> place;
  /// Told of every access.
  mutable WaitDetector waiting{"in interpreter mode programs run one after the other"};
  /// An equal site that lives as long as this.
  const AccessSite *keep(AccessSite site) const;

private:
  struct Buffer {
    uint64_t bytes;
    std::string name;
  };
  std::map<uint64_t, Buffer> buffers; // by address
  std::vector<std::pair<uint64_t, Buffer>> readOnly;
  bool isTrusting = false;
  mutable std::map<std::string, AccessSite> sites;
};

} // namespace triton::interpreter
