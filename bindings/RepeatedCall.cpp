#include "bindings/RepeatedCall.h"

#include "bindings/Package.h"

#include <new>

namespace triton::python {

/// Objects that cannot change while they keep their identity.
static bool isImmutable(PyObject *object) {
  return PyLong_CheckExact(object) || PyBool_Check(object) || object == Py_None || PyUnicode_CheckExact(object) ||
         PyFloat_CheckExact(object) || isLanguageType(object);
}

bool ArgumentGuard::addTo(LaunchKey &parts, PyObject *object, const Argument &argument) const {
  return isConstexpr ? parts.addConstant(object) : parts.addArgument(object, argument, specializeValue, align);
}

bool ArgumentGuard::begin(PyObject *object, const Argument &argument, const Parameter *parameter) {
  isConstexpr = !parameter || parameter->isConstexpr;
  if (parameter) {
    specializeValue = parameter->specializeValue;
    align = parameter->align;
  }
  if (!isConstexpr)
    tag = LaunchKey::tagOf(argument, specializeValue, align);
  else if (isImmutable(object))
    constant = Reference::borrow(object);
  if (tag || constant)
    return true;
  auto parts = std::make_unique<LaunchKey>();
  if (!addTo(*parts, object, argument))
    return false;
  parts->own();
  key.reset(parts.release());
  return true;
}

bool ArgumentGuard::admitsConstant(PyObject *object) const {
  int64_t value = 0, wanted = 0;
  if (PyLong_CheckExact(object) && PyLong_CheckExact(constant.get()) && readCompact(object, value) &&
      readCompact(constant.get(), wanted))
    return value == wanted;
  LaunchKey parts, wantedParts;
  return parts.addConstant(object) && wantedParts.addConstant(constant.get()) && parts.matches(wantedParts);
}

bool ArgumentGuard::admitsAny(PyObject *object, Argument &argument, std::vector<Reference> &holders) const {
  if (!isConstexpr) {
    PyObject *holder = nullptr;
    if (!classify(object, argument, &holder))
      return false;
    if (holder)
      holders.emplace_back(holder);
    if (tag)
      return LaunchKey::tagOf(argument, specializeValue, align) == tag;
  }
  LaunchKey parts;
  return addTo(parts, object, argument) && parts.matches(*key);
}

int ArgumentGuard::traverse(visitproc visit, void *arg) const {
  Py_VISIT(constant.get());
  return key ? key->traverse(visit, arg) : 0;
}

bool RepeatedCall::expect(const KernelState &state, PyObject *object, PyObject *defaultValue, size_t position,
                          const Argument *classified) {
  bool isOption = position == state.parameters.size();
  Expected &added = expected.emplace_back();
  added.defaultValue = defaultValue;
  added.position = isOption ? option : uint16_t(position);
  return added.guard.begin(object, isOption ? Argument() : classified[position],
                           isOption ? nullptr : &state.parameters[position]);
}

std::unique_ptr<RepeatedCall> RepeatedCall::create(const KernelState &state, std::shared_ptr<RememberedLaunch> launch,
                                                   PyObject *const *arguments, size_t positionalCount, PyObject *names,
                                                   const Argument *classified) {
  size_t count = state.parameters.size(), nameCount = names ? size_t(PyTuple_GET_SIZE(names)) : 0;
  if (count > BoundArguments::limit)
    return nullptr;
  auto call = std::make_unique<RepeatedCall>();
  call->itsLaunch = std::move(launch);
  call->positionalCount = positionalCount;
  std::vector<bool> isGiven(count + 1);
  for (size_t index = 0; index < positionalCount + nameCount; ++index) {
    size_t position = index;
    if (index >= positionalCount) {
      PyObject *name = PyTuple_GET_ITEM(names, index - positionalCount);
      call->names.push_back(Reference::borrow(name));
      position = state.positionOf(name);
    }
    isGiven[position] = true;
    if (!call->expect(state, arguments[index], nullptr, position, classified))
      return nullptr;
  }
  for (size_t position = 0; position < count; ++position)
    if (PyObject *value = state.parameters[position].defaultValue.get(); !isGiven[position])
      if (!call->expect(state, value, value, position, classified))
        return nullptr;
  return call;
}

bool RepeatedCall::recognise(PyObject *const *arguments, size_t count, PyObject *givenNames,
                             BoundArguments &out) const {
  size_t nameCount = givenNames ? size_t(PyTuple_GET_SIZE(givenNames)) : 0;
  if (count != positionalCount || nameCount != names.size())
    return false;
  for (size_t index = 0; index < nameCount; ++index)
    if (PyTuple_GET_ITEM(givenNames, index) != names[index].get())
      return false;
  for (const Expected &one : expected) {
    PyObject *object = one.defaultValue ? one.defaultValue : *arguments++;
    if (one.position == option) {
      Argument unused;
      if (!one.guard.admits(object, unused, out.holders))
        return false;
      continue;
    }
    out.values[one.position] = object;
    if (!one.guard.admits(object, *new (out.classified() + one.position) Argument(), out.holders))
      return false;
  }
  return true;
}

int RepeatedCall::traverse(visitproc visit, void *arg) const {
  for (const Expected &one : expected)
    if (int result = one.guard.traverse(visit, arg))
      return result;
  return 0;
}

} // namespace triton::python
