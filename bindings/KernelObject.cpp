// The warm path of a launch touches no Python code and creates no Python object but the bound launcher.
#include "bindings/KernelObject.h"

#include "bindings/Package.h"
#include "bindings/Reference.h"
#include "bindings/Torch.h"

#include <structmember.h>

#include <memory>
#include <unordered_map>

namespace triton::python {

namespace {

struct Parameter {
  Reference name, defaultValue;
  bool isConstexpr, isConst, specializeValue, align;
};

/// A global or captured variable the kernel was compiled with; `scope` is a dict or a cell.
struct RecordedGlobal {
  Reference scope, name, value;
};

struct Entry {
  LaunchKey key;
  Reference kernel, launcher, function, driver;
  Reference getStream, device; // `driver.get_current_stream` and its argument; none if the launcher knows no streams
  bool isTorchStream = false;
  int deviceIndex = 0;
  std::vector<RecordedGlobal> globals;
  Launcher &native() const { return *reinterpret_cast<Launcher *>(launcher.get()); }
};

struct State {
  bool isConfigured = false;
  bool hasOwnRun = false; // a subclass has replaced `run`, so every launch goes there
  std::vector<Parameter> parameters;
  std::unordered_multimap<uint64_t, std::shared_ptr<Entry>> entries;
  ParsedFunction parsed;

  void forget() {
    auto old = std::move(entries);
    entries.clear();
    for (auto &[hash, entry] : old)
      entry->key.disown();
  }
};

struct KernelObject {
  PyObject_HEAD State *state;
};

/// `kernel[grid]`.
struct BoundLaunch {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *kernel, *grid;
};

} // namespace

static PyTypeObject *kernelType, *boundLaunchType;

static PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
static PyObject *runName = name("run"), *runGenerallyName = name("_run_generally"), *hashName = name("hash"),
                *debugName = name("debug"), *hooksName = name("pre_run_hooks"), *activeName = name("_active"),
                *enterName = name("launch_enter_hook"), *exitName = name("launch_exit_hook"),
                *instrumentationName = name("instrumentation_mode"), *callsName = name("calls"),
                *launcherName = name("_run"), *functionName = name("function"), *gridName = name("grid"),
                *warmupName = name("warmup");

bool isKernelObject(PyObject *object) { return PyObject_TypeCheck(object, kernelType); }

static State &stateOf(PyObject *kernel) { return *reinterpret_cast<KernelObject *>(kernel)->state; }
ParsedFunction &parsedFunction(PyObject *kernel) { return stateOf(kernel).parsed; }

PyObject *kernelHash(PyObject *kernel) {
  Reference hash(PyObject_GetAttr(kernel, hashName));
  if (!hash)
    PyErr_Clear();
  return hash.get(); // the kernel holds it
}

// Configuration: parameters as the Python side describes them, read at the first launch.

static bool truthOf(PyObject *object, const char *attribute, bool &out) {
  Reference value(PyObject_GetAttrString(object, attribute));
  int truth = value ? PyObject_IsTrue(value.get()) : -1;
  out = truth == 1;
  return truth >= 0;
}

static bool configure(PyObject *kernel, State &state) {
  Reference parameters(PyObject_GetAttrString(kernel, "params"));
  Reference list(parameters ? PySequence_List(parameters.get()) : nullptr);
  if (!list)
    return false;
  state.parameters.clear();
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(list.get()); ++index) {
    PyObject *item = PyList_GET_ITEM(list.get(), index);
    Parameter parameter;
    bool doNotSpecialize = false, doNotAlign = false, hasDefault = false;
    parameter.name = Reference(PyObject_GetAttrString(item, "name"));
    if (!parameter.name || !truthOf(item, "is_constexpr", parameter.isConstexpr) ||
        !truthOf(item, "is_const", parameter.isConst) || !truthOf(item, "do_not_specialize", doNotSpecialize) ||
        !truthOf(item, "do_not_specialize_on_alignment", doNotAlign) || !truthOf(item, "has_default", hasDefault))
      return false;
    PyObject *interned = parameter.name.release();
    PyUnicode_InternInPlace(&interned);
    parameter.name = Reference(interned);
    if (hasDefault && !(parameter.defaultValue = Reference(PyObject_GetAttrString(item, "default"))))
      return false;
    parameter.specializeValue = !doNotSpecialize;
    parameter.align = !doNotSpecialize && !doNotAlign;
    state.parameters.push_back(std::move(parameter));
  }
  const Package *package = Package::get();
  Reference ownRun(PyObject_GetAttr(reinterpret_cast<PyObject *>(Py_TYPE(kernel)), runName));
  Reference run(package ? PyObject_GetAttr(reinterpret_cast<PyObject *>(package->jitFunctionClass), runName) : nullptr);
  if (!ownRun || !run)
    return false;
  state.hasOwnRun = ownRun.get() != run.get();
  state.isConfigured = true;
  return true;
}

// One launch.

namespace {
struct Call {
  PyObject *kernel, *grid;
  PyObject *const *arguments;
  size_t positionalCount;
  PyObject *names; // tuple or null
  State &state;
  const Package &package;

  LaunchKey key;
  InlineVector<PyObject *, 32> values;   // per parameter, borrowed
  InlineVector<Argument, 32> classified; // per parameter
  std::vector<Reference> holders;

  bool bind();
  bool addEnvironment();
  std::shared_ptr<Entry> find();
  bool evaluateGrid(int32_t out[3]);
  PyObject *launchWarm(const std::shared_ptr<Entry> &entry);
  PyObject *launchCold(PyObject *method);
  PyObject *run();
  void remember(PyObject *result);
};
} // namespace

/// Arguments to parameters, options to the key. False if this launch has no key, or is wrong: the general path says which.
bool Call::bind() {
  size_t count = state.parameters.size();
  if (positionalCount > count)
    return false;
  values.assign(count, nullptr);
  for (size_t index = 0; index < positionalCount; ++index)
    values[index] = arguments[index];
  Py_ssize_t nameCount = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t index = 0; index < nameCount; ++index) {
    PyObject *keyword = PyTuple_GET_ITEM(names, index);
    PyObject *value = arguments[positionalCount + size_t(index)];
    size_t position = 0;
    while (position < count && state.parameters[position].name.get() != keyword)
      ++position;
    if (position == count) { // not interned, or not a parameter: compare again by text
      position = 0;
      while (position < count && PyUnicode_Compare(state.parameters[position].name.get(), keyword) != 0)
        ++position;
    }
    if (position < count) {
      if (values[position])
        return false;
      values[position] = value;
    } else if (!key.addConstant(keyword) || !key.addConstant(value))
      return false;
  }
  classified.assign(count, Argument());
  for (size_t index = 0; index < count; ++index) {
    const Parameter &parameter = state.parameters[index];
    if (!values[index])
      values[index] = parameter.defaultValue.get();
    if (!values[index])
      return false;
    if (parameter.isConstexpr) {
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
    if (!key.addArgument(values[index], classified[index], parameter.specializeValue, parameter.align))
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
bool Call::addEnvironment() {
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

static bool isUnchanged(const RecordedGlobal &global) {
  // Only values that cannot change under the same identity are recorded here, so identity is enough.
  PyObject *scope = global.scope.get();
  return (PyCell_Check(scope) ? PyCell_GET(scope) : PyDict_GetItemWithError(scope, global.name.get())) ==
         global.value.get();
}

std::shared_ptr<Entry> Call::find() {
  auto [begin, end] = state.entries.equal_range(key.hashValue());
  for (auto candidate = begin; candidate != end; ++candidate) {
    const Entry &entry = *candidate->second;
    if (!entry.key.matches(key))
      continue;
    Reference driver = attributeOf(package.driverConfig, package.driverConfigDict, activeName);
    Launcher &launcher = entry.native();
    if (driver.get() != entry.driver.get() || !launcher.isCurrent(launcher, entry.function.get()))
      continue;
    for (const RecordedGlobal &global : entry.globals)
      if (!isUnchanged(global))
        return nullptr;
    return candidate->second;
  }
  return nullptr;
}

bool Call::evaluateGrid(int32_t out[3]) {
  if (PyTuple_CheckExact(grid) || !PyCallable_Check(grid))
    return readGrid(grid, out);
  Reference meta(PyDict_New());
  for (size_t index = 0; meta && index < values.size(); ++index)
    if (PyDict_SetItem(meta.get(), state.parameters[index].name.get(), values[index]) < 0)
      return false;
  Reference result(meta ? PyObject_CallOneArg(grid, meta.get()) : nullptr);
  return result && readGrid(result.get(), out);
}

PyObject *Call::launchWarm(const std::shared_ptr<Entry> &entry) {
  int32_t extents[3];
  if (!evaluateGrid(extents))
    return nullptr;
  Reference result = Reference::borrow(entry->kernel.get());
  Invocation invocation{entry->function.get(), 0, extents, {values.data(), values.size()}, classified.data()};
  std::optional<uint64_t> stream = entry->isTorchStream ? torchStream(entry->deviceIndex) : std::nullopt;
  if (stream)
    invocation.stream = *stream;
  else if (entry->getStream) {
    Reference stream(PyObject_CallOneArg(entry->getStream.get(), entry->device.get()));
    invocation.stream = stream ? PyLong_AsUnsignedLongLong(stream.get()) : 0;
    if (PyErr_Occurred())
      return nullptr;
  }
  Launcher &launcher = entry->native();
  return launcher.launch(launcher, invocation) ? result.release() : nullptr;
}

PyObject *Call::launchCold(PyObject *method) {
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

static bool isRecordable(PyObject *value) {
  Reference inner(constexprValue(value));
  PyErr_Clear();
  PyObject *plain = inner ? inner.get() : value;
  return plain == Py_None || PyBool_Check(plain) || PyLong_CheckExact(plain) || PyFloat_CheckExact(plain) ||
         PyUnicode_CheckExact(plain) || isLanguageType(plain);
}

/// The dict of globals itself, or the cell of a captured variable (`owner.cells[name]`).
static Reference scopeOf(PyObject *owner, PyObject *name) {
  if (PyDict_Check(owner))
    return Reference::borrow(owner);
  Reference cells(PyObject_GetAttrString(owner, "cells"));
  PyObject *cell = cells && PyDict_Check(cells.get()) ? PyDict_GetItemWithError(cells.get(), name) : nullptr;
  return cell && PyCell_Check(cell) ? Reference::borrow(cell) : Reference();
}

/// False if a launch must go on asking Python about the globals.
static bool recordGlobals(PyObject *kernel, std::vector<RecordedGlobal> &out) {
  Reference used(PyObject_GetAttrString(kernel, "used_global_vals"));
  if (!used || !PyDict_Check(used.get())) {
    PyErr_Clear();
    return false;
  }
  PyObject *where, *what;
  for (Py_ssize_t position = 0; PyDict_Next(used.get(), &position, &where, &what);) {
    PyObject *name = PyTuple_GetItem(where, 0), *owner = PyTuple_GetItem(what, 1);
    Reference scope = name && owner ? scopeOf(owner, name) : Reference();
    PyObject *current = !scope                      ? nullptr
                        : PyCell_Check(scope.get()) ? PyCell_GET(scope.get())
                                                    : PyDict_GetItemWithError(scope.get(), name);
    if (!current || !isRecordable(current)) {
      PyErr_Clear();
      return false;
    }
    out.push_back({std::move(scope), Reference::borrow(name), Reference::borrow(current)});
  }
  return true;
}

/// Keeps how to ask for the current stream, where launches need one.
static bool addStream(Entry &entry) {
  if (!entry.native().hasStreams)
    return true;
  Reference getDevice(PyObject_GetAttrString(entry.driver.get(), "get_current_device"));
  entry.getStream = Reference(PyObject_GetAttrString(entry.driver.get(), "get_current_stream"));
  entry.device = Reference(getDevice ? PyObject_CallNoArgs(getDevice.get()) : nullptr);
  if (!entry.getStream || !entry.device)
    return false;
  entry.deviceIndex = int(PyLong_AsLong(entry.device.get()));
  entry.isTorchStream = isTorchStream(entry.getStream.get());
  return !PyErr_Occurred();
}

void Call::remember(PyObject *result) {
  constexpr size_t limit = 4096;
  auto entry = std::make_shared<Entry>();
  entry->launcher = Reference(PyObject_GetAttr(result, launcherName));
  entry->function = Reference(PyObject_GetAttr(result, functionName));
  entry->driver = Reference(PyObject_GetAttr(package.driverConfig, activeName));
  if (!entry->launcher || !isA(entry->launcher.get(), launcherType) || !entry->function || !entry->driver ||
      !recordGlobals(kernel, entry->globals) || entry->native().parameterCount != values.size() || !addStream(*entry)) {
    PyErr_Clear();
    return;
  }
  // The same kernel comes here again from a thread whose device was not yet known.
  auto [begin, end] = state.entries.equal_range(key.hashValue());
  for (auto known = begin; known != end; ++known)
    if (known->second->kernel.get() == result && known->second->key.matches(key))
      return;
  entry->kernel = Reference::borrow(result);
  if (state.entries.size() >= limit)
    state.forget();
  entry->key = key;
  entry->key.own();
  state.entries.emplace(key.hashValue(), std::move(entry));
}

PyObject *Call::run() {
  bool hasKey = addEnvironment() && bind();
  PyErr_Clear();
  if (hasKey)
    if (std::shared_ptr<Entry> entry = find())
      return launchWarm(entry);
  PyObject *result = launchCold(runGenerallyName);
  if (result && hasKey && result != Py_None)
    remember(result);
  return result;
}

/// Null with an exception set if the kernel cannot be launched at all.
static State *prepare(PyObject *kernel) {
  State &state = stateOf(kernel);
  return Package::get() && (state.isConfigured || configure(kernel, state)) ? &state : nullptr;
}

static PyObject *callBound(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<BoundLaunch *>(callable);
  State *state = prepare(self->kernel);
  if (!state)
    return nullptr;
  Call call{self->kernel, self->grid, arguments, size_t(PyVectorcall_NARGS(flags)), names, *state, *Package::get()};
  return state->hasOwnRun ? call.launchCold(runName) : call.run();
}

/// kernel._launch(grid, *args, **kwargs)
static PyObject *launchMethod(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  State *state = prepare(kernel);
  if (!state)
    return nullptr;
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "_launch() needs a grid");
    return nullptr;
  }
  return Call{kernel, arguments[0], arguments + 1, size_t(count - 1), names, *state, *Package::get()}.run();
}

// The bound launcher.

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

static PyObject *subscript(PyObject *kernel, PyObject *grid) {
  auto *self = PyObject_GC_New(BoundLaunch, boundLaunchType);
  if (!self)
    return nullptr;
  self->vectorcall = callBound;
  self->kernel = Py_NewRef(kernel);
  self->grid = Py_NewRef(grid);
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject *>(self);
}

// KernelBase.

static PyObject *createKernel(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *object = type->tp_alloc(type, 0);
  if (object)
    reinterpret_cast<KernelObject *>(object)->state = new State;
  return object;
}

static int traverseKernel(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  State *state = reinterpret_cast<KernelObject *>(object)->state;
  if (!state)
    return 0;
  for (const Parameter &parameter : state->parameters)
    Py_VISIT(parameter.defaultValue.get());
  for (const auto &[hash, entry] : state->entries) {
    Py_VISIT(entry->kernel.get());
    Py_VISIT(entry->launcher.get());
    Py_VISIT(entry->getStream.get());
    if (int result = entry->key.traverse(visit, arg))
      return result;
  }
  return 0;
}

static int clearKernel(PyObject *object) {
  if (State *state = reinterpret_cast<KernelObject *>(object)->state) {
    state->forget();
    Py_CLEAR(state->parsed.source);
    state->parsed.function.reset();
  }
  return 0;
}

static void destroyKernel(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearKernel(object);
  delete std::exchange(reinterpret_cast<KernelObject *>(object)->state, nullptr);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject *forget(PyObject *kernel, PyObject *) {
  State &state = stateOf(kernel);
  state.forget();
  state.isConfigured = false;
  Py_RETURN_NONE;
}

static PyMethodDef kernelMethods[] = {
    {"_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(launchMethod)), METH_FASTCALL | METH_KEYWORDS,
     "_launch(grid, *args, **kwargs): launches, natively if a launch with the same key came before, else through "
     "`_run_generally`."},
    {"_forget_launches", forget, METH_NOARGS,
     "Forgets the compiled kernels that launches have used, so that the next launch asks `device_caches`."},
    {nullptr, nullptr, 0, nullptr},
};
static PyType_Slot kernelSlots[] = {
    {Py_tp_doc, const_cast<char *>("The native half of a jitted function.")},
    {Py_tp_new, reinterpret_cast<void *>(createKernel)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseKernel)},
    {Py_tp_clear, reinterpret_cast<void *>(clearKernel)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyKernel)},
    {Py_tp_methods, kernelMethods},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {0, nullptr},
};
static PyType_Spec kernelSpec = {"triton._C.libtriton.KernelBase", sizeof(KernelObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernelSlots};

bool addKernelObject(PyObject *module) {
  boundLaunchType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundSpec));
  kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kernelSpec));
  return boundLaunchType && kernelType &&
         PyModule_AddObjectRef(module, "KernelBase", reinterpret_cast<PyObject *>(kernelType)) == 0;
}

} // namespace triton::python
