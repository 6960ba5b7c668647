// Loaded code of the CPU target, and its launch.
#include <triton/embed.h>

#include "dispatch/launch/ThreadLimit.h"
#include "runtime/host/Launch.h"

namespace triton::embed {

Result<HostKernel> HostKernel::load(std::string_view object, const std::string &symbol, uint64_t arenaBytes) {
  llvm::Expected<std::shared_ptr<const runtime::KernelCode>> code =
      runtime::KernelCode::load(object, symbol, arenaBytes);
  if (!code)
    return Error{"RuntimeError", llvm::toString(code.takeError())};
  return HostKernel(std::shared_ptr<const void>(*code));
}

/// Out of line: a launch that is warm counts instructions.
[[gnu::noinline]] static std::optional<std::string> readLimit(unsigned given, unsigned &threads) {
  llvm::Expected<unsigned> limit = dispatch::threadLimit(given);
  if (!limit)
    return llvm::toString(limit.takeError());
  threads = *limit;
  return std::nullopt;
}

[[gnu::noinline]] static std::string describe(llvm::Error error) { return llvm::toString(std::move(error)); }

std::optional<std::string> HostKernel::launch(const void *arguments, const int32_t grid[3], const Launch &how) const {
  unsigned threads = 1;
  if ((grid[0] ^ 1) | (grid[1] ^ 1) | (grid[2] ^ 1)) // one program needs no limit: reading it is a sixth of its launch
    if (std::optional<std::string> problem = readLimit(how.maxThreads, threads))
      return problem;
  if (llvm::Error error =
          runtime::launch(*static_cast<const runtime::KernelCode *>(code.get()), arguments, {grid[0], grid[1], grid[2]},
                          {threads, how.waitsForPrograms, how.polls, how.isInterrupted}))
    return describe(std::move(error));
  return std::nullopt;
}

} // namespace triton::embed
