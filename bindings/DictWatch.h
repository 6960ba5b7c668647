// Tells whether dicts have changed since they were last looked at, without looking into them.
// From Python 3.12 on the interpreter reports changes; before, each dict carries a number that every change renews.
#pragma once

#include "bindings/Reference.h"

#include <cstdint>
#include <vector>

namespace triton::python {

class DictWatch {
public:
  /// Takes note of these dicts as they are now, in place of those before. False if changes cannot be noticed.
  bool begin(std::initializer_list<PyObject *> watched);
  bool isUnchanged() const {
#if PY_VERSION_HEX >= 0x030C0000
    return stamp == changes;
#else
    for (size_t index = 0; index < dicts.size(); ++index)
      if (reinterpret_cast<PyDictObject *>(dicts[index].get())->ma_version_tag != versions[index])
        return false;
    return !dicts.empty();
#endif
  }
  void end() {
    dicts.clear();
    versions.clear();
    stamp = 0;
  }
  int traverse(visitproc visit, void *arg) const {
    for (const Reference &dict : dicts)
      Py_VISIT(dict.get());
    return 0;
  }

private:
  inline static uint64_t changes = 1; // of any watched dict
  static int noteChange(int, PyObject *, PyObject *, PyObject *);
  std::vector<Reference> dicts;
  std::vector<uint64_t> versions;
  uint64_t stamp = 0;
};

} // namespace triton::python
