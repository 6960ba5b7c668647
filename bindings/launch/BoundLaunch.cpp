#include "bindings/launch/BoundLaunch.h"

#include "bindings/launch/LaunchCall.h"
#include "bindings/launch/RepeatedCall.h"

#include <structmember.h>

#include <utility>

namespace triton::python {

namespace {
struct BoundLaunch {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *kernel, *grid;
};

} // namespace

static PyTypeObject *boundLaunchType;
static BoundLaunch *spare = nullptr; // the object of the call before, which most often is over by the next one

/// Null with an exception set if the kernel cannot be launched at all.
static KernelState *prepare(PyObject *kernel) {
  KernelState &state = stateOf(kernel);
  return state.isConfigured || state.configure(kernel) ? &state : nullptr;
}

static PyObject *callBound(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<BoundLaunch *>(callable);
  KernelState *state = prepare(self->kernel);
  if (!state)
    return nullptr;
  size_t count = size_t(PyVectorcall_NARGS(flags));
  if (!state->hasOwnRun)
    if (std::optional<PyObject *> result = repeatCall(*state, self->grid, arguments, count, names))
      return *result;
  LaunchCall call(self->kernel, self->grid, arguments, count, names, *state);
  return state->hasOwnRun ? call.runOwn() : call.runAnew();
}

PyObject *launchMethod(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  KernelState *state = prepare(kernel);
  if (!state)
    return nullptr;
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "_launch() needs a grid");
    return nullptr;
  }
  return LaunchCall(kernel, arguments[0], arguments + 1, size_t(count - 1), names, *state).run();
}

static int traverseBound(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<BoundLaunch *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->kernel);
  Py_VISIT(self->grid);
  return 0;
}

static int clearBound(PyObject *object) {
  auto *self = reinterpret_cast<BoundLaunch *>(object);
  Py_CLEAR(self->kernel);
  Py_CLEAR(self->grid);
  return 0;
}

static void destroyBound(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearBound(object);
  if (!spare) {
    spare = reinterpret_cast<BoundLaunch *>(object); // with its reference to the type
    return;
  }
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMemberDef boundMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundLaunch, vectorcall), READONLY, nullptr},
    {"kernel", T_OBJECT_EX, offsetof(BoundLaunch, kernel), READONLY, "the jitted function"},
    {"grid", T_OBJECT_EX, offsetof(BoundLaunch, grid), READONLY, "the grid it is launched on"},
    {nullptr, 0, 0, 0, nullptr},
};
static PyType_Slot boundSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with a grid: call it to launch.")},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseBound)},
    {Py_tp_clear, reinterpret_cast<void *>(clearBound)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyBound)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, boundMembers},
    {0, nullptr},
};
static PyType_Spec boundSpec = {"triton._C.libtriton.BoundLaunch", sizeof(BoundLaunch), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                boundSlots};

PyObject *bindLaunch(PyObject *kernel, PyObject *grid) {
  BoundLaunch *self = std::exchange(spare, nullptr);
  if (self)
    _Py_NewReference(reinterpret_cast<PyObject *>(self));
  else if (!(self = PyObject_GC_New(BoundLaunch, boundLaunchType)))
    return nullptr;
  self->vectorcall = callBound;
  self->kernel = Py_NewRef(kernel);
  self->grid = Py_NewRef(grid);
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject *>(self);
}

bool addBoundLaunch() {
  boundLaunchType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundSpec));
  return boundLaunchType != nullptr;
}

} // namespace triton::python
