#include "runtime/host/CheckedLaunch.h"

#include <algorithm>
#include <cstring>

namespace triton::runtime {

static thread_local CheckedLaunch *watching = nullptr;

CheckedLaunch::CheckedLaunch(AccessChecker &checker) : checker(checker), outer(watching) { watching = this; }
CheckedLaunch::~CheckedLaunch() { watching = outer; }
CheckedLaunch *CheckedLaunch::current() { return watching; }

std::optional<std::string> CheckedLaunch::run(const std::array<int32_t, 3> &wholeGrid,
                                              llvm::function_ref<void()> programs) {
  problem.reset();
  grid = wholeGrid;
  program = {-1, -1, -1};
  // Generated code has nothing to clean up, so that it may be left from its midst.
  if (setjmp(leave) == 0)
    programs();
  return std::move(problem);
}

static AccessSite parseSite(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts, sizes;
  text.split(parts, '\n');
  AccessSite site{.place = parts[0].str(), .variable = parts[1].str()};
  site.isTrusted = parts[2] == "*";
  if (!site.isTrusted)
    site.tensor = parts[2].str();
  parts[3].split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef size : sizes)
    site.shape.push_back(std::stoll(size.str()));
  return site;
}

void CheckedLaunch::note(const Access &access) {
  if (access.program != program) {
    program = access.program;
    const uint64_t columns = uint64_t(grid[0]), rows = uint64_t(grid[1]);
    const uint64_t number = (uint64_t(program[2]) * rows + uint64_t(program[1])) * columns + uint64_t(program[0]);
    waiting.beginProgram(program, columns * rows * uint64_t(grid[2]) - 1 - number);
  }
  if (access.kind == Access::Kind::Write)
    return waiting.noteWrite();
  if (access.kind == Access::Kind::Read && !access.acquires)
    return waiting.noteReads(1);
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void *>(access.address), std::min<size_t>(access.bytes, sizeof(value)));
  if ((problem = waiting.noteLook(access.address, value)) && !access.site->place.empty())
    problem = access.site->place + ": " + *problem;
}

bool CheckedLaunch::allows(const char *text, int32_t what, const void *address, int64_t element,
                           const std::array<int32_t, 3> &at) {
  std::unique_ptr<AccessSite> &site = sites[text];
  if (!site)
    site = std::make_unique<AccessSite>(parseSite(text));
  const Access access{site.get(),
                      Access::Kind(what >> 8 & 3),
                      (what >> 10 & 1) != 0,
                      (what >> 11 & 1) != 0,
                      unsigned(what & 255),
                      reinterpret_cast<uint64_t>(address),
                      element,
                      at};
  problem = checker.check(access);
  if (!problem)
    note(access);
  return !problem;
}

} // namespace triton::runtime

extern "C" void triton_check_access(const char *site, int32_t what, const void *address, int64_t element, int32_t x,
                                    int32_t y, int32_t z) {
  triton::runtime::CheckedLaunch *launch = triton::runtime::CheckedLaunch::current();
  if (launch && !launch->allows(site, what, address, element, {x, y, z}))
    std::longjmp(launch->leave, 1);
}
