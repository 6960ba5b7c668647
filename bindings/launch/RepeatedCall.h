// A call that went well before, in the form in which the next one like it is recognised fastest: argument by argument, no key is built.
//   In:  the arguments of a call.
//   Out: whether it leads to the same launch, and then the arguments classified, and most of them packed.
// Whatever is decided here follows the rules of LaunchKey: a call is recognised only if its key would be the same.
#pragma once

#include "bindings/launch/CompactInteger.h"
#include "bindings/launch/KernelState.h"
#include "bindings/launch/Torch.h"

#include <utility>

namespace triton::python {

/// Lets an argument pass that has the same part in the key as the one it was made from.
class ArgumentGuard {
public:
  /// `parameter`: null for an option, which counts as a constant. False if it has no key.
  bool begin(PyObject *object, const Argument &argument, const KernelParameter *parameter);
  /// Also classifies the argument, if it is one of run time.
  bool admits(PyObject *object, Argument &argument, std::vector<Reference> &holders) const;
  /// Whether it passes because it is the object that was there before, and cannot have changed.
  bool isSame(PyObject *object) const { return object == same.get(); }
  /// The same as `admits`, of a number or pointer that has been looked at; for others false.
  bool admits(const Argument &argument) const { return (dispatch::tagOf(argument) & mask) == tag; }
  int traverse(visitproc visit, void *arg) const;

private:
  struct Disown {
    void operator()(LaunchKey *key) const {
      key->disown();
      delete key;
    }
  };
  bool admitsConstant(PyObject *object) const;
  bool addTo(LaunchKey &key, PyObject *object, const Argument &argument) const;
  Reference same;                         // null if it might change
  uint64_t tag = 0;                       // of a run-time argument that a tag says all about; 0: of another
  uint64_t mask = 0;                      // the bits of a tag that count
  std::unique_ptr<LaunchKey, Disown> key; // of all others
  bool isConstexpr = true, specializeValue = false, align = false;
};

/// The arguments of one call, per parameter; those of more than `limit` parameters do not fit.
class BoundArguments {
public:
  static constexpr size_t limit = PackedArguments::parameterLimit;
  PyObject *values[limit + 1]; // borrowed; those of options share the place after the last parameter
  /// Of the parameters that are not packed.
  Argument *classified() { return reinterpret_cast<Argument *>(storage); }
  PackedArguments packed;
  std::vector<Reference> holders;

private:
  alignas(Argument) std::byte storage[(limit + 1) * sizeof(Argument)]; // made one by one, as there are parameters
};

class RepeatedCall {
public:
  /// Null if calls like this one cannot be recognised.
  static HeldCall create(const KernelState &state, std::shared_ptr<RememberedLaunch> launch, PyObject *const *arguments,
                         size_t positionalCount, PyObject *names, const Argument *classified);
  bool recognise(PyObject *const *arguments, size_t positionalCount, PyObject *names, BoundArguments &out) const;
  const RememberedLaunch &launch() const { return *itsLaunch; }
  /// Whether `recognise` packs.
  bool isPacked() const { return packedBytes != 0; }
  int traverse(visitproc visit, void *arg) const;

private:
  friend class HeldCall;
  /// What a call most likely has again, so that looking at it and packing it is one step.
  enum class Likely : uint8_t { Other, Same, Integer32, Real32, TorchTensor };
  struct Expected {
    ArgumentGuard guard;
    PyObject *defaultValue; // of a parameter that the call does not name, which holds it; else null
    PlainSlot slot;         // where it is packed; `Other` if nowhere
    uint16_t index;         // of the slot
    uint16_t position;      // of the parameter; that of `values` for options
    Likely likely;
  };
  bool expect(const KernelState &state, PyObject *object, PyObject *defaultValue, size_t position,
              const Argument *classified);
  bool acceptLikely(const Expected &one, PyObject *object, std::byte *block) const;
  bool accept(const Expected &one, PyObject *object, BoundArguments &out) const;
  bool hasNames(PyObject *given) const;

  unsigned holds = 0; // counted under the interpreter's lock
  std::shared_ptr<RememberedLaunch> itsLaunch;
  size_t positionalCount = 0;
  Reference names;                // tuple or null
  size_t packedBytes = 0;         // of the block of arguments; 0: `recognise` does not pack
  Memory memory = Memory::Host;   // the launcher's
  std::vector<Expected> expected; // the arguments of the call in order, then defaults
};

inline HeldCall::HeldCall(RepeatedCall *call) : call(call) { ++call->holds; }
inline HeldCall::~HeldCall() {
  if (call && --call->holds == 0)
    delete call;
}

/// The outcome, if the call is one of the latest again.
std::optional<PyObject *> repeatCall(KernelState &state, PyObject *grid, PyObject *const *arguments,
                                     size_t positionalCount, PyObject *names);

} // namespace triton::python
