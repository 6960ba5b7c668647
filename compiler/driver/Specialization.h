// What a kernel is compiled for: from the arguments of a launch, or from a signature text, to one ArgumentSpec per parameter.
// The rules are those of dispatch/Specialization.h; here their outcome becomes types and values of the language.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"
#include "dispatch/Signature.h"

#include "llvm/Support/Error.h"

namespace triton::driver {

/// An argument as it arrives at a launch.
struct LaunchArgument {
  dispatch::Argument facts;
  std::string type;         // as signatures write it
  frontend::Value constant; // the same as a value of compile time; None where there is none
};

/// What `parameter` is for this argument. Fails if the kernel language has no such argument.
llvm::Expected<frontend::ArgumentSpec> specialize(const frontend::Parameter &parameter, const LaunchArgument &argument);

/// A text that is equal for equal specialisations, appended: the key of the in-memory cache.
void appendKey(const frontend::ArgumentSpec &spec, std::string &key);

/// What a parameter is for an entry of a signature: a type with an optional hint (`*fp32:16`, `i32`, `i32:1`) or a constant
/// (`1024`, `-0.5`, `"relu"`, `True`, `None`, `tl.float16`, `(1, 2)`).
llvm::Expected<frontend::ArgumentSpec> specialize(const frontend::Parameter &parameter,
                                                  const dispatch::SignatureEntry &entry);
/// One entry per parameter, separated by commas. Entries left out at the end take the parameters' defaults.
llvm::Expected<std::vector<frontend::ArgumentSpec>> parseSignature(const frontend::Function &function,
                                                                   llvm::StringRef signature);

} // namespace triton::driver
