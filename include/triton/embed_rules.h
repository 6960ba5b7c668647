// Which rules of the language hold in this process, for hosts that give it meaning themselves (docs/reference/versions.md).
#pragma once

#include <triton/embed.h>

#include <optional>
#include <string_view>

namespace triton::embed {

/// Whether a rule by which releases of the language differ holds; nullopt if there is none of that name.
TRITON_EXPORT std::optional<bool> languageRule(std::string_view name);

} // namespace triton::embed
