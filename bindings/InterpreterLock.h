// Taking Python's lock, and letting go of it, for a scope; forks, and the end of the interpreter, while threads are here.
// When the interpreter ends, it ends every other thread that asks for its lock, by unwinding the thread's stack: through C++ frames that cannot be
// unwound, which would abort the process. So a thread that comes back for the lock at that time stops for good instead, and the end waits for threads that
// have come back, or are in Python on behalf of frames of ours.
#pragma once

#include <Python.h>

#include <atomic>

namespace triton::python {

/// Python called us, and we may call Python: the thread must not be ended while this lives.
class Visit {
public:
  Visit();
  Visit(const Visit &) = delete;
  ~Visit();

  /// Called once, when the module is loaded. From then on a fork waits for visitors that go on without the lock, a little while: until they are done or ask for the
  /// lock, which the forking thread has. A child that was forked while another thread was setting up parts of MLIR would wait for good for it to finish.
  static void watchForks();
  /// Called when the interpreter is about to end: makes visitors stop, and waits for those that cannot yet, for a few seconds at most.
  static void endAll();

private:
  friend class Locked;
  friend class Unlocked;

  /// The thread is about to let go of the lock, and may stop at any time from then on.
  static void leave() {
    if (!depth)
      return;
    outside.fetch_add(1);
    inside.fetch_sub(1);
  }
  /// It asks for the lock.
  static void comeBack() {
    if (depth)
      outside.fetch_sub(1);
    inside.fetch_add(1);
    if (isEnding.load())
      stopUnlessEnder();
  }
  /// It has the lock. Without a visit, no Python runs before we return.
  static void arrive() {
    if (!depth)
      inside.fetch_sub(1);
  }
  static void stopUnlessEnder();

  [[gnu::tls_model("initial-exec")]] static constinit thread_local unsigned depth; // visits of the thread
  static std::atomic<int> inside;  // threads with visits and with the lock, or that have come back for it
  static std::atomic<int> outside; // threads with visits that go on without the lock
  static std::atomic<bool> isEnding;
};

/// The lock is held while it lives, by whichever thread: one that Python does not know, or one that holds it already.
class Locked {
public:
  Locked() : wasHeld(PyGILState_Check()) {
    if (!wasHeld)
      Visit::comeBack();
    state = PyGILState_Ensure();
    if (!wasHeld)
      Visit::arrive();
  }
  Locked(const Locked &) = delete;
  ~Locked() {
    if (!wasHeld)
      Visit::leave();
    PyGILState_Release(state);
  }

private:
  bool wasHeld;
  PyGILState_STATE state;
};

/// The lock, which the thread holds, is free while it lives.
class Unlocked {
public:
  Unlocked() {
    Visit::leave(); // before: whoever has the lock next must know
    state = PyEval_SaveThread();
  }
  Unlocked(const Unlocked &) = delete;
  ~Unlocked() {
    Visit::comeBack();
    PyEval_RestoreThread(state);
    Visit::arrive();
  }

private:
  PyThreadState *state;
};

/// What `function` gives, called without the lock: for what may take long, or wait for others.
template <typename Function> auto unlocked(Function function) {
  Unlocked released;
  return function();
}

} // namespace triton::python
