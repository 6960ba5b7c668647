#include "compiler/support/WorkerThread.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <system_error>

namespace triton {

static void warnOnce(const std::system_error &error) {
  static std::atomic<bool> isSaid{false};
  if (!isSaid.exchange(true))
    fprintf(stderr, "warning: triton can start no more threads, and works on those that there are: %s\n",
            error.code().message().c_str());
}

std::thread startWorker(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread started;
  try {
    started = std::thread(std::move(work));
  } catch (const std::system_error &error) {
    warnOnce(error);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

} // namespace triton
