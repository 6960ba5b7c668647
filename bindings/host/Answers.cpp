#include "bindings/host/Answers.h"

#include "bindings/Package.h"
#include "bindings/Text.h"
#include "bindings/host/Fingerprint.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>

namespace nb = nanobind;

namespace triton::python {

using Kind = HostQuestion::Kind;

Answers *&Answers::recording() {
  static thread_local Answers *current = nullptr;
  return current;
}

PyObject *ask(const HostQuestion &question) {
  PyObject *found = answer(question);
  if (!found && PyErr_Occurred())
    return nullptr;
  Answers *recording = Answers::recording();
  if (recording && !recording->add(question, found)) {
    Py_XDECREF(found);
    return nullptr;
  }
  return found;
}

// Objects as JSON has them.

static constexpr const char *reference = "ref", *tuple = "tuple", *namedTuple = "named", *list = "list", *dict = "dict",
                            *slice = "slice", *dtype = "dtype";

static Reference text(std::string_view string) {
  return Reference(PyUnicode_FromStringAndSize(string.data(), Py_ssize_t(string.size())));
}

static Reference startList(const char *tag) {
  Reference made(PyList_New(0));
  Reference word = text(tag);
  if (!made || !word || PyList_Append(made.get(), word.get()) < 0)
    return Reference();
  return made;
}

static bool isJson(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type;
}

/// Null, without an exception, if the object comes from nowhere that could be asked again.
Reference Answers::encode(PyObject *object) const {
  if (isJson(object))
    return Reference::borrow(object);
  if (auto found = origins.find(object); found != origins.end())
    return Reference::borrow(found->second.get());
  if (isLanguageType(object)) {
    Reference made = startList(dtype), name(PyObject_GetAttrString(object, "name"));
    Reference scalars(PyObject_GetAttrString(Package::get()->coreModule, "_SCALAR_OBJECTS"));
    bool isScalar = name && scalars && PyDict_GetItem(scalars.get(), name.get()) == object;
    PyErr_Clear();
    return isScalar && PyList_Append(made.get(), name.get()) == 0 ? std::move(made) : Reference();
  }
  std::vector<Reference> parts;
  Reference made;
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object))
    made = startList(PyTuple_CheckExact(object) ? tuple : list);
  else if (PyTuple_Check(object)) {
    made = startList(namedTuple);
    parts.push_back(Reference::borrow(reinterpret_cast<PyObject *>(Py_TYPE(object))));
  } else if (PyDict_CheckExact(object)) {
    made = startList(dict);
    PyObject *key, *value;
    for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, &value);) {
      parts.push_back(Reference::borrow(key));
      parts.push_back(Reference::borrow(value));
    }
  } else if (PySlice_Check(object)) {
    made = startList(slice);
    for (const char *name : {"start", "stop", "step"})
      parts.emplace_back(PyObject_GetAttrString(object, name));
  } else
    return Reference();
  if (PyTuple_Check(object) || PyList_CheckExact(object)) {
    PyObject **items = PySequence_Fast_ITEMS(object);
    for (Py_ssize_t index = 0; index < PySequence_Fast_GET_SIZE(object); ++index)
      parts.push_back(Reference::borrow(items[index]));
  }
  for (const Reference &part : parts) {
    Reference element = part ? encode(part.get()) : Reference();
    if (!element || PyList_Append(made.get(), element.get()) < 0)
      return Reference();
  }
  return made;
}

/// Null, perhaps with an exception, if there is no such object any more.
Reference Answers::decode(PyObject *encoded) const {
  if (!PyList_CheckExact(encoded))
    return Reference::borrow(encoded);
  Py_ssize_t size = PyList_GET_SIZE(encoded);
  std::string tag = size ? textOf(PyList_GET_ITEM(encoded, 0)) : "";
  if (tag == reference) {
    long index = size > 1 ? PyLong_AsLong(PyList_GET_ITEM(encoded, 1)) : -2;
    if (index < -1 || index >= long(steps.size()))
      return Reference();
    Reference object = Reference::borrow(index < 0 ? function.get() : steps[size_t(index)].answer.get());
    for (Py_ssize_t part = 2; object && part < size; ++part) {
      std::string name = textOf(PyList_GET_ITEM(encoded, part));
      Reference found;
      for (auto &[candidate, value] : partsOf(object.get()))
        if (candidate == name)
          found = std::move(value);
      object = std::move(found);
    }
    return object;
  }
  if (tag == dtype) {
    Reference scalars(PyObject_GetAttrString(Package::get()->coreModule, "_SCALAR_OBJECTS"));
    return scalars && size == 2 ? Reference::borrow(PyDict_GetItem(scalars.get(), PyList_GET_ITEM(encoded, 1)))
                                : Reference();
  }
  Reference elements(PyTuple_New(size ? size - 1 : 0));
  for (Py_ssize_t index = 1; elements && index < size; ++index) {
    Reference element = decode(PyList_GET_ITEM(encoded, index));
    if (!element)
      return Reference();
    PyTuple_SET_ITEM(elements.get(), index - 1, element.release());
  }
  PyObject *items = elements.get();
  Py_ssize_t count = items ? PyTuple_GET_SIZE(items) : 0;
  if (tag == tuple)
    return elements;
  if (tag == list)
    return Reference(PySequence_List(items));
  if (tag == slice && count == 3)
    return Reference(PySlice_New(PyTuple_GET_ITEM(items, 0), PyTuple_GET_ITEM(items, 1), PyTuple_GET_ITEM(items, 2)));
  if (tag == namedTuple && count) {
    Reference rest(PyTuple_GetSlice(items, 1, count));
    return Reference(rest ? PyObject_Call(PyTuple_GET_ITEM(items, 0), rest.get(), nullptr) : nullptr);
  }
  if (tag == dict) {
    Reference made(PyDict_New());
    for (Py_ssize_t index = 0; made && index + 1 < count; index += 2)
      if (PyDict_SetItem(made.get(), PyTuple_GET_ITEM(items, index), PyTuple_GET_ITEM(items, index + 1)) < 0)
        return Reference();
    return made;
  }
  return Reference();
}

// Recording.

static Reference extend(PyObject *path, std::string_view part) {
  Reference made(PyList_GetSlice(path, 0, PyList_GET_SIZE(path))), name = text(part);
  if (!made || !name || PyList_Append(made.get(), name.get()) < 0)
    return Reference();
  return made;
}

void Answers::registerParts(PyObject *object, Reference path) {
  if (!path || isJson(object))
    return;
  kept.push_back(Reference::borrow(object));
  auto parts = partsOf(object);
  for (auto &[name, part] : parts)
    if (part.get() != object)
      registerParts(part.get(), extend(path.get(), name));
  origins.try_emplace(object, std::move(path));
}

static Reference referenceTo(long step) {
  Reference made = startList(reference), index(PyLong_FromLong(step));
  if (!made || !index || PyList_Append(made.get(), index.get()) < 0)
    return Reference();
  return made;
}

Answers::Answers(PyObject *function, PyObject *constants) : function(Reference::borrow(function)) {
  registerParts(function, referenceTo(-1));
  if (!addArguments(constants) && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "compile-time arguments are a dict of paths to values");
}

bool Answers::addArguments(PyObject *constants) {
  if (!PyDict_Check(constants))
    return false;
  Reference paths(PyDict_Keys(constants));
  if (!paths || PyList_Sort(paths.get()) < 0)
    return false;
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(paths.get()); ++index) {
    PyObject *path = PyList_GET_ITEM(paths.get(), index);
    PyObject *value = PyDict_GetItemWithError(constants, path);
    Reference name(PyObject_Repr(path)), none(PyList_New(0));
    if (!value || !name || !none || !append({Kind::Argument, name.get(), {&value, 1}}, std::move(none), value))
      return false;
  }
  return true;
}

bool Answers::append(const HostQuestion &question, Reference encoded, PyObject *answer) {
  std::string fingerprint = "none";
  if (answer && (fingerprint.clear(), !appendFingerprint(answer, fingerprint)))
    return false;
  Reference shown(PyObject_Repr(encoded.get()));
  std::string key = std::to_string(int(question.kind)) + " " + textOf(question.name) + " ";
  if (question.name && PyLong_Check(question.name))
    key += std::to_string(PyLong_AsLong(question.name));
  key += textOf(shown.get());
  if (auto found = known.find(key); found != known.end() && steps[found->second].fingerprint == fingerprint) {
    if (answer) // another object with the same value: later questions are about it
      registerParts(answer, referenceTo(long(found->second)));
    return !PyErr_Occurred();
  }
  Step step{question.kind,      Reference::borrow(question.name), {},
            std::move(encoded), Reference::borrow(answer),        std::move(fingerprint)};
  for (PyObject *operand : question.operands)
    step.operands.push_back(Reference::borrow(operand));
  known.insert_or_assign(std::move(key), steps.size());
  steps.push_back(std::move(step));
  if (answer)
    registerParts(answer, referenceTo(long(steps.size()) - 1));
  return !PyErr_Occurred();
}

bool Answers::add(const HostQuestion &question, PyObject *answer) {
  Reference encoded(PyList_New(0));
  for (PyObject *operand : question.operands) {
    Reference element = encode(operand);
    if (!element) {
      if (PyErr_Occurred())
        return false;
      // Made by code that runs only while a kernel is compiled, which is a question of its own; so is now a function that was given such a value.
      if (question.kind != Kind::Call)
        return true;
      HostQuestion code{Kind::Code, nullptr, question.operands.first(1)};
      Reference key(encode(question.operands[0]) ? python::answer(code) : nullptr);
      return key ? add(code, key.get()) : !PyErr_Occurred();
    }
    if (PyList_Append(encoded.get(), element.get()) < 0)
      return false;
  }
  return append(question, std::move(encoded), answer);
}

PyObject *Answers::toJson() const {
  Reference all(PyList_New(0));
  for (const Step &step : steps) {
    PyObject *name = step.name ? step.name.get() : Py_None;
    Reference fingerprint = text(step.fingerprint);
    Reference made(Py_BuildValue("[iOOO]", int(step.kind), name, step.encoded.get(), fingerprint.get()));
    if (!all || !made || PyList_Append(all.get(), made.get()) < 0)
      return nullptr;
  }
  return all.release();
}

// Messages.

std::string Answers::expressionOf(PyObject *object) const {
  auto found = origins.find(object);
  long index = found == origins.end() ? -1 : PyLong_AsLong(PyList_GET_ITEM(found->second.get(), 1));
  return index < 0 ? "..." : expressionOf(steps[size_t(index)]);
}

std::string Answers::expressionOf(const Step &step) const {
  switch (step.kind) {
  case Kind::Lookup:
    return textOf(step.name.get());
  case Kind::Attribute:
    return expressionOf(step.operands[0].get()) + "." + textOf(step.name.get());
  case Kind::Argument:
    return "argument " + textOf(step.name.get());
  case Kind::Call:
    return expressionOf(step.operands[0].get()) + "(...)";
  case Kind::Code:
    return "the code of " + expressionOf(step.operands[0].get());
  case Kind::Subscript:
    return expressionOf(step.operands[0].get()) + "[...]";
  default:
    return step.operands.empty() ? "..." : "the value of " + expressionOf(step.operands[0].get());
  }
}

static std::string shown(PyObject *object) {
  Reference string(object ? PyObject_Str(object) : nullptr);
  PyErr_Clear();
  return object ? textOf(string.get()) : "<deleted>";
}

/// Whether users call it a variable: what is defined by `def`, `class` and `import` is none.
static bool isVariable(PyObject *value) {
  Reference inner(value ? constexprValue(value) : nullptr); // which can be called if what is in it can
  PyErr_Clear();
  PyObject *plain = inner ? inner.get() : value;
  return plain && !PyModule_Check(plain) && !PyCallable_Check(plain);
}

// Asking again.

static bool readStep(PyObject *item, long &kind, PyObject *&name, PyObject *&encoded, std::string &fingerprint) {
  if (!PyList_CheckExact(item) || PyList_GET_SIZE(item) != 4 || !PyLong_CheckExact(PyList_GET_ITEM(item, 0)) ||
      !PyList_CheckExact(PyList_GET_ITEM(item, 2)))
    return false;
  kind = PyLong_AsLong(PyList_GET_ITEM(item, 0));
  name = PyList_GET_ITEM(item, 1);
  encoded = PyList_GET_ITEM(item, 2);
  fingerprint = textOf(PyList_GET_ITEM(item, 3));
  return kind >= 0 && kind <= long(Kind::Describe);
}

/// How many operands a question has: a stored one may be damaged.
static size_t operandCount(Kind kind) {
  switch (kind) {
  case Kind::Call:
    return 3;
  case Kind::IsInstance:
  case Kind::Binary:
  case Kind::Subscript:
    return 2;
  default:
    return 1;
  }
}

std::unique_ptr<Answers> Answers::replay(PyObject *function, PyObject *constants, PyObject *asked,
                                         std::optional<Change> &change) {
  change = Change{"what is stored about it", "", "", false};
  auto answers = std::make_unique<Answers>(function, constants);
  if (PyErr_Occurred() || !PyList_CheckExact(asked)) {
    PyErr_Clear();
    return nullptr;
  }
  const size_t argumentCount = answers->steps.size();
  const size_t count = size_t(PyList_GET_SIZE(asked));
  if (count < argumentCount)
    return nullptr;
  for (size_t index = 0; index < count; ++index) {
    long kind = 0;
    PyObject *name = nullptr, *encoded = nullptr;
    std::string fingerprint;
    if (!readStep(PyList_GET_ITEM(asked, Py_ssize_t(index)), kind, name, encoded, fingerprint) ||
        (index < argumentCount) != (Kind(kind) == Kind::Argument))
      return nullptr;
    if (index >= argumentCount) {
      std::vector<Reference> operands;
      std::vector<PyObject *> borrowed;
      for (Py_ssize_t operand = 0; operand < PyList_GET_SIZE(encoded); ++operand) {
        operands.push_back(answers->decode(PyList_GET_ITEM(encoded, operand)));
        borrowed.push_back(operands.back().get());
        if (!operands.back()) {
          PyErr_Clear();
          return nullptr;
        }
      }
      if (borrowed.size() != operandCount(Kind(kind)))
        return nullptr;
      HostQuestion question{Kind(kind), name == Py_None ? nullptr : name, borrowed};
      Reference found(answer(question));
      bool isAsked = !PyErr_Occurred() && answers->append(question, Reference::borrow(encoded), found.get());
      if (!isAsked || answers->steps.size() != index + 1) {
        PyErr_Clear();
        return nullptr;
      }
    }
    const Step &step = answers->steps[index];
    if (step.fingerprint != fingerprint) {
      bool isOuter =
          step.kind == Kind::Lookup || (step.kind == Kind::Attribute && PyModule_Check(step.operands[0].get()));
      change = Change{answers->expressionOf(step), fingerprint, shown(step.answer.get()),
                      isOuter && (!step.answer || isVariable(step.answer.get()))};
      return nullptr;
    }
  }
  change = std::nullopt;
  return answers;
}

std::optional<Answers::Change> Answers::findChange(PyObject *constants) {
  if (!watched) {
    watched.emplace();
    isVolatile = !addWatched(*watched);
  }
  std::optional<Change> change;
  bool isSame = !isVolatile;
  for (const RecordedGlobal &place : *watched)
    isSame = isSame && place.isUnchanged();
  if (isSame) { // what is left are the arguments
    Answers now(function.get(), constants);
    for (size_t index = 0; index < now.steps.size() && isSame; ++index)
      isSame = index < steps.size() && now.steps[index].fingerprint == steps[index].fingerprint;
    if (isSame && !PyErr_Occurred())
      return std::nullopt;
    PyErr_Clear();
  }
  Reference asked(toJson());
  if (!asked) {
    PyErr_Clear();
    return Change{"what it read", "", "", false};
  }
  std::unique_ptr<Answers> fresh = replay(function.get(), constants, asked.get(), change);
  if (!fresh) {
    for (const Step &step : steps)
      if (change->before == step.fingerprint && change->expression == expressionOf(step)) {
        if (std::string before = shown(step.answer.get()); before != change->now) // else it was changed in place
          change->before = before;
        change->isVariable = change->isVariable && (!step.answer || isVariable(step.answer.get()));
      }
    return change;
  }
  // Equal values in other objects: from now on these are the ones to watch.
  steps = std::move(fresh->steps);
  known = std::move(fresh->known);
  origins = std::move(fresh->origins);
  kept = std::move(fresh->kept);
  watched.reset();
  return std::nullopt;
}

// What need not be asked again.

/// A list of (dict, name) that the callable reads, as the package's Python half finds it; null, without an exception, if that cannot be told.
static Reference readsOf(PyObject *callable) {
  Reference fingerprints(PyImport_ImportModule("triton.runtime.fingerprints"));
  Reference find(fingerprints ? PyObject_GetAttrString(fingerprints.get(), "pure_reads") : nullptr);
  Reference found(find ? PyObject_CallOneArg(find.get(), callable) : nullptr);
  PyErr_Clear();
  return found && PyList_CheckExact(found.get()) ? std::move(found) : Reference();
}

static bool watchDict(PyObject *scope, PyObject *name, std::vector<RecordedGlobal> &out) {
  return record(Reference::borrow(scope), name, PyDict_GetItemWithError(scope, name), out);
}

static bool watchReads(PyObject *callable, std::vector<RecordedGlobal> &out) {
  Reference reads = readsOf(callable);
  for (Py_ssize_t index = 0; reads && index < PyList_GET_SIZE(reads.get()); ++index) {
    PyObject *read = PyList_GET_ITEM(reads.get(), index);
    if (!watchDict(PyTuple_GET_ITEM(read, 0), PyTuple_GET_ITEM(read, 1), out))
      return false;
  }
  return bool(reads);
}

static bool watchLookup(PyObject *jitFunction, PyObject *name, std::vector<RecordedGlobal> &out) {
  Reference function(PyObject_GetAttrString(jitFunction, "fn"));
  PyObject *scope = function ? scopeOfName(function.get(), name) : nullptr;
  if (scope && PyCell_Check(scope))
    return record(Reference::borrow(scope), name, PyCell_GET(scope), out);
  Reference globals(!scope && function ? PyObject_GetAttrString(function.get(), "__globals__") : nullptr);
  PyObject *place = scope ? scope : globals.get();
  return place && PyDict_Check(place) && watchDict(place, name, out);
}

bool Answers::watch(const Step &step, std::vector<RecordedGlobal> &out) const {
  switch (step.kind) {
  case Kind::Argument:
  case Kind::Import:
  case Kind::IsInstance:
    return true;
  case Kind::Lookup:
    return watchLookup(step.operands[0].get(), step.name.get(), out);
  case Kind::Attribute: {
    PyObject *owner = step.operands[0].get();
    if (PyModule_Check(owner)) {
      PyObject *dict = PyModule_GetDict(owner);
      bool isKeptThere = PyDict_GetItemWithError(dict, step.name.get()) == step.answer.get();
      return isKeptThere && watchDict(dict, step.name.get(), out);
    }
    if (!PyType_Check(owner))
      return isUnchanging(owner) && (!step.answer || isUnchanging(step.answer.get()));
    if (PyObject_HasAttrString(owner, "__members__")) // an enum
      return true;
    PyObject *kept = _PyType_Lookup(reinterpret_cast<PyTypeObject *>(owner), step.name.get());
    if (!kept || (step.answer && !isUnchanging(step.answer.get())))
      return false;
    out.push_back({Reference::borrow(owner), Reference::borrow(step.name.get()), Reference::borrow(kept)});
    return true;
  }
  case Kind::Call:
    return isUnchanging(step.operands[1].get()) && watchReads(step.operands[0].get(), out);
  case Kind::Code:
    return watchReads(step.operands[0].get(), out);
  case Kind::Binary:
  case Kind::Unary:
  case Kind::Subscript:
  case Kind::Length:
  case Kind::Truth:
  case Kind::Iterate:
  case Kind::Describe:
    for (const Reference &operand : step.operands)
      if (!isUnchanging(operand.get()))
        return false;
    return true;
  }
  return false;
}

bool Answers::addWatched(std::vector<RecordedGlobal> &out) {
  for (const Step &step : steps)
    if (!watch(step, out)) {
      PyErr_Clear();
      return false;
    }
  // A name that several functions read is watched once.
  std::sort(out.begin(), out.end(), [](const RecordedGlobal &one, const RecordedGlobal &other) {
    return std::pair(one.scope.get(), one.name.get()) < std::pair(other.scope.get(), other.name.get());
  });
  auto isSame = [](const RecordedGlobal &one, const RecordedGlobal &other) {
    return one.scope.get() == other.scope.get() && one.name.get() == other.name.get();
  };
  out.erase(std::unique(out.begin(), out.end(), isSame), out.end());
  return true;
}

// The Python class.

int Answers::traverse(visitproc visit, void *arg) const {
  Py_VISIT(function.get());
  for (const Step &step : steps) {
    for (const Reference &operand : step.operands)
      Py_VISIT(operand.get());
    Py_VISIT(step.answer.get());
  }
  for (const Reference &object : kept)
    Py_VISIT(object.get());
  if (watched)
    for (const RecordedGlobal &place : *watched) {
      Py_VISIT(place.scope.get());
      Py_VISIT(place.value.get());
    }
  return 0;
}

void Answers::clear() {
  auto oldSteps = std::move(steps);
  auto oldKept = std::move(kept);
  origins.clear();
  watched.reset();
  function = Reference();
}

Answers *findAnswers(PyObject *object) {
  return nb::isinstance<Answers>(nb::handle(object)) ? nb::inst_ptr<Answers>(nb::handle(object)) : nullptr;
}

static int traverseAnswers(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Answers>(self)->traverse(visit, arg) : 0;
}

static int clearAnswers(PyObject *self) {
  if (nb::inst_ready(self))
    nb::inst_ptr<Answers>(self)->clear();
  return 0;
}

static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverseAnswers)},
                              {Py_tp_clear, reinterpret_cast<void *>(clearAnswers)},
                              {0, nullptr}};

static nb::object toPython(const std::optional<Answers::Change> &change) {
  if (!change)
    return nb::none();
  return nb::make_tuple(change->expression.c_str(), change->before.c_str(), change->now.c_str(), change->isVariable);
}

void addAnswers(nb::module_ &module) {
  nb::class_<Answers>(module, "Answers", nb::type_slots(slots),
                      "What a kernel asked the program around it while it was compiled, with the answers.")
      .def(
          "__init__",
          [](Answers *self, nb::handle function, const nb::dict &constants) {
            new (self) Answers(function.ptr(), constants.ptr());
            if (PyErr_Occurred()) {
              self->~Answers();
              throw nb::python_error();
            }
          },
          nb::arg("function"), nb::arg("constants"))
      .def(
          "to_json",
          [](const Answers &self) {
            nb::object steps = nb::steal(self.toJson());
            if (!steps)
              throw nb::python_error();
            return steps;
          },
          "The questions and the fingerprints of their answers, as JSON can hold them.")
      .def(
          "find_change",
          [](Answers &self, const nb::dict &constants) { return toPython(self.findChange(constants.ptr())); },
          nb::arg("constants"),
          "(expression, answer before, answer now, whether it is a variable) of the first answer that is another one "
          "now; None if all hold.")
      .def_static(
          "replay",
          [](nb::handle function, const nb::dict &constants, nb::handle steps) {
            std::optional<Answers::Change> change;
            std::unique_ptr<Answers> answers = Answers::replay(function.ptr(), constants.ptr(), steps.ptr(), change);
            nb::object made = nb::none();
            if (answers)
              made = nb::cast(std::move(answers));
            return nb::make_tuple(made, toPython(change));
          },
          nb::arg("function"), nb::arg("constants"), nb::arg("steps"),
          "Asks the questions that `to_json` gave anew: (the Answers, None), or (None, what has changed).");
  module.def(
      "fingerprint",
      [](nb::handle object) {
        std::string text;
        if (!appendFingerprint(object.ptr(), text))
          throw nb::python_error();
        return nb::str(text.data(), text.size());
      },
      nb::arg("object").none(), "Text that is equal for equal compile-time values in every process.");
}

} // namespace triton::python
