// Loaded code of the CPU target, and its launch.
#include <triton/embed.h>

#include "dispatch/launch/HostKernel.h"

namespace triton::embed {

Result<HostKernel> HostKernel::load(std::string_view object, const std::string &symbol, uint64_t arenaBytes) {
  llvm::Expected<std::shared_ptr<const runtime::KernelCode>> code =
      runtime::KernelCode::load(object, symbol, arenaBytes);
  if (!code)
    return Error{"RuntimeError", llvm::toString(code.takeError())};
  return HostKernel(std::shared_ptr<const void>(*code));
}

std::optional<std::string> HostKernel::launch(const void *arguments, const int32_t grid[3], const Launch &how) const {
  const auto &kernel = *static_cast<const runtime::KernelCode *>(code.get());
  unsigned threads = 1;
  if (grid[0] != 1 || grid[1] != 1 || grid[2] != 1) { // one program needs no limit: reading it is a sixth of its launch
    llvm::Expected<unsigned> limit = dispatch::threadLimit(how.maxThreads);
    if (!limit)
      return llvm::toString(limit.takeError());
    threads = *limit;
  }
  if (llvm::Error error = dispatch::launch(
          kernel, {{grid[0], grid[1], grid[2]}, threads, how.waitsForPrograms, how.polls, how.isInterrupted},
          arguments))
    return llvm::toString(std::move(error));
  return std::nullopt;
}

} // namespace triton::embed
