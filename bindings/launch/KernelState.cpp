#include "bindings/launch/KernelState.h"

#include "bindings/Package.h"
#include "bindings/launch/CudaLauncher.h"
#include "bindings/launch/RepeatedCall.h"
#include "bindings/launch/Torch.h"

#include <algorithm>

namespace triton::python {

bool KernelState::configure(PyObject *kernel) {
  Reference described(PyObject_GetAttrString(kernel, "params"));
  if (!readParameters(described.get(), parameters))
    return false;
  positionalCount = size_t(std::ranges::count(parameters, false, &KernelParameter::isKeywordOnly));
  if (std::ranges::find(parameters, true, &KernelParameter::isVariadic) != parameters.end())
    positionalCount = 0;
  const Package *package = Package::get();
  Reference ownRun(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(kernel)), "run"));
  Reference run(package ? PyObject_GetAttrString(reinterpret_cast<PyObject *>(package->jitFunctionClass), "run")
                        : nullptr);
  if (!ownRun || !run)
    return false;
  hasOwnRun = ownRun.get() != run.get();
  isConfigured = true;
  return true;
}

/// Keeps how to ask for the current stream, where launches need one.
static bool addStream(RememberedLaunch &launch) {
  if (!launch.native().hasStreams)
    return true;
  Reference getDevice(PyObject_GetAttrString(launch.driver.get(), "get_current_device"));
  launch.getStream = Reference(PyObject_GetAttrString(launch.driver.get(), "get_current_stream"));
  launch.device = Reference(getDevice ? PyObject_CallNoArgs(getDevice.get()) : nullptr);
  if (!launch.getStream || !launch.device)
    return false;
  launch.deviceIndex = int(PyLong_AsLong(launch.device.get()));
  launch.isTorchStream = isTorchStream(launch.getStream.get());
  if (isDefaultStream(launch.getStream.get()))
    launch.getStream = Reference(); // need not be asked
  return !PyErr_Occurred();
}

bool RememberedLaunch::describe(PyObject *jitFunction, PyObject *compiled) {
  kernel = Reference::borrow(compiled);
  launcher = Reference(PyObject_GetAttrString(compiled, "_run"));
  function = Reference(PyObject_GetAttrString(compiled, "function"));
  driver = Reference(PyObject_GetAttrString(Package::get()->driverConfig, "_active"));
  return launcher && isA(launcher.get(), launcherType) && function && driver &&
         recordGlobals(jitFunction, compiled, globals) && addStream(*this);
}

bool RememberedLaunch::isReady() const {
  Launcher &launcher = native();
  if (!launcher.isCurrent(launcher, function.get()))
    return false;
  for (const RecordedGlobal &global : globals)
    if (!global.isUnchanged())
      return false;
  return true;
}

/// The list of a chain of hooks and the dict it stands in, or null; for None an empty list. False if the hook is of another kind.
static bool findHooks(PyObject *name, PyObject *&dict, PyObject *&list) {
  const Package &package = *Package::get();
  PyObject *hook = PyDict_GetItemWithError(package.runtimeKnobsDict, name);
  static PyObject *noHooks = PyList_New(0);
  dict = nullptr;
  list = noHooks;
  if (!hook || hook == Py_None)
    return hook && list;
  Reference owned(Py_TYPE(hook) == package.hookChainClass ? PyObject_GenericGetDict(hook, nullptr) : nullptr);
  dict = owned.get(); // the hook holds it
  list = dict ? PyDict_GetItemString(dict, "calls") : nullptr;
  return list && PyList_CheckExact(list);
}

void KernelState::watchEnvironment(PyObject *kernel) {
  if (environment.isUnchanged())
    return;
  static PyObject *enterName = PyUnicode_InternFromString("launch_enter_hook"),
                  *exitName = PyUnicode_InternFromString("launch_exit_hook");
  repeated.clear();
  environment.end();
  const Package &package = *Package::get();
  PyObject *enterDict = nullptr, *exitDict = nullptr;
  Reference dict(PyObject_GenericGetDict(kernel, nullptr));
  hookLists[2] = dict ? PyDict_GetItemString(dict.get(), "pre_run_hooks") : nullptr;
  if (findHooks(enterName, enterDict, hookLists[0]) && findHooks(exitName, exitDict, hookLists[1]) && hookLists[2] &&
      PyList_CheckExact(hookLists[2]))
    environment.begin({package.runtimeKnobsDict, package.compilationKnobsDict, package.driverConfigDict, dict.get(),
                       enterDict ? enterDict : dict.get(), exitDict ? exitDict : dict.get()});
  PyErr_Clear();
}

void KernelState::remember(const LaunchKey &key, PyObject *kernel, PyObject *compiled) {
  constexpr size_t limit = 4096;
  auto launch = std::make_shared<RememberedLaunch>();
  if (!launch->describe(kernel, compiled) || launch->native().parameterCount != parameters.size()) {
    PyErr_Clear();
    return;
  }
  // The same kernel comes here again from a thread whose device was not yet known.
  auto [begin, end] = launches.equal_range(key.hashValue());
  for (auto known = begin; known != end; ++known)
    if (known->second->kernel.get() == compiled && known->second->key.matches(key))
      return;
  if (launches.size() >= limit)
    forget();
  launch->key = key;
  launch->key.own();
  launches.emplace(key.hashValue(), std::move(launch));
}

void KernelState::moveToFront(const RepeatedCall *call) {
  for (size_t index = 0; index < repeated.size(); ++index)
    if (repeated[index].get() == call) // not if the kernel has forgotten it since
      std::swap(repeated[0], repeated[index]);
}

KernelState::KernelState() = default;
KernelState::~KernelState() = default;

size_t KernelState::positionOf(PyObject *name) const {
  for (size_t position = 0; position < parameters.size(); ++position)
    if (parameters[position].name.get() == name)
      return position;
  for (size_t position = 0; position < parameters.size(); ++position) // not interned, or not a parameter
    if (PyUnicode_Compare(parameters[position].name.get(), name) == 0)
      return position;
  return parameters.size();
}

void KernelState::forget() {
  auto oldCalls = std::move(repeated);
  repeated.clear();
  environment.end();
  auto old = std::move(launches);
  launches.clear();
  for (auto &[hash, launch] : old)
    launch->key.disown();
}

} // namespace triton::python
