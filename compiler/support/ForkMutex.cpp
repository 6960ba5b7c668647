#include "compiler/support/ForkMutex.h"

#include <initializer_list>
#include <pthread.h>
#include <utility>

namespace triton {

static std::mutex allMutex;
static ForkMutex *all = nullptr; // under `allMutex`

struct ForkMutexes {
  template <typename Function> static void each(ForkMutex::Nesting nesting, Function function) {
    for (ForkMutex *mutex = all; mutex; mutex = mutex->next)
      if (mutex->nesting == nesting)
        function(*mutex);
  }
  /// Outer ones first, as everybody takes them.
  static void lockAll() {
    allMutex.lock();
    for (auto nesting : {ForkMutex::Nesting::Outer, ForkMutex::Nesting::Inner})
      each(nesting, [](ForkMutex &mutex) { mutex.lock(); });
  }
  static void unlockAll() {
    for (auto nesting : {ForkMutex::Nesting::Inner, ForkMutex::Nesting::Outer})
      each(nesting, [](ForkMutex &mutex) { mutex.unlock(); });
    allMutex.unlock();
  }
};

ForkMutex::ForkMutex(Nesting nesting) : nesting(nesting) {
  std::lock_guard lock(allMutex);
  if (!all)
    pthread_atfork(ForkMutexes::lockAll, ForkMutexes::unlockAll, ForkMutexes::unlockAll);
  next = std::exchange(all, this);
}

} // namespace triton
