// A launch like one before: which code it runs, and where each of the code's arguments comes from.
//   In:  the arguments of a launch, as the caller gave them.
//   Out: a key, equal only for launches that bind and specialise in the same way.
// The key is finer than a specialisation: it is made without binding names or looking at types, so that finding a plan costs little.
#pragma once

#include "api/Arguments.h"
#include "api/CompiledKernel.h"
#include "compiler/frontend/emitter/Function.h"
#include "dispatch/ArgumentLayout.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"

namespace triton {

struct LaunchPlan {
  CompiledKernel compiled;
  /// Per run-time parameter: its place among the caller's arguments; -1 and the default if the caller gave none.
  llvm::SmallVector<std::pair<int, const triton_argument *>> sources;
  std::unique_ptr<dispatch::ArgumentLayout> layout; // its parameters are places in `sources`

  /// Writes all arguments of a launch into the block.
  llvm::Error pack(Arguments arguments, std::byte *block) const;
};
/// The plan's layout for arguments of these types.
llvm::Expected<std::unique_ptr<dispatch::ArgumentLayout>> planLayout(const artifact::Artifact &artifact,
                                                                     llvm::ArrayRef<std::string> types);

using LaunchKey = llvm::SmallString<256>;
void appendLaunchKey(Arguments arguments, const triton_options &options, const frontend::Function &function,
                     LaunchKey &key);

} // namespace triton
