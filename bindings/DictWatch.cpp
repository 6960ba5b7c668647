#include "bindings/DictWatch.h"

namespace triton::python {

#if PY_VERSION_HEX >= 0x030C0000

int DictWatch::noteChange(int, PyObject *, PyObject *, PyObject *) {
  ++changes;
  return 0;
}

bool DictWatch::begin(const std::array<PyObject *, watchedCount> &watched) {
  static const int watcher = PyDict_AddWatcher([](PyDict_WatchEvent event, PyObject *dict, PyObject *key,
                                                  PyObject *value) { return noteChange(event, dict, key, value); });
  end();
  for (PyObject *dict : watched)
    if (watcher < 0 || PyDict_Watch(watcher, dict) < 0) {
      PyErr_Clear(); // all watchers are taken
      return false;
    }
  stamp = changes;
  return true;
}

#else

bool DictWatch::begin(const std::array<PyObject *, watchedCount> &watched) {
  end();
  for (size_t index = 0; index < watchedCount; ++index)
    dicts[index] = Reference::borrow(watched[index]);
  stamp = sum();
  return true;
}

#endif

} // namespace triton::python
