// A call that went well before, in the form in which the next one like it is recognised fastest: argument by argument, no key is built.
//   In:  the arguments of a call.
//   Out: whether it leads to the same launch, and then the arguments classified, ready to be packed.
// Whatever is decided here follows the rules of LaunchKey: a call is recognised only if its key would be the same.
#pragma once

#include "bindings/CompactInteger.h"
#include "bindings/KernelState.h"
#include "bindings/Torch.h"

namespace triton::python {

/// Lets an argument pass that has the same part in the key as the one it was made from.
class ArgumentGuard {
public:
  /// `parameter`: null for an option, which counts as a constant. False if it has no key.
  bool begin(PyObject *object, const Argument &argument, const Parameter *parameter);
  /// Also classifies the argument, if it is one of run time.
  bool admits(PyObject *object, Argument &argument, std::vector<Reference> &holders) const {
    if (constant)
      return object == constant.get() || admitsConstant(object);
    int64_t value = 0;
    if (tag && Py_TYPE(object) == &PyLong_Type && readCompact(object, value)) {
      argument.setCompact(value);
      return LaunchKey::tagOf(argument, specializeValue, align) == tag;
    }
    if (tag && isTorchTensor(object) && readTorchTensor(object, argument))
      return LaunchKey::tagOf(argument, specializeValue, align) == tag;
    return admitsAny(object, argument, holders);
  }
  int traverse(visitproc visit, void *arg) const;

private:
  struct Disown {
    void operator()(LaunchKey *key) const {
      key->disown();
      delete key;
    }
  };
  bool admitsConstant(PyObject *object) const;
  bool admitsAny(PyObject *object, Argument &argument, std::vector<Reference> &holders) const;
  bool addTo(LaunchKey &key, PyObject *object, const Argument &argument) const;
  Reference constant;                     // a compile-time value whose identity is enough
  uint64_t tag = 0;                       // of a run-time argument that a tag says all about; 0: of another
  std::unique_ptr<LaunchKey, Disown> key; // of all others
  bool isConstexpr = true, specializeValue = false, align = false;
};

/// The arguments of one call, per parameter; those of more than `limit` parameters do not fit.
class BoundArguments {
public:
  static constexpr size_t limit = 40;
  PyObject *values[limit]; // borrowed
  Argument *classified() { return reinterpret_cast<Argument *>(storage); }
  std::vector<Reference> holders;

private:
  alignas(Argument) std::byte storage[limit * sizeof(Argument)]; // made one by one, as there are parameters
};

class RepeatedCall {
public:
  /// Null if calls like this one cannot be recognised.
  static std::unique_ptr<RepeatedCall> create(const KernelState &state, std::shared_ptr<RememberedLaunch> launch,
                                              PyObject *const *arguments, size_t positionalCount, PyObject *names,
                                              const Argument *classified);
  bool recognise(PyObject *const *arguments, size_t positionalCount, PyObject *names, BoundArguments &out) const;
  const RememberedLaunch &launch() const { return *itsLaunch; }
  int traverse(visitproc visit, void *arg) const;

private:
  struct Expected {
    ArgumentGuard guard;
    PyObject *defaultValue; // of a parameter that the call does not name, which holds it; else null
    uint16_t position;      // of the parameter; `option` if it is none
  };
  static constexpr uint16_t option = UINT16_MAX;
  bool expect(const KernelState &state, PyObject *object, PyObject *defaultValue, size_t position,
              const Argument *classified);

  std::shared_ptr<RememberedLaunch> itsLaunch;
  size_t positionalCount = 0;
  std::vector<Reference> names;
  std::vector<Expected> expected; // the arguments of the call in order, then defaults
};

} // namespace triton::python
