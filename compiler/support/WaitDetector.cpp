#include "compiler/support/WaitDetector.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton {

void WaitDetector::beginProgram(const std::array<int32_t, 3> &begun, uint64_t leftNow) {
  program = begun;
  left = leftNow;
  seen.clear();
  restart();
}

std::optional<std::string> WaitDetector::noteLook(uint64_t address, uint64_t value) {
  constexpr uint64_t clockEvery = 256;
  constexpr size_t elementLimit = 4096; // who looks at more than that does not wait
  if (left == 0)
    return std::nullopt;
  auto [known, isNew] = seen.try_emplace(address, value);
  if (isNew || known->second != value) {
    known->second = value;
    restart();
    if (seen.size() > elementLimit)
      seen.clear();
    return std::nullopt;
  }
  if (looks++ == 0)
    since = Clock::now();
  const bool mayWait = looks % clockEvery == 0 && reads < looks;
  if (!mayWait || Clock::now() - since < patience)
    return std::nullopt;
  return llvm::formatv("program ({0}, {1}, {2}) has waited for {3} s for what another program would write, while {4} "
                       "programs have not begun: {5}, so they cannot wait for each other",
                       program[0], program[1], program[2],
                       std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since).count(), left, reason)
      .str();
}

} // namespace triton
