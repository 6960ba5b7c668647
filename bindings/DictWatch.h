// Tells whether dicts have changed since they were last looked at, without looking into them.
// From Python 3.12 on the interpreter reports changes; before, each dict carries a number that every change renews.
#pragma once

#include "bindings/Reference.h"

#include <array>
#include <cstdint>

namespace triton::python {

class DictWatch {
public:
  static constexpr size_t watchedCount = 6;
  /// Takes note of these dicts as they are now, in place of those before. False if changes cannot be noticed.
  bool begin(const std::array<PyObject *, watchedCount> &watched);
  bool isUnchanged() const {
#if PY_VERSION_HEX >= 0x030C0000
    return stamp == changes;
#else
    return stamp && sum() == stamp;
#endif
  }
  void end() {
    stamp = 0;
    dicts = {};
  }
  int traverse(visitproc visit, void *arg) const {
    for (const Reference &dict : dicts)
      Py_VISIT(dict.get());
    return 0;
  }

private:
  inline static uint64_t changes = 1; // of any watched dict
  static int noteChange(int, PyObject *, PyObject *, PyObject *);
#if PY_VERSION_HEX < 0x030C0000
  /// Of the numbers of all dicts: every change of a dict gives it a number larger than any before, so the sum grows.
  uint64_t sum() const {
    uint64_t result = 1;
    for (const Reference &dict : dicts)
      result += reinterpret_cast<PyDictObject *>(dict.get())->ma_version_tag;
    return result;
  }
#endif
  uint64_t stamp = 0; // 0: nothing is watched
  std::array<Reference, watchedCount> dicts;
};

} // namespace triton::python
