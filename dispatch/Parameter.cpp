#include "dispatch/Parameter.h"

#include "dispatch/ScalarType.h"
#include "dispatch/Text.h"

#include <algorithm>

namespace triton::dispatch {

static bool consumeFront(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

static std::string normalize(std::string_view text, unsigned levels) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = trim(text.substr(1, text.size() - 2));
  if (levels == 0)
    return std::string(text);
  auto inner = [&](std::string_view rest) { return normalize(rest, levels - 1); };
  if (std::string_view pointer = text; consumeFront(pointer, "const "))
    if (std::string type = inner(pointer); type.starts_with("*"))
      return "*k" + type.substr(type.starts_with("*k") ? 2 : 1);
  if (text.ends_with("*"))
    return "*" + inner(text.substr(0, text.size() - 1));
  if (std::string_view pointee = text; consumeFront(pointee, "*k") && !pointee.empty() && pointee != "k")
    return "*k" + inner(pointee);
  if (std::string_view pointee = text; consumeFront(pointee, "*"))
    return "*" + inner(pointee);
  consumeFront(text, "triton.language.") || consumeFront(text, "tl.");
  std::string_view plain = text;
  if (plain.ends_with("_t"))
    plain.remove_suffix(2);
  auto type = scalarTypeByAnyName(plain);
  return std::string(type ? signatureOf(*type) : text);
}

std::string normalizeAnnotation(std::string_view text) {
  constexpr unsigned mostLevels = 16; // of pointers to pointers
  return normalize(text, mostLevels);
}

void Parameter::annotate(std::string_view text) {
  annotation = text;
  const std::string normal = normalizeAnnotation(text);
  isConstexpr = normal.find("constexpr") != normal.npos;
  isConst = !isConstexpr && (normal.find("const") != normal.npos || normal.starts_with("*k"));
  std::string_view scalar = normal;
  consumeFront(scalar, "*k") || consumeFront(scalar, "*");
  auto known = scalarTypeByName(scalar);
  type = known && signatureOf(*known) == scalar ? normal : "";
}

std::optional<size_t> findParameter(std::span<const std::string> names, const ParameterReference &reference) {
  if (auto *position = std::get_if<int64_t>(&reference))
    return *position >= 0 && size_t(*position) < names.size() ? std::optional(size_t(*position)) : std::nullopt;
  auto found = std::ranges::find(names, std::get<std::string>(reference));
  return found == names.end() ? std::nullopt : std::optional(size_t(found - names.begin()));
}

std::string unknownParameterMessage(std::string_view list, const ParameterReference &reference,
                                    std::string_view function) {
  auto *position = std::get_if<int64_t>(&reference);
  std::string shown = position ? "position " + std::to_string(*position) : "'" + std::get<std::string>(reference) + "'";
  return std::string(list) + " names " + shown + ", which is no parameter of '" + std::string(function) + "'";
}

} // namespace triton::dispatch
