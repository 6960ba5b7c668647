#include "compiler/support/Interruption.h"

#include "compiler/support/DeepStack.h"

namespace triton {

using Clock = std::chrono::steady_clock;

// Short enough that nobody has to wait for it, long enough that asking costs nothing: in Python it takes the interpreter's lock.
static constexpr auto askEvery = std::chrono::milliseconds(50);

bool Interruption::ask() {
  if (!question || isSet() || !pthread_equal(pthread_self(), asker))
    return isSet();
  const Clock::time_point now = Clock::now();
  if (last == Clock::time_point())
    last = now;
  if (now - last < askEvery)
    return false;
  runOnOwnStack([&] {
    if (question())
      isInterrupted.store(true, std::memory_order_relaxed);
  });
  last = Clock::now();
  return isSet();
}

} // namespace triton
