// What the simulator has to say about a launch: errors that ended it, and mistakes that a GPU would pass over in silence.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace triton::simulator {

/// What is looked at besides what would stop a GPU.
struct WatchSet {
  bool bounds = true;  // of the arrays that were passed
  bool shared = false; // reads of shared memory that nobody wrote
  bool races = false;  // accesses that nothing orders
};

struct Finding {
  enum class Kind : uint8_t {
    IllegalAddress,
    Misaligned,
    IllegalInstruction,
    Assertion,
    Trap,
    Divergence,
    Deadlock,
    Uninitialised,
    Race,
    Barrier, // phases and counts
    Leak,
    OutOfMemory, // of the host, for what the kernel declares
  };
  Kind kind;
  std::string place;   // kernel.py:12
  std::string message; // lower case, with the values
  uint64_t count = 1;  // of equal ones
  bool isFatal = false;
};

const char *nameOf(Finding::Kind kind);

class Findings {
public:
  /// Equal places and messages count as one finding.
  void add(Finding finding);
  std::vector<Finding> take();
  bool isEmpty();

private:
  std::mutex mutex;
  std::vector<Finding> list;
};

} // namespace triton::simulator
