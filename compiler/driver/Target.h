// A target is a registration: what it shows to the language, and its stages from tensor IR to code.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "compiler/driver/Options.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/layout/LinearLayout.h"
#include "compiler/llvm/KernelFacts.h"
#include "compiler/llvm/LlvmControls.h"
#include "compiler/support/Diagnostic.h"
#include "compiler/support/Interruption.h"
#include "compiler/support/SourceMap.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>

namespace llvm {
class Module;
}

namespace triton::driver {

/// One compile in flight. Each stage takes what the one before left here.
struct Compilation {
  Compilation(mlir::MLIRContext &context, const Options &options, const Inspection &inspection,
              Diagnostics &diagnostics);

  mlir::MLIRContext &context;
  const Options &options;
  const Inspection &inspection;
  Diagnostics &diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SourceRange kernel; // its name where it is defined; none where the compile begins with IR
  SourceMap sources;  // what the module's locations point into; those who asked for the compile keep them
  artifact::Artifact artifact;
  std::string stage; // the name of the one that runs
  Interruption interruption;

  /// Runs a pass pipeline on `module`; its IR diagnostics become ours.
  llvm::LogicalResult runPasses(llvm::function_ref<void(mlir::OpPassManager &)> build);
  llvm::LogicalResult fail(const llvm::Twine &message);
  /// The same at the places that an error knows. One that only says that others were reported adds nothing.
  llvm::LogicalResult fail(llvm::Error error, llvm::StringRef exception = "RuntimeError");
  /// A failure if somebody has interrupted the compile.
  llvm::LogicalResult checkInterruption();
  /// IR diagnostics become ours for as long as the result lives; errors begin with `prefix`.
  std::unique_ptr<mlir::ScopedDiagnosticHandler> collectDiagnostics(llvm::StringRef prefix = "");
  /// `module` as text, with its locations only where they are asked for.
  std::string text();
  /// What the options say about LLVM's part.
  LlvmControls llvmControls() const;
  /// The artifact as LLVM IR carries it along.
  KernelFacts facts(uint64_t scratchBytes) const;
  /// Makes the lines of `text()`, which will be in `fileName`, what `module` comes from.
  void takeLocationsFromText(llvm::StringRef fileName);
};

struct Stage {
  std::string name;
  /// Leaves its text or bytes in the result.
  std::function<mlir::FailureOr<std::string>(Compilation &)> run;
  /// Makes the stages after this one go on from a text or bytes of the user's instead. Null: it cannot be replaced, nor be a file to begin with.
  std::function<llvm::LogicalResult(Compilation &, const std::string &)> resume;
};

/// `resume` of stages whose output is the module: reads it from text.
llvm::LogicalResult resumeFromIr(Compilation &compilation, const std::string &text);

class Target {
public:
  virtual ~Target() = default;
  virtual llvm::StringRef name() const = 0;
  /// The architecture as spelled in keys: "native" resolved. Fails, naming what it accepts, if it knows no such architecture.
  virtual llvm::Expected<std::string> architecture(const Options &options) const = 0;
  /// The builds of programs, and the contents of files, that code is made with besides the compiler: equal texts give equal code. Part of keys. Fails where
  /// something is missing without which nothing is made.
  virtual llvm::Expected<std::string> tools(const Options &options) const;
  /// What kernels see of the target where options give nothing: fp8 types, precisions of dots, the smallest of them. All surfaces ask for it here.
  virtual frontend::LanguageOptions facts(const Options &options) const = 0;
  virtual int warpSize(const Options &) const { return 1; }
  /// The options that nobody has given anything for.
  virtual Options defaults() const { return {}; }
  /// What the target cannot compile with, besides what no target can. In the words of the options.
  virtual std::optional<std::string> findFault(const Options &) const { return std::nullopt; }
  /// What kernels can see of the target and the options.
  frontend::LanguageOptions language(const Options &options) const;
  /// The options with the target's own values where they give none: equal for compiles that are equal.
  virtual Options complete(Options options) const;
  /// In order; the first takes the module as the frontend left it.
  virtual std::vector<Stage> stages(const Options &options, const Inspection &inspection) const = 0;
  /// What a text of a stage below the module says of its kernel.
  virtual llvm::Expected<KernelFacts> describe(llvm::StringRef stage, llvm::StringRef text) const;
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  // Of targets whose tensors have layouts.
  /// How the language that names layouts (Gluon) is emitted; null: not at all.
  virtual const frontend::LayoutPolicy *layoutPolicy() const { return nullptr; }
  /// Where the elements of a tensor are; nullopt for types without a layout.
  virtual std::optional<layout::LinearLayout> layoutOf(mlir::Type) const { return std::nullopt; }
  /// Links, of libraries of LLVM bitcode, the functions that the module calls.
  virtual llvm::Error link(llvm::Module &module, llvm::ArrayRef<std::string> libraries) const;
};

/// What artifacts of these options depend on, besides the kernel and the options themselves: the compiler, what "native" means here, and the target's tools.
llvm::Expected<std::string> environmentKey(const Options &options);
/// The targets that this build has: AllTargets.cpp, or CpuTargets.cpp where CMake is told TRITON_CUDA=OFF.
std::vector<std::unique_ptr<Target>> createTargets();

void registerTarget(std::unique_ptr<Target> target);
/// Null if there is none of that name.
const Target *findTarget(llvm::StringRef name);
std::vector<std::string> targetNames();

} // namespace triton::driver
