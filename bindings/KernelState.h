// What a kernel keeps between launches: its parameters, and the launches it remembers.
#pragma once

#include "bindings/DictWatch.h"
#include "bindings/KernelObject.h"
#include "bindings/LaunchKey.h"
#include "bindings/Launcher.h"
#include "bindings/RecordedGlobals.h"

#include <memory>
#include <unordered_map>

namespace triton::python {

struct Parameter {
  Reference name, defaultValue;
  bool isConstexpr, isConst, specializeValue, align;
};

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

struct KernelState {
  bool isConfigured = false;
  bool hasOwnRun = false; // a subclass has replaced `run`, so every launch goes there
  std::vector<Parameter> parameters;
  std::unordered_multimap<uint64_t, std::shared_ptr<RememberedLaunch>> launches;
  ParsedFunction parsed;
  /// The latest calls, the last one first; they count as long as `environment` has not changed and no hook waits for launches.
  std::vector<std::unique_ptr<RepeatedCall>> repeated;
  DictWatch environment;
  PyObject *hookLists[3] = {}; // in what `environment` watches; null: there is none

  KernelState();
  ~KernelState();
  /// The number of parameters if none has this name.
  size_t positionOf(PyObject *name) const;
  /// Reads the parameters as the Python side describes them; false with an exception set.
  bool configure(PyObject *kernel);
  /// Begins to watch what besides arguments decides about launches, unless it has not changed.
  void watchEnvironment(PyObject *kernel);
  bool hasHooks() const {
    for (PyObject *list : hookLists)
      if (list && PyList_GET_SIZE(list) != 0)
        return true;
    return false;
  }
  /// Remembers `compiled` under `key` if such launches can be repeated natively.
  void remember(const LaunchKey &key, PyObject *kernel, PyObject *compiled);
  void forget();
};

KernelState &stateOf(PyObject *kernel);

} // namespace triton::python
