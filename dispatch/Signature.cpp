#include "dispatch/Signature.h"

#include "dispatch/Text.h"

#include <algorithm>

namespace triton::dispatch {

/// A type in its normal form, and what arguments of it are; nullopt if it is none.
static std::optional<std::pair<std::string, ArgumentKind>> readType(std::string_view text) {
  if (text.starts_with("tensordesc<"))
    return std::pair(std::string(text), ArgumentKind::Descriptor);
  std::string type = normalizeAnnotation(text);
  std::string_view scalarText = type;
  while (scalarText.starts_with("*"))
    scalarText.remove_prefix(scalarText.starts_with("*k") ? 2 : 1);
  auto scalar = scalarTypeByName(scalarText);
  const bool isPointer = type.starts_with("*");
  if (!scalar || (isPointer && *scalar == ScalarType::Void))
    return std::nullopt;
  const ArgumentKind kind = isPointer                     ? ArgumentKind::Pointer
                            : *scalar == ScalarType::Int1 ? ArgumentKind::Boolean
                            : infoOf(*scalar).isInteger   ? ArgumentKind::Integer
                                                          : ArgumentKind::Real;
  return std::pair(std::move(type), kind);
}

std::variant<SignatureEntry, Problem> readEntry(const Parameter &parameter, std::string_view text) {
  SignatureEntry entry{.text = std::string(text)};
  const size_t colon = text.rfind(':');
  const std::string_view hintText = colon == text.npos ? "" : trim(text.substr(colon + 1));
  const bool hasHint = !hintText.empty() && std::ranges::all_of(hintText, [](char c) { return c >= '0' && c <= '9'; });
  auto type = readType(trim(hasHint ? text.substr(0, colon) : text));
  if (parameter.isConstexpr || !type)
    return entry;
  if (hasHint && hintText != "1" && hintText != "16")
    return Problem{"ValueError", "parameter '" + parameter.name +
                                     "': only 1 and 16 are hints (equal to 1, divisible by 16), got '" +
                                     std::string(text) + "'"};
  Argument argument;
  argument.kind = hintText == "1" && hasHint ? ArgumentKind::Integer : type->second;
  argument.bits = !hasHint ? 2 : hintText == "1" ? 1 : 16; // 2: one that no hint fits
  const Specialization special = specialize(parameter, argument, type->first);
  entry.type = special.isConstant ? type->first : special.type;
  entry.hint = special.isConstant ? 1 : special.isDivisible ? 16 : 0;
  return entry;
}

} // namespace triton::dispatch
