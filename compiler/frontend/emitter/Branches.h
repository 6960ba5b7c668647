// What the flow of control does to names.
#pragma once

#include "compiler/frontend/emitter/Scope.h"

#include <optional>

namespace triton::frontend {

/// Whether nothing was assigned to a name between the two.
bool unchanged(const std::optional<LocalBinding> &before, const std::optional<LocalBinding> &after);

} // namespace triton::frontend
