#include "bindings/Interrupt.h"

#include "bindings/InterpreterLock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace triton::python {

namespace {
struct Exception {
  PyObject *type, *value, *traceback;
};
} // namespace

static thread_local Exception kept = {};

bool isInterrupted() {
  if (syscall(SYS_gettid) != getpid())
    return false;
  Locked lock;
  Visit visit;
  if (PyErr_CheckSignals() == 0)
    return false;
  PyErr_Fetch(&kept.type, &kept.value, &kept.traceback);
  return true;
}

bool raiseInterruption() {
  auto [type, value, traceback] = std::exchange(kept, {});
  if (type)
    PyErr_Restore(type, value, traceback);
  return type != nullptr;
}

} // namespace triton::python
