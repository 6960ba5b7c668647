#include "bindings/launch/LaunchCall.h"

#include "bindings/InterpreterLock.h"
#include "bindings/launch/RepeatedCall.h"
#include "bindings/launch/WarmLaunch.h"

#include <bit>

namespace triton::python {

static PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
static PyObject *runName = name("run"), *runGenerallyName = name("_run_generally"), *debugName = name("debug"),
                *hooksName = name("pre_run_hooks"), *activeName = name("_active"),
                *enterName = name("launch_enter_hook"), *exitName = name("launch_exit_hook"),
                *instrumentationName = name("instrumentation_mode"), *callsName = name("calls"),
                *gridName = name("grid"), *warmupName = name("warmup");

/// Arguments to parameters, options to the key. False if this launch has no key, or is wrong: the general path says which.
bool LaunchCall::bind() {
  size_t count = state.parameters.size();
  if (positionalCount > state.positionalCount)
    return false;
  values.assign(count, nullptr);
  for (size_t index = 0; index < positionalCount; ++index)
    values[index] = arguments[index];
  Py_ssize_t nameCount = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t index = 0; index < nameCount; ++index) {
    PyObject *keyword = PyTuple_GET_ITEM(names, index);
    PyObject *value = arguments[positionalCount + size_t(index)];
    size_t position = state.positionOf(keyword);
    if (position < count) {
      if (values[position])
        return false;
      values[position] = value;
    } else if (!key.addConstant(keyword) || !key.addConstant(value))
      return false;
  }
  classified.assign(count, Argument());
  for (size_t index = 0; index < count; ++index) {
    const KernelParameter &parameter = state.parameters[index];
    if (!values[index])
      values[index] = parameter.defaultValue.get();
    if (!values[index])
      return false;
    if (parameter.facts.isConstexpr) {
      if (!key.addConstant(values[index]))
        return false;
      continue;
    }
    PyObject *holder = nullptr;
    if (!classify(values[index], classified[index], &holder)) {
      PyErr_Clear();
      return false;
    }
    if (holder)
      holders.emplace_back(holder);
    if (!key.addArgument(values[index], classified[index], parameter.facts.specializesValue, parameter.align()))
      return false;
  }
  return true;
}

/// An attribute of an object whose dict is at hand: found there without the protocol, as attributes of knobs nearly always are.
static Reference attributeOf(PyObject *object, PyObject *dict, PyObject *name) {
  if (PyObject *found = PyDict_GetItemWithError(dict, name))
    return Reference::borrow(found);
  return Reference(PyObject_GetAttr(object, name));
}

static bool isIdle(const Package &package, PyObject *hookName) {
  Reference hook = attributeOf(package.runtimeKnobs, package.runtimeKnobsDict, hookName);
  if (!hook)
    PyErr_Clear();
  if (!hook || hook.get() == Py_None)
    return bool(hook);
  if (Py_TYPE(hook.get()) != package.hookChainClass)
    return false;
  Reference calls(PyObject_GetAttr(hook.get(), callsName));
  return calls && PyList_Check(calls.get()) && PyList_GET_SIZE(calls.get()) == 0;
}

/// What besides the arguments decides which kernel runs. False if something wants to see this launch.
bool LaunchCall::addEnvironment() {
  if (!isIdle(package, enterName) || !isIdle(package, exitName))
    return false;
  Reference hooks(PyObject_GetAttr(kernel, hooksName)), ownDebug(PyObject_GetAttr(kernel, debugName)),
      debug = attributeOf(package.runtimeKnobs, package.runtimeKnobsDict, debugName),
      instrumentation = attributeOf(package.compilationKnobs, package.compilationKnobsDict, instrumentationName);
  if (!hooks || !ownDebug || !debug || !instrumentation) {
    PyErr_Clear();
    return false;
  }
  return PyList_Check(hooks.get()) && PyList_GET_SIZE(hooks.get()) == 0 && key.addConstant(ownDebug.get()) &&
         key.addConstant(debug.get()) && key.addConstant(instrumentation.get());
}

std::shared_ptr<RememberedLaunch> LaunchCall::find() {
  auto [begin, end] = state.launches.equal_range(key.hashValue());
  for (auto candidate = begin; candidate != end; ++candidate) {
    const RememberedLaunch &launch = *candidate->second;
    if (!launch.key.matches(key))
      continue;
    Reference driver = attributeOf(package.driverConfig, package.driverConfigDict, activeName);
    if (driver.get() == launch.driver.get() && launch.isReady())
      return candidate->second;
  }
  return nullptr;
}

PyObject *LaunchCall::launchCold(PyObject *method) {
  Visit visit;
  Reference positional(PyTuple_New(Py_ssize_t(positionalCount))), keywords(PyDict_New());
  if (!positional || !keywords)
    return nullptr;
  for (size_t index = 0; index < positionalCount; ++index)
    PyTuple_SET_ITEM(positional.get(), index, Py_NewRef(arguments[index]));
  for (Py_ssize_t index = 0; names && index < PyTuple_GET_SIZE(names); ++index) {
    PyObject *keyword = PyTuple_GET_ITEM(names, index);
    if (PyUnicode_Compare(keyword, gridName) == 0 || PyUnicode_Compare(keyword, warmupName) == 0) {
      PyErr_Format(PyExc_TypeError, "run() got multiple values for keyword argument '%U'", keyword);
      return nullptr;
    }
    if (PyDict_SetItem(keywords.get(), keyword, arguments[positionalCount + size_t(index)]) < 0)
      return nullptr;
  }
  if (PyDict_SetItem(keywords.get(), gridName, grid) < 0 || PyDict_SetItem(keywords.get(), warmupName, Py_False) < 0)
    return nullptr;
  Reference run(PyObject_GetAttr(kernel, method));
  return run ? PyObject_Call(run.get(), positional.get(), keywords.get()) : nullptr;
}

/// Rarely where it was no use before: kernels whose calls differ in many ways would make these in vain.
void LaunchCall::expectAgain(std::shared_ptr<RememberedLaunch> launch) {
  constexpr size_t limit = 4;
  bool isWorthwhile = std::has_single_bit(++launch->lookups) || launch->lookups % 64 == 0;
  if (!isWorthwhile || !state.environment.isUnchanged())
    return;
  if (auto call = RepeatedCall::create(state, std::move(launch), arguments, positionalCount, names, classified.data()))
    state.repeated.insert(state.repeated.begin(), std::move(call));
  if (state.repeated.size() > limit)
    state.repeated.pop_back();
}

PyObject *LaunchCall::run() {
  if (std::optional<PyObject *> result = repeatCall(state, grid, arguments, positionalCount, names))
    return *result;
  return runAnew();
}

PyObject *LaunchCall::runAnew() {
  state.watchEnvironment(kernel);
  bool hasKey = addEnvironment() && bind();
  PyErr_Clear();
  if (hasKey)
    if (std::shared_ptr<RememberedLaunch> launch = find()) {
      expectAgain(launch);
      return launchWarm(state, *launch, grid, {values.data(), classified.data(), nullptr});
    }
  PyObject *result = launchCold(runGenerallyName);
  if (result && hasKey && result != Py_None)
    state.remember(key, kernel, result);
  return result;
}

PyObject *LaunchCall::runOwn() { return launchCold(runName); }

} // namespace triton::python
