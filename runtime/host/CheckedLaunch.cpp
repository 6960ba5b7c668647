#include "runtime/host/CheckedLaunch.h"

namespace triton::runtime {

static thread_local CheckedLaunch *watching = nullptr;

CheckedLaunch::CheckedLaunch(AccessChecker &checker) : checker(checker), outer(watching) { watching = this; }
CheckedLaunch::~CheckedLaunch() { watching = outer; }
CheckedLaunch *CheckedLaunch::current() { return watching; }

std::optional<std::string> CheckedLaunch::run(llvm::function_ref<void()> programs) {
  problem.reset();
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

bool CheckedLaunch::allows(const char *text, int32_t what, const void *address, int64_t element,
                           const std::array<int32_t, 3> &program) {
  std::unique_ptr<AccessSite> &site = sites[text];
  if (!site)
    site = std::make_unique<AccessSite>(parseSite(text));
  problem = checker.check({site.get(), Access::Kind(what >> 8 & 3), (what >> 10 & 1) != 0, (what >> 11 & 1) != 0,
                           unsigned(what & 255), reinterpret_cast<uint64_t>(address), element, program});
  return !problem;
}

} // namespace triton::runtime

extern "C" void triton_check_access(const char *site, int32_t what, const void *address, int64_t element, int32_t x,
                                    int32_t y, int32_t z) {
  triton::runtime::CheckedLaunch *launch = triton::runtime::CheckedLaunch::current();
  if (launch && !launch->allows(site, what, address, element, {x, y, z}))
    std::longjmp(launch->leave, 1);
}
