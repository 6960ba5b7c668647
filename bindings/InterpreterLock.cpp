#include "bindings/InterpreterLock.h"

#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace triton::python {

using namespace std::chrono_literals;

constinit thread_local unsigned Visit::depth = 0;
std::atomic<int> Visit::inside = 0, Visit::outside = 0;
std::atomic<bool> Visit::isEnding = false;
static pthread_t ender; // the thread that ends the interpreter, once it does

void Visit::stopUnlessEnder() {
  if (pthread_equal(pthread_self(), ender))
    return;
  inside.fetch_sub(1);
  for (;;)
    pause();
}

Visit::Visit() {
  if (depth++)
    return;
  inside.fetch_add(1);
  if (!isEnding.load() || pthread_equal(pthread_self(), ender))
    return;
  PyEval_SaveThread();
  stopUnlessEnder();
}

Visit::~Visit() {
  if (--depth == 0)
    inside.fetch_sub(1);
}

/// Waits until `count` is zero.
static void waitFor(const std::atomic<int> &count, std::chrono::seconds limit) {
  auto begin = std::chrono::steady_clock::now();
  while (count > 0 && std::chrono::steady_clock::now() - begin < limit)
    std::this_thread::sleep_for(1ms);
}

void Visit::watchForks() {
  pthread_atfork([] { waitFor(outside, 2s); }, nullptr,
                 [] {
                   inside = depth ? 1 : 0; // of the threads, only this one is here
                   outside = 0;
                   isEnding = false;
                 });
}

void Visit::endAll() {
  ender = pthread_self();
  isEnding = true;
  PyThreadState *state = PyEval_SaveThread();
  waitFor(inside, 5s);
  PyEval_RestoreThread(state);
}

} // namespace triton::python
