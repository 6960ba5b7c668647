// Texts that signatures and grids consist of.
#pragma once

#include <string_view>
#include <vector>

namespace triton::dispatch {

std::string_view trim(std::string_view text);
/// The entries between commas, trimmed; commas inside of brackets and strings do not count. An empty text has none, and what is after the last comma counts if
/// there is anything.
std::vector<std::string_view> splitEntries(std::string_view text);

} // namespace triton::dispatch
