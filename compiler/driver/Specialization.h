// What a kernel is compiled for: from the arguments of a launch, or from a signature text, to one ArgumentSpec per parameter.
// The rules are those of semantics.md 13: ints equal to 1 become constants, ints and addresses divisible by 16 say so.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/support/Diagnostic.h"

#include "llvm/Support/Error.h"

namespace triton::driver {

/// A value as it arrives at a launch.
struct LaunchArgument {
  struct Pointer {
    frontend::Type element;
    uint64_t address;
    bool isConst;
  };
  struct Descriptor {
    frontend::Type element;
    std::vector<int64_t> block;
  };
  /// monostate is None; a Value is for constexpr parameters (strings, dtypes, tuples).
  std::variant<std::monostate, bool, int64_t, uint64_t, double, Pointer, Descriptor, frontend::Value> value;
};

/// What `parameter` is for this argument. Fails if the kernel language has no such argument.
llvm::Expected<frontend::ArgumentSpec> specialize(const frontend::Parameter &parameter, const LaunchArgument &argument);

/// A text that is equal for equal specialisations, appended: the key of the in-memory cache.
void appendKey(const frontend::ArgumentSpec &spec, std::string &key);

/// One entry per parameter, separated by commas: a type with an optional divisibility (`*fp32:16`, `i32`, `i64:16`) or a constant
/// (`1024`, `-0.5`, `"relu"`, `True`, `None`, `tl.float16`, `(1, 2)`). Entries left out at the end take the parameters' defaults.
llvm::Expected<std::vector<frontend::ArgumentSpec>> parseSignature(const frontend::Function &function,
                                                                   llvm::StringRef signature);

} // namespace triton::driver
