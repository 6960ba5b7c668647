#include "bindings/InterpreterLock.h"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace triton::python {

static thread_local unsigned depth = 0;
static std::atomic<int> visitors = 0; // threads with visits, less those that go on without the lock
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
  if (depth)
    --visitors;
}

void Visit::resume() {
  if (depth)
    enter();
}

void Visit::beginCounting() {
  pthread_atfork(nullptr, nullptr, [] {
    visitors = depth ? 1 : 0;
    isEnding = false;
  });
}

void Visit::endAll() {
  using namespace std::chrono;
  ender = pthread_self();
  isEnding = true;
  Unlocked unlocked;
  for (auto begin = steady_clock::now(); visitors > 0 && steady_clock::now() - begin < seconds(5);)
    std::this_thread::sleep_for(milliseconds(1));
}

} // namespace triton::python
