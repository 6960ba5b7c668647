// Elements, slices and lengths of strings and tuples.
#include "compiler/frontend/values/Folding.h"
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
  size_t length = tuple ? tuple->elements.size() : sequence.get<std::string>().size();
  auto pick = [&](llvm::ArrayRef<size_t> positions, bool single) -> Value {
    if (!tuple) {
      std::string text;
      for (size_t position : positions)
        text += sequence.get<std::string>()[position];
      return Value::string(std::move(text));
    }
    if (single)
      return tuple->elements[positions.front()];
    std::vector<Value> elements;
    for (size_t position : positions)
      elements.push_back(tuple->elements[position]);
    return Value::tuple(std::move(elements));
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
  if (value.is<std::string>()) {
    // Python counts code points: every byte that does not continue one.
    return Value::integer(llvm::count_if(value.get<std::string>(), [](char c) { return (c & 0xC0) != 0x80; }));
  }
  return hostError("TypeError", "object of type '" + classNameOf(value) + "' has no len()");
}
