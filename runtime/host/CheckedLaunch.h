// Launches whose memory accesses are watched.
//   In:  calls of `triton_check_access` from code that was compiled to make them.
//   Out: the first access that is wrong ends the launch, which fails with what is wrong.
// While one lives, launches of its thread run on that thread alone, program after program: so what is found does not depend on chance.
#pragma once

#include "compiler/support/AccessChecker.h"
#include "compiler/support/WaitDetector.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <csetjmp>

extern "C" {
/// `site` is "place\nvariable\ntensor\nshape", the tensor "*" if the pointers may come from memory, `what` is bytes | kind << 8 | acquires << 10 | releases << 11. Does not return if the
/// access must not happen.
void triton_check_access(const char *site, int32_t what, const void *address, int64_t element, int32_t x, int32_t y,
                         int32_t z);
}

namespace triton::runtime {

class CheckedLaunch {
public:
  explicit CheckedLaunch(AccessChecker &checker);
  ~CheckedLaunch();
  CheckedLaunch(const CheckedLaunch &) = delete;

  /// The one that watches this thread; null if none does.
  static CheckedLaunch *current();

  /// Calls `programs`, which runs generated code for the whole grid. What is wrong, if it did not end by itself.
  std::optional<std::string> run(const std::array<int32_t, 3> &grid, llvm::function_ref<void()> programs);

private:
  friend void ::triton_check_access(const char *, int32_t, const void *, int64_t, int32_t, int32_t, int32_t);
  /// Whether it may happen; otherwise `problem` is set.
  bool allows(const char *site, int32_t what, const void *address, int64_t element,
              const std::array<int32_t, 3> &program);
  /// Tells `waiting` of an access that may happen.
  void note(const Access &access);

  AccessChecker &checker;
  CheckedLaunch *outer;
  llvm::DenseMap<const char *, std::unique_ptr<AccessSite>> sites;
  WaitDetector waiting{"checked programs (TRITON_SANITIZE) run one after the other"};
  std::array<int32_t, 3> grid, program; // the program that runs
  std::optional<std::string> problem;
  std::jmp_buf leave;
};

} // namespace triton::runtime
