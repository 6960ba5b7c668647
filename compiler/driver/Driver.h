// Source + signature + options + target -> artifact. One call; thread-safe.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "compiler/driver/Options.h"
#include "compiler/frontend/Emitter.h"
#include "compiler/support/Diagnostic.h"

#include <memory>

namespace triton::driver {

struct CompileRequest {
  frontend::KernelRequest kernel; // its `options` are filled in from the target
  Options options;
  Inspection inspection;
  std::string lastStage; // stop after this stage ("ttir"); empty: all
};

/// Null after reporting errors to `diagnostics`. Warnings may be reported either way.
std::shared_ptr<const artifact::Artifact> compile(const CompileRequest &request, Diagnostics &diagnostics);

struct IrCompileRequest {
  std::string stage; // what `source` holds: "ttir" or, for GPUs, "ttgir"
  std::shared_ptr<const Source> source;
  Options options;
  Inspection inspection;
  std::string lastStage;
};

/// The same from IR text; the kernel is the module's one public function.
std::shared_ptr<const artifact::Artifact> compileIr(const IrCompileRequest &request, Diagnostics &diagnostics);

} // namespace triton::driver
