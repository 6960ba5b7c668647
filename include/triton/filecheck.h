// LLVM's FileCheck: whether a text is what directives say.
#pragma once

#include <triton/export.h>

#include <string>

namespace triton {

/// What FileCheck says of `input` by the directives in `checks`; empty if nothing is wrong. The names are what messages call the two texts.
TRITON_EXPORT std::string fileCheck(const std::string &checks, const std::string &checksName, const std::string &input,
                                    const std::string &inputName);

} // namespace triton
