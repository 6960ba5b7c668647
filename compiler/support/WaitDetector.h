// Notices a program that waits for what another one would write, where programs run one after the other, so that it would wait for good.
//   In:  what the program does to memory.
//   Out: a text for the user, once it has done nothing for a while but look, by atomics or volatile reads, at memory that stays as it is.
// Never while no program is left to begin: what is waited for may come from elsewhere.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace triton {

class WaitDetector {
public:
  /// `reason`: why programs do not run together, for the text.
  explicit WaitDetector(const char *reason, std::chrono::milliseconds patience = std::chrono::seconds(3))
      : reason(reason), patience(patience) {}

  /// `left`: how many programs have not begun, and cannot before this one has ended.
  void beginProgram(const std::array<int32_t, 3> &program, uint64_t left);
  /// Plain reads of some elements. A program that reads more than it looks is at work.
  void noteReads(uint64_t count) { reads += count; }
  void noteWrite() { restart(); }
  /// An atomic access or a volatile read of an element that holds `value` before. What is wrong, if the program has waited for too long.
  std::optional<std::string> noteLook(uint64_t address, uint64_t value);

private:
  using Clock = std::chrono::steady_clock;
  void restart() { looks = reads = 0; }

  const char *reason;
  std::chrono::milliseconds patience;
  std::array<int32_t, 3> program = {0, 0, 0};
  uint64_t left = 0;
  llvm::DenseMap<uint64_t, uint64_t> seen; // what the elements held that were looked at, by address
  uint64_t looks = 0, reads = 0;           // since something changed
  Clock::time_point since;                 // about the time of the first look
};

} // namespace triton
