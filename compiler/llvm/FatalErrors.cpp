#include "compiler/llvm/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <mutex>
#include <string>

namespace triton {

namespace {
/// Where a thread goes on after a fatal error.
struct Rescue {
  std::jmp_buf place;
  std::string reason;
};
} // namespace

static thread_local Rescue *current = nullptr;

/// Returns only where nobody waits: LLVM then ends the process, as it does without a handler.
static void handle(void *, const char *reason, bool) {
  if (!current)
    return;
  current->reason = reason;
  std::longjmp(current->place, 1);
}

llvm::Error survive(llvm::function_ref<void()> work) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(handle); });
  Rescue rescue, *const outer = current;
  if (setjmp(rescue.place) == 0) {
    current = &rescue;
    work();
    current = outer;
    return llvm::Error::success();
  }
  current = outer;
  return llvm::createStringError("LLVM cannot make code of this: " + rescue.reason);
}

} // namespace triton
