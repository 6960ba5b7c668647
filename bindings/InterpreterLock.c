// In C, where a thread's end runs the handlers of `pthread_cleanup_push` before it unwinds the frames above: in C++ they would be part of the unwinding,
// which our own copy of the unwinder has no part in.
#include <Python.h>

#include <pthread.h>
#include <unistd.h>

static void stopForGood(void *unused) {
  (void)unused;
  for (;;)
    pause();
}

void tritonRestoreThread(PyThreadState *state) {
  pthread_cleanup_push(stopForGood, NULL);
  PyEval_RestoreThread(state);
  pthread_cleanup_pop(0);
}

PyGILState_STATE tritonEnsureLock(void) {
  PyGILState_STATE state;
  pthread_cleanup_push(stopForGood, NULL);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}
