#include "dispatch/ArgumentLayout.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace triton::dispatch {

std::pair<uint32_t, uint32_t> placeArgument(std::string_view type, uint32_t end) {
  auto scalar = scalarTypeByName(type);
  const uint32_t bytes = type == "nvTmaDesc" ? 128 : scalar ? bytesOf(*scalar) : 8; // else an address
  const uint32_t alignment = std::min(bytes, 64u);
  return {(end + alignment - 1) / alignment * alignment, bytes};
}

// The plan.

ArgumentLayoutBuilder::ArgumentLayoutBuilder(std::span<const CodeArgument> code,
                                             std::span<const std::optional<TensorMapFormat>> maps)
    : code(code), maps(maps), layout(std::make_unique<ArgumentLayout>()) {
  for (const CodeArgument &argument : code)
    layout->offsets.push_back(argument.offset);
}

/// Dimensions of `tensordesc<fp16[64, 64]>`.
static unsigned rankOf(std::string_view type) {
  const size_t begin = type.find('['), end = type.find(']');
  if (begin == type.npos || end == type.npos || end < begin)
    return 0;
  return unsigned(std::count(type.begin() + begin, type.begin() + end, ',')) + 1;
}

static void setPlace(ArgumentSlot &slot, const CodeArgument &argument) {
  slot.offset = argument.offset;
  slot.isStored = argument.isStored;
  slot.name = argument.name;
}

Outcome ArgumentLayoutBuilder::addDescriptor(std::string_view type, ArgumentSlot &slot) {
  slot.kind = ArgumentSlot::Kind::Descriptor;
  DescriptorParts &parts = slot.descriptor;
  parts.rank = rankOf(type);
  if (parts.rank == 0 || parts.rank > 5)
    return Problem{"TypeError", "a tensor descriptor has one to five dimensions, got '" + std::string(type) + "'"};
  const size_t index = descriptors++;
  if (taken < code.size() && code[taken].type == "nvTmaDesc") {
    if (index >= maps.size() || !maps[index])
      return Problem{"TypeError", "code takes a tensor map for '" + std::string(code[taken].name) +
                                      "', and does not say how to make it"};
    parts.map = maps[index];
  }
  const CodeArgument first = next();
  setPlace(slot, first);
  parts.offsets.push_back(first.offset);
  for (size_t part = 1; part < parts.count(); ++part)
    parts.offsets.push_back(next().offset);
  return std::nullopt;
}

static PlainSlot::Kind plainKindOf(const ArgumentSlot &slot) {
  if (!slot.path.empty())
    return PlainSlot::Kind::Other;
  if (slot.kind == ArgumentSlot::Kind::Pointer)
    return PlainSlot::Kind::Pointer;
  if (slot.kind != ArgumentSlot::Kind::Scalar)
    return PlainSlot::Kind::Other;
  switch (slot.type) {
  case ScalarType::Int1:
    return PlainSlot::Kind::Boolean;
  case ScalarType::Int32:
    return PlainSlot::Kind::Integer32;
  case ScalarType::Int64:
    return PlainSlot::Kind::Integer64;
  case ScalarType::Float32:
    return PlainSlot::Kind::Real32;
  default:
    return PlainSlot::Kind::Other;
  }
}

Outcome ArgumentLayoutBuilder::add(std::span<const uint16_t> path, std::string_view type) {
  if (type == "constexpr")
    return std::nullopt;
  ArgumentSlot slot{};
  slot.parameter = path[0];
  slot.path.assign(path.begin() + 1, path.end());
  if (type.starts_with("tensordesc")) {
    if (Outcome problem = addDescriptor(type, slot))
      return problem;
  } else {
    const CodeArgument argument = next();
    slot.kind = argument.type.starts_with("*") ? ArgumentSlot::Kind::Pointer
                : argument.type == "nvTmaDesc" ? ArgumentSlot::Kind::TensorMap
                                               : ArgumentSlot::Kind::Scalar;
    if (slot.kind == ArgumentSlot::Kind::Scalar) {
      auto scalar = scalarTypeByName(argument.type);
      if (!scalar)
        return Problem{"TypeError", "a kernel argument of type '" + std::string(argument.type) + "' cannot be passed"};
      slot.type = *scalar;
    }
    setPlace(slot, argument);
  }
  const PlainSlot::Kind kind = plainKindOf(slot);
  if (kind == PlainSlot::Kind::Other)
    layout->others.push_back(uint16_t(layout->slots.size()));
  layout->plain.push_back({kind, slot.parameter, slot.offset});
  layout->slots.push_back(std::move(slot));
  return std::nullopt;
}

Outcome ArgumentLayoutBuilder::finish() const {
  if (taken == code.size())
    return std::nullopt;
  return Problem{"ValueError",
                 std::to_string(taken) + " run-time arguments, but the code takes " + std::to_string(code.size())};
}

// Scalars.

/// Round to nearest even, through the exact value: a double has more bits than half needs twice over.
static uint16_t toHalf(double value) {
  const auto sign = uint16_t(std::bit_cast<uint64_t>(value) >> 48 & 0x8000);
  if (std::isnan(value))
    return sign | 0x7e00;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) // halfway between the largest half and the next power of two
    return sign | 0x7c00;
  const int exponent = magnitude == 0 ? -24 : std::max(std::ilogb(magnitude), -14) - 10; // of the last bit kept
  const double steps = std::nearbyint(std::ldexp(magnitude, -std::max(exponent, -24)));
  if (magnitude < 0x1p-14)
    return sign | uint16_t(steps);
  return sign | uint16_t((exponent + 24) * 1024 + uint16_t(steps)); // a carry moves into the exponent by itself
}

static std::optional<uint64_t> bitsAs(ScalarType type, double value) {
  switch (type) {
  case ScalarType::Float16:
    return toHalf(value);
  case ScalarType::BFloat16:
    return std::bit_cast<uint32_t>(float(value)) >> 16;
  case ScalarType::Float32:
    return std::bit_cast<uint32_t>(float(value));
  case ScalarType::Float64:
    return std::bit_cast<uint64_t>(value);
  default:
    return std::nullopt;
  }
}

static bool fits(const Argument &argument, ScalarType type) {
  const ScalarTypeInfo &info = infoOf(type);
  const unsigned bits = bytesOf(type) * 8; // a truth value is passed as a byte
  const bool isNegative = argument.type != ScalarType::UInt64 && int64_t(argument.bits) < 0;
  if (isNegative)
    return info.isSigned && int64_t(argument.bits) >= -(int64_t(1) << (bits - 1));
  return argument.bits <= UINT64_MAX >> (64 - bits + info.isSigned);
}

static double numberOf(const Argument &argument) {
  if (argument.kind == ArgumentKind::Real)
    return argument.real;
  return argument.type == ScalarType::UInt64 ? double(argument.bits) : double(int64_t(argument.bits));
}

PackFault packScalar(ScalarType type, const Argument &argument, std::byte *destination) {
  const bool isInteger = argument.kind == ArgumentKind::Integer || argument.kind == ArgumentKind::Boolean;
  uint64_t bits = argument.bits;
  if (!infoOf(type).isInteger) {
    if (!isInteger && argument.kind != ArgumentKind::Real)
      return PackFault::NotANumber;
    auto rounded = bitsAs(type, numberOf(argument));
    if (!rounded)
      return PackFault::NotAScalar;
    bits = *rounded;
  } else if (!isInteger) {
    return PackFault::NotAnInteger;
  } else if (!fits(argument, type)) {
    return PackFault::DoesNotFit;
  } else if (type == ScalarType::Int1) {
    bits = bits != 0;
  }
  std::memcpy(destination, &bits, bytesOf(type)); // little endian: the low bytes are the value
  return PackFault::None;
}

Problem problemOf(PackFault fault, ScalarType type, std::string_view shown) {
  const std::string name(signatureOf(type)), text(shown);
  switch (fault) {
  case PackFault::NotANumber:
    return {"TypeError", "expected a number for an argument of type " + name + ", got " + text};
  case PackFault::NotAnInteger:
    return {"TypeError", "expected an integer for an argument of type " + name + ", got " + text};
  case PackFault::DoesNotFit:
    return {"OverflowError", "the integer " + text + " does not fit in an argument of type " + name};
  default:
    return {"TypeError", "a scalar argument cannot be of type " + name};
  }
}

} // namespace triton::dispatch
