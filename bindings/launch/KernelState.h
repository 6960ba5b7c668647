// What a kernel keeps between launches: its parameters, and the launches it remembers.
#pragma once

#include "bindings/DictWatch.h"
#include "bindings/host/RecordedGlobals.h"
#include "bindings/launch/KernelObject.h"
#include "bindings/launch/KernelParameter.h"
#include "bindings/launch/LaunchKey.h"
#include "bindings/launch/Launcher.h"

#include <memory>
#include <unordered_map>

namespace triton::python {

/// A launch that went well, ready to be repeated.
struct RememberedLaunch {
  LaunchKey key;
  Reference kernel, launcher, function, driver;
  Reference getStream, device; // `driver.get_current_stream` and its argument; none if it is always the default one
  bool isTorchStream = false;
  int deviceIndex = 0;
  std::vector<RecordedGlobal> globals;
  unsigned lookups = 0; // how often it was found by its key
  Launcher &native() const { return *reinterpret_cast<Launcher *>(launcher.get()); }
  /// Whether the device is current and the variables are as they were.
  bool isReady() const;
  /// Fills in all but the key; false, perhaps with an exception, if launches like this one cannot be repeated natively.
  bool describe(PyObject *jitFunction, PyObject *compiled);
};

class RepeatedCall;

/// Keeps a call, in the list of its kernel and while it is in use: looking at arguments, and the grid, may run code that launches the kernel again, or makes it
/// forget. Counted under the interpreter's lock.
class HeldCall {
public:
  HeldCall() = default;
  inline explicit HeldCall(RepeatedCall *call);
  HeldCall(HeldCall &&other) noexcept : call(std::exchange(other.call, nullptr)) {}
  HeldCall &operator=(HeldCall &&other) noexcept {
    std::swap(call, other.call);
    return *this;
  }
  inline ~HeldCall();
  RepeatedCall *get() const { return call; }
  RepeatedCall *operator->() const { return call; }
  explicit operator bool() const { return call != nullptr; }

private:
  RepeatedCall *call = nullptr;
};

struct KernelState {
  bool isConfigured = false;
  bool hasOwnRun = false; // a subclass has replaced `run`, so every launch goes there
  std::vector<KernelParameter> parameters;
  size_t positionalCount = 0; // of those, how many may be given by position; none where one takes all further arguments
  std::unordered_multimap<uint64_t, std::shared_ptr<RememberedLaunch>> launches;
  ParsedFunction parsed;
  /// The latest calls, the last one first; they count as long as `environment` has not changed and no hook waits for launches.
  std::vector<HeldCall> repeated;
  DictWatch environment;
  PyObject *hookLists[3] = {}; // in what `environment` watches

  KernelState();
  ~KernelState();
  /// The number of parameters if none has this name.
  size_t positionOf(PyObject *name) const;
  /// Reads the parameters as the Python side describes them; false with an exception set.
  bool configure(PyObject *kernel);
  /// Begins to watch what besides arguments decides about launches, unless it has not changed.
  void watchEnvironment(PyObject *kernel);
  /// Whether what `environment` watches is as it was, and no hook waits for launches.
  bool isUndisturbed() const {
    return environment.isUnchanged() &&
           (PyList_GET_SIZE(hookLists[0]) | PyList_GET_SIZE(hookLists[1]) | PyList_GET_SIZE(hookLists[2])) == 0;
  }
  /// Makes a call the first of those that are tried.
  void moveToFront(const RepeatedCall *call);
  /// Remembers `compiled` under `key` if such launches can be repeated natively.
  void remember(const LaunchKey &key, PyObject *kernel, PyObject *compiled);
  void forget();
};

KernelState &stateOf(PyObject *kernel);

} // namespace triton::python
