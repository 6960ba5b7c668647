// What the flow of control does to names.
#pragma once

#include "compiler/frontend/emitter/Scope.h"

#include <optional>

namespace triton::frontend {

/// Whether nothing was assigned to a name between the two.
bool unchanged(const std::optional<LocalBinding> &before, const std::optional<LocalBinding> &after);

/// So many guards lie in each other, of code behind something that may have returned. What comes behind them all stands beside them, under a guard of its
/// own, which asks a flag that they yield: however many returns a function has, its branches nest no deeper.
inline constexpr unsigned mostNestedGuards = 32;

} // namespace triton::frontend
