// Taking Python's lock, and letting go of it, for a scope; and the end of the interpreter while threads are here.
// When the interpreter ends, it ends every other thread that asks for its lock, by unwinding the thread's stack: through C++ frames that cannot be
// unwound, which would abort the process. So a thread that asks for the lock here at that time stops for good instead, and the end waits for threads
// that are in Python on behalf of frames of ours, until they come back to them.
#pragma once

#include <Python.h>

extern "C" {
/// PyEval_RestoreThread and PyGILState_Ensure, but for the end of the interpreter.
void tritonRestoreThread(PyThreadState *state);
PyGILState_STATE tritonEnsureLock(void);
}

namespace triton::python {

/// Python called us, and we may call Python: the thread must not be ended while this lives.
class Visit {
public:
  Visit();
  Visit(const Visit &) = delete;
  ~Visit();

  /// The thread goes on without the lock, and may stop at any time; and comes back. They do nothing where there is no visit.
  static void pause();
  static void resume();
  /// Called once, when the module is loaded. From then on a fork waits for visitors that go on without the lock, a little while: until they are done or ask for the
  /// lock, which the forking thread has. A child that was forked while another thread was setting up parts of MLIR would wait for good for it to finish.
  static void watchForks();
  /// Called when the interpreter is about to end: makes visitors stop, and waits for those that cannot yet, for a few seconds at most.
  static void endAll();
};

/// The lock is held while it lives, by whichever thread: one that Python does not know, or one that holds it already.
class Locked {
public:
  Locked() : wasHeld(PyGILState_Check()) {
    if (!wasHeld)
      Visit::resume();
    state = tritonEnsureLock();
  }
  Locked(const Locked &) = delete;
  ~Locked() {
    if (!wasHeld)
      Visit::pause();
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
    Visit::pause(); // before: whoever has the lock next must know
    state = PyEval_SaveThread();
  }
  Unlocked(const Unlocked &) = delete;
  ~Unlocked() {
    Visit::resume();
    tritonRestoreThread(state);
  }

private:
  PyThreadState *state;
};

} // namespace triton::python
