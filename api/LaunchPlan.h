// A launch like one before: which code it runs, and where each of the code's arguments comes from.
//   In:  the arguments of a launch, as the caller gave them.
//   Out: a key, equal only for launches that bind and specialise in the same way.
// The key is finer than a specialisation: it is made without binding names or looking at types, so that finding a plan costs little.
#pragma once

#include "api/Arguments.h"
#include "api/CompiledKernel.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"

namespace triton {

struct LaunchPlan {
  CompiledKernel compiled;
  /// Per argument of the code: its place among the caller's arguments; -1 and the default if the caller gave none.
  llvm::SmallVector<std::pair<int, const triton_argument *>> sources;
};

using LaunchKey = llvm::SmallString<256>;
/// `isConstexpr`: per parameter of the kernel.
void appendLaunchKey(Arguments arguments, const triton_options &options, const std::vector<bool> &isConstexpr,
                     LaunchKey &key);

} // namespace triton
