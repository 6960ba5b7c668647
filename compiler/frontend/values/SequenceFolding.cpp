// Elements, slices and lengths of strings and tuples.
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Formatting.h"
#include "compiler/frontend/values/Literals.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace triton::frontend;
using llvm::Expected;

Expected<std::vector<size_t>> triton::frontend::slicePositions(const SliceValue &slice, size_t length) {
  auto bound = [&](const Value &value, int64_t ifNone) -> Expected<int64_t> {
    if (value.isNone())
      return ifNone;
    std::optional<Integer> number = asInteger(value);
    if (!number)
      return hostError("TypeError", "slice indices must be integers or None, not " + classNameOf(value));
    return toInt64(*number).value_or(*number < 0 ? INT32_MIN : INT32_MAX);
  };
  auto step = bound(slice.step, 1);
  if (!step)
    return step.takeError();
  if (*step == 0)
    return hostError("ValueError", "slice step cannot be zero");
  int64_t count = static_cast<int64_t>(length);
  int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? count : count - 1;
  auto start = bound(slice.start, *step > 0 ? low : high);
  if (!start)
    return start.takeError();
  auto stop = bound(slice.stop, *step > 0 ? high : low - count);
  if (!stop)
    return stop.takeError();
  auto clamp = [&](int64_t index) { return std::clamp(index < 0 ? index + count : index, low, high); };
  std::vector<size_t> positions;
  int64_t end = slice.stop.isNone() && *step < 0 ? -1 : clamp(*stop);
  for (int64_t i = slice.start.isNone() ? *start : clamp(*start); *step > 0 ? i < end : i > end; i += *step)
    positions.push_back(static_cast<size_t>(i));
  return positions;
}

Expected<Value> triton::frontend::foldSubscript(const Value &sequence, const Value &index) {
  if (auto *object = sequence.getIf<HostObject>())
    return object->host->subscript(*object, index);
  const TupleValue *tuple = sequence.tuple();
  if (!tuple && !sequence.is<std::string>())
    return hostError("TypeError", "'" + classNameOf(sequence) + "' cannot be subscripted");
  std::vector<llvm::StringRef> characters;
  if (!tuple)
    characters = charactersOf(sequence.get<std::string>());
  size_t length = tuple ? tuple->elements.size() : characters.size();
  auto pick = [&](llvm::ArrayRef<size_t> positions, bool single) -> Value {
    if (!tuple) {
      std::string text;
      for (size_t position : positions)
        text += characters[position];
      return Value::string(std::move(text));
    }
    if (single)
      return tuple->elements[positions.front()];
    std::vector<Value> elements;
    for (size_t position : positions)
      elements.push_back(tuple->elements[position]);
    return tuple->isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
  };
  if (auto *slice = index.getIf<std::shared_ptr<const SliceValue>>()) {
    auto positions = slicePositions(**slice, length);
    if (!positions)
      return positions.takeError();
    return pick(*positions, /*single=*/false);
  }
  std::optional<Integer> number = asInteger(index);
  if (!number)
    return hostError("TypeError", "indices must be integers or slices, not " + classNameOf(index));
  Integer position = *number;
  if (position < 0)
    position += Integer(static_cast<int64_t>(length));
  if (position < 0 || position >= Integer(static_cast<int64_t>(length)))
    return hostError("IndexError",
                     "index " + toString(*number) + " is out of range for " + std::to_string(length) + " elements");
  return pick({static_cast<size_t>(static_cast<int64_t>(position))}, /*single=*/true);
}

Expected<Value> triton::frontend::foldLength(const Value &value) {
  if (auto *object = value.getIf<HostObject>())
    return object->host->length(*object);
  if (value.tuple())
    return Value::integer(static_cast<int64_t>(value.tuple()->elements.size()));
  if (value.is<std::string>())
    return Value::integer(static_cast<int64_t>(charactersOf(value.get<std::string>()).size()));
  return hostError("TypeError", "object of type '" + classNameOf(value) + "' has no len()");
}

Expected<std::vector<Value>> triton::frontend::elementsOf(const Value &value) {
  if (auto *tuple = value.tuple())
    return tuple->elements;
  if (auto *object = value.getIf<HostObject>(); object && object->host)
    return object->host->iterate(*object);
  auto *text = value.getIf<std::string>();
  if (!text)
    return hostError("TypeError", "'" + classNameOf(value) + "' object is not iterable");
  std::vector<Value> letters;
  for (llvm::StringRef letter : charactersOf(*text))
    letters.push_back(Value::string(letter.str()));
  return letters;
}

Expected<bool> triton::frontend::foldContains(const Value &container, const Value &item) {
  if (auto *text = container.getIf<std::string>()) {
    if (!item.is<std::string>())
      return hostError("TypeError", "'in <string>' requires string as left operand, not " + classNameOf(item));
    return llvm::StringRef(*text).contains(item.get<std::string>());
  }
  auto elements = elementsOf(container);
  if (!elements)
    return elements.takeError();
  return llvm::any_of(*elements,
                      [&](const Value &element) { return identical(element, item) || equalConstants(element, item); });
}

Expected<Value> triton::frontend::foldExtreme(llvm::ArrayRef<Value> values, bool isMax) {
  Value best = values.front();
  for (const Value &candidate : values.drop_front()) {
    auto isBetter = fold(isMax ? BinaryOperation::Gt : BinaryOperation::Lt, candidate, best);
    if (!isBetter)
      return isBetter.takeError();
    auto holds = truth(*isBetter);
    if (!holds)
      return holds.takeError();
    if (*holds)
      best = candidate;
  }
  return best;
}
