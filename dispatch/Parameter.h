// A kernel's parameter as arguments meet it: what its annotation and the decorator say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace triton::dispatch {

struct Parameter {
  std::string name;
  std::string annotation; // as it is written; empty if there is none
  std::string type;       // that the annotation gives to every argument: `i64`, `*fp16`; empty: arguments say it
  bool isConstexpr = false;
  bool isConst = false;             // what a pointer leads to is not stored to
  bool specializesValue = true;     // false if listed in `do_not_specialize`
  bool specializesAlignment = true; // false if listed in `do_not_specialize_on_alignment`

  /// Takes over what an annotation says.
  void annotate(std::string_view text);
};

/// An annotation in the form of signatures: `tl.int32` -> `i32`, `"fp16*"` -> `*fp16`, `const *fp32` -> `*kfp32`; others as they are.
std::string normalizeAnnotation(std::string_view text);

/// An entry of `do_not_specialize` and the like: a position, or a name.
using ParameterReference = std::variant<int64_t, std::string>;
/// The position of the parameter that is meant; nullopt if there is none.
std::optional<size_t> findParameter(std::span<const std::string> names, const ParameterReference &reference);
/// `do_not_specialize names 'm', which is no parameter of 'add'`
std::string unknownParameterMessage(std::string_view list, const ParameterReference &reference,
                                    std::string_view function);

} // namespace triton::dispatch
