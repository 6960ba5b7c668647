#include "bindings/launch/RepeatedCall.h"

#include "bindings/Package.h"
#include "bindings/launch/WarmLaunch.h"

#include <cstring>
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

bool ArgumentGuard::begin(PyObject *object, const Argument &argument, const KernelParameter *parameter) {
  isConstexpr = !parameter || parameter->facts.isConstexpr;
  if (parameter) {
    specializeValue = parameter->facts.specializesValue;
    align = parameter->align();
  }
  mask = dispatch::tagMask(specializeValue, align);
  if (isImmutable(object))
    same = Reference::borrow(object);
  if (!isConstexpr)
    tag = dispatch::tagOf(argument) & mask;
  if (isConstexpr ? bool(same) : tag != 0)
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
  if (PyLong_CheckExact(object) && PyLong_CheckExact(same.get()) && readCompact(object, value) &&
      readCompact(same.get(), wanted))
    return value == wanted;
  LaunchKey parts, wantedParts;
  return parts.addConstant(object) && wantedParts.addConstant(same.get()) && parts.matches(wantedParts);
}

bool ArgumentGuard::admits(PyObject *object, Argument &argument, std::vector<Reference> &holders) const {
  if (isConstexpr && same)
    return isSame(object) || admitsConstant(object);
  if (!isConstexpr) {
    PyObject *holder = nullptr;
    if (!classify(object, argument, &holder))
      return false;
    if (holder)
      holders.emplace_back(holder);
    if (tag)
      return admits(argument);
  }
  LaunchKey parts;
  return addTo(parts, object, argument) && parts.matches(*key);
}

int ArgumentGuard::traverse(visitproc visit, void *arg) const {
  Py_VISIT(same.get());
  return key ? key->traverse(visit, arg) : 0;
}

bool RepeatedCall::expect(const KernelState &state, PyObject *object, PyObject *defaultValue, size_t position,
                          const Argument *classified) {
  bool isOption = position == state.parameters.size();
  Expected &added = expected.emplace_back();
  added.defaultValue = defaultValue;
  added.position = uint16_t(isOption ? BoundArguments::limit : position);
  bool isPassed = false;
  const std::vector<PlainSlot> &slots = itsLaunch->native().layout->plain;
  for (size_t index = 0; index < slots.size(); ++index)
    if (slots[index].parameter == added.position) {
      isPassed = true;
      if (isPacked()) {
        added.slot = slots[index];
        added.index = uint16_t(index);
      }
    }
  if (!added.guard.begin(object, isOption ? Argument() : classified[position],
                         isOption ? nullptr : &state.parameters[position]))
    return false;
  PlainSlot::Kind kind = added.slot.kind;
  added.likely = !isPassed && added.guard.isSame(object)                     ? Likely::Same
                 : kind == PlainSlot::Kind::Integer32                        ? Likely::Integer32
                 : kind == PlainSlot::Kind::Real32                           ? Likely::Real32
                 : kind == PlainSlot::Kind::Pointer && isTorchTensor(object) ? Likely::TorchTensor
                                                                             : Likely::Other;
  return true;
}

HeldCall RepeatedCall::create(const KernelState &state, std::shared_ptr<RememberedLaunch> launch,
                              PyObject *const *arguments, size_t positionalCount, PyObject *names,
                              const Argument *classified) {
  size_t count = state.parameters.size(), nameCount = names ? size_t(PyTuple_GET_SIZE(names)) : 0;
  if (count > BoundArguments::limit)
    return HeldCall();
  HeldCall call(new RepeatedCall);
  if (size_t bytes = launch->native().argumentBytes; bytes <= PackedArguments::byteLimit)
    call->packedBytes = bytes; // never 0
  call->memory = launch->native().memory;
  call->itsLaunch = std::move(launch);
  call->positionalCount = positionalCount;
  call->names = Reference::borrow(nameCount ? names : nullptr);
  std::vector<bool> isGiven(count + 1);
  for (size_t index = 0; index < positionalCount + nameCount; ++index) {
    size_t position =
        index < positionalCount ? index : state.positionOf(PyTuple_GET_ITEM(names, index - positionalCount));
    isGiven[position] = true;
    if (!call->expect(state, arguments[index], nullptr, position, classified))
      return HeldCall();
  }
  for (size_t position = 0; position < count; ++position)
    if (PyObject *value = state.parameters[position].defaultValue.get(); !isGiven[position])
      if (!call->expect(state, value, value, position, classified))
        return HeldCall();
  return call;
}

bool RepeatedCall::hasNames(PyObject *given) const {
  if (given == names.get())
    return true;
  Py_ssize_t count = names ? PyTuple_GET_SIZE(names.get()) : 0;
  if (count != (given ? PyTuple_GET_SIZE(given) : 0))
    return false;
  for (Py_ssize_t index = 0; index < count; ++index)
    if (PyTuple_GET_ITEM(given, index) != PyTuple_GET_ITEM(names.get(), index))
      return false;
  return true;
}

/// One argument by all the rules.
bool RepeatedCall::accept(const Expected &one, PyObject *object, BoundArguments &out) const {
  Argument &argument = *new (out.classified() + one.position) Argument();
  if (!one.guard.admits(object, argument, out.holders))
    return false;
  if (one.slot.kind != PlainSlot::Kind::Other && !one.slot.pack(argument, memory, out.packed.block))
    out.packed.rest[out.packed.restCount++] = one.index;
  return true;
}

/// One argument if it is as it most likely is.
[[gnu::always_inline]] inline bool RepeatedCall::acceptLikely(const Expected &one, PyObject *object,
                                                              std::byte *block) const {
  Argument argument;
  block += one.slot.offset;
  switch (one.likely) {
  case Likely::Same:
    return one.guard.isSame(object);
  case Likely::Integer32: {
    int64_t value;
    if (!PyLong_CheckExact(object) || !readCompact(object, value))
      return false;
    argument.setInteger32(value);
    return one.guard.admits(argument) && PlainSlot::packAs(PlainSlot::Kind::Integer32, argument, memory, block);
  }
  case Likely::Real32:
    if (!PyFloat_CheckExact(object))
      return false;
    argument.setReal(PyFloat_AS_DOUBLE(object));
    return one.guard.admits(argument) && PlainSlot::packAs(PlainSlot::Kind::Real32, argument, memory, block);
  case Likely::TorchTensor:
    return isTorchTensor(object) && readKnownTorchTensor(object, argument) && one.guard.admits(argument) &&
           PlainSlot::packAs(PlainSlot::Kind::Pointer, argument, memory, block);
  case Likely::Other:
    return false;
  }
  return false;
}

bool RepeatedCall::recognise(PyObject *const *arguments, size_t count, PyObject *givenNames,
                             BoundArguments &out) const {
  if (count != positionalCount || !hasNames(givenNames))
    return false;
  std::memset(out.packed.block, 0, packedBytes); // also what lies between arguments: blocks are compared
  for (const Expected &one : expected) {
    PyObject *object = one.defaultValue ? one.defaultValue : *arguments++;
    out.values[one.position] = object;
    if (!acceptLikely(one, object, out.packed.block) && !accept(one, object, out))
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

std::optional<PyObject *> repeatCall(KernelState &state, PyObject *grid, PyObject *const *arguments,
                                     size_t positionalCount, PyObject *names) {
  for (size_t index = 0; index < state.repeated.size(); ++index) {
    if (!state.isUndisturbed())
      break;
    HeldCall call(state.repeated[index].get());
    BoundArguments bound;
    if (call->recognise(arguments, positionalCount, names, bound) && call->launch().isReady()) {
      if (index != 0)
        state.moveToFront(call.get());
      return launchWarm(state, call->launch(), grid,
                        {bound.values, bound.classified(), call->isPacked() ? &bound.packed : nullptr});
    }
    PyErr_Clear();
  }
  return std::nullopt;
}

} // namespace triton::python
