// Source + signature + options + target -> artifact. One call; thread-safe.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "compiler/driver/Options.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/llvm/KernelFacts.h"
#include "compiler/support/Diagnostic.h"

#include <memory>

namespace triton::driver {

struct CompileRequest {
  frontend::KernelRequest kernel; // its `options` are filled in from the target
  Options options;
  Inspection inspection;
};

/// Null after reporting errors to `diagnostics`. Warnings may be reported either way.
std::shared_ptr<const artifact::Artifact> compile(const CompileRequest &request, Diagnostics &diagnostics);

struct IrCompileRequest {
  std::string stage; // what `source` holds: "ttir", "llir" or, for GPUs, "ttgir", "ptx"
  std::shared_ptr<const Source> source;
  Options options;
  Inspection inspection;
};

/// The same from the text of a stage, which is the first of the artifact's; the kernel is the module's one public function.
std::shared_ptr<const artifact::Artifact> compileIr(const IrCompileRequest &request, Diagnostics &diagnostics);

/// What a text below the module, LLVM IR or PTX, says of its kernel.
llvm::Expected<KernelFacts> describeKernel(llvm::StringRef stage, llvm::StringRef text, const Options &options);

struct StageRequest {
  std::string stage; // to run
  /// What the stage before it made; for the first, the IR as the frontend leaves it.
  std::shared_ptr<const Source> input;
  std::vector<artifact::Argument> arguments; // as an earlier stage's artifact has them; empty: as the input shows them
  Options options;
  Inspection inspection;
};

/// One stage alone, for callers that do something of their own between stages. The artifact holds its output, and what it learnt of the kernel.
std::shared_ptr<const artifact::Artifact> runStage(const StageRequest &request, Diagnostics &diagnostics);

} // namespace triton::driver
