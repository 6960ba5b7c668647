#include "bindings/InterpreterLock.h"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace triton::python {

static thread_local unsigned depth = 0;
static std::atomic<int> visitors = 0; // threads with visits, less those that go on without the lock
static std::atomic<int> outside = 0;  // those
static std::atomic<bool> isEnding = false;
static pthread_t ender; // the thread that ends the interpreter, once it does

static void enter() {
  ++visitors;
  if (!isEnding.load() || pthread_equal(pthread_self(), ender))
    return;
  --visitors;
  for (;;)
    ::pause();
}

Visit::Visit() {
  if (depth++)
    return;
  if (isEnding.load() && !pthread_equal(pthread_self(), ender))
    PyEval_SaveThread(); // stops below, and must not keep the lock
  enter();
}

Visit::~Visit() {
  if (--depth == 0)
    --visitors;
}

void Visit::pause() {
  if (!depth)
    return;
  ++outside;
  --visitors;
}

void Visit::resume() {
  if (!depth)
    return;
  --outside;
  enter();
}

using namespace std::chrono_literals;

/// Waits until `count` is zero.
static void waitFor(const std::atomic<int> &count, std::chrono::seconds limit) {
  auto begin = std::chrono::steady_clock::now();
  while (count > 0 && std::chrono::steady_clock::now() - begin < limit)
    std::this_thread::sleep_for(1ms);
}

void Visit::watchForks() {
  pthread_atfork([] { waitFor(outside, 2s); }, nullptr,
                 [] {
                   visitors = depth ? 1 : 0; // of the threads, only this one is here
                   outside = 0;
                   isEnding = false;
                 });
}

void Visit::endAll() {
  ender = pthread_self();
  isEnding = true;
  Unlocked unlocked;
  waitFor(visitors, 5s);
}

} // namespace triton::python
