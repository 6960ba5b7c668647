#include "runtime/host/InterruptibleCode.h"

#include "runtime/host/ThreadPool.h"

#include <csetjmp>
#include <sched.h>
#include <utility>

namespace triton::runtime {

namespace {
/// Generated code that runs on this thread.
struct Running {
  Interruption &interruption;
  std::jmp_buf leave;
  unsigned polls = 0;
};
} // namespace

static thread_local Running *current = nullptr;

void runInterruptibly(Interruption &interruption, llvm::function_ref<void()> programs) {
  Running running{interruption, {}};
  Running *const outer = std::exchange(current, &running);
  if (setjmp(running.leave) == 0)
    programs();
  current = outer;
}

void askAside(Interruption &interruption) {
  ArenaInUse arena;
  interruption.ask();
}

} // namespace triton::runtime

extern "C" void triton_poll() {
  using namespace triton::runtime;
  Running *running = current;
  if (!running)
    return;
  // A look at the clock costs as much as the atomic access that such a loop goes round for.
  if (++running->polls % 64 == 0)
    askAside(running->interruption);
  if (running->interruption.isSet())
    std::longjmp(running->leave, 1);
  // Many may wait on few processors: for one another, or so that the launching thread cannot ask.
  if (running->polls % 256 == 0)
    sched_yield();
}
