// LLVM IR, for those who take LLVM's steps by themselves: link, optimise, write assembly. The compiler's own pipelines do not come this way.
#pragma once

#include <triton/embed.h>

namespace triton::ir {

/// What code is generated for, in LLVM's words.
struct LlvmTarget {
  std::string triple;        // "nvptx64-nvidia-cuda"
  std::string cpu, features; // "sm_90a", "+ptx86"
  bool fuseMultiplyAdd = false;
};

struct LlvmFunction {
  std::string name;
  bool isDeclaration = false;
};

class TRITON_EXPORT LlvmModule {
public:
  static embed::Result<LlvmModule> parse(std::string_view text);
  std::string str() const;
  std::vector<LlvmFunction> functions() const;
  /// Sets the target's triple and data layout.
  std::optional<embed::Error> attach(const LlvmTarget &target) const;
  /// Links, of libraries of LLVM bitcode, the functions that are called.
  std::optional<embed::Error> link(const std::vector<std::string> &paths) const;
  /// Runs LLVM's own pipeline of a level, 0 to 3; with an empty `target.cpu`, without knowledge of a machine.
  std::optional<embed::Error> optimise(int level, const LlvmTarget &target) const;
  /// Assembly text, or the bytes of an object. The module stays as it is.
  embed::Result<std::string> write(const LlvmTarget &target, bool asObject) const;

  std::shared_ptr<void> state;
};

/// Makes LLVM and MLIR print what they do to standard error, from now on: of all their parts, or of those named. False if they were built without such
/// output, as releases of LLVM are.
TRITON_EXPORT bool showDebugOutput(const std::vector<std::string> &types);

} // namespace triton::ir
