// An LLVM module with a context of its own, so that threads compile independently. What LLVM reports comes back as `llvm::Error`, never on
// stderr; what both code generators do with a module is here.
#pragma once

#include "compiler/llvm/LlvmControls.h"
#include "compiler/support/Interruption.h"
#include "compiler/support/SourceMap.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Instruction;
class LLVMContext;
class Module;
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace triton {

class LlvmModule {
public:
  LlvmModule();
  LlvmModule(LlvmModule &&);
  LlvmModule &operator=(LlvmModule &&);
  ~LlvmModule();

  llvm::LLVMContext &context() { return *llvmContext; }
  llvm::Module &operator*() const { return *module; }
  llvm::Module *operator->() const { return module.get(); }
  void set(std::unique_ptr<llvm::Module> made);

  /// Reads LLVM IR text, such as a `.llir` file.
  llvm::Error parse(llvm::StringRef text);
  std::string text() const;
  /// Runs the passes that `build` adds; those of `machine`, which may be null, are known to its builder. With a plugin these are LLVM's -O3, which has places for its passes.
  llvm::Error run(llvm::TargetMachine *machine,
                  llvm::function_ref<llvm::Error(llvm::PassBuilder &, llvm::ModulePassManager &)> build);
  /// Runs the code generator of `machine`, which rewrites the module it is given: a copy, where this one is needed again.
  llvm::Error generate(llvm::TargetMachine &machine, llvm::CodeGenFileType kind, bool onCopy,
                       llvm::SmallVectorImpl<char> &bytes);
  /// What LLVM reported so far, a PlacedError.
  llvm::Error reported() const;
  /// Makes what LLVM reports of inline assembly stand where it was written. `places`: assembly text -> place.
  void placeAssembly(const llvm::StringMap<PlaceChain> &places);

  LlvmControls controls;
  Interruption *interruption = nullptr; // ends `run` between two passes

private:
  llvm::Error writeMachineIr(llvm::TargetMachine &machine);

  struct Reports {
    std::vector<PlacedError::Note> errors;
    std::vector<PlaceChain> places; // of inline assembly; `srcloc` counts from 1
  };
  std::unique_ptr<Reports> reports; // the context's handler holds its address
  std::unique_ptr<llvm::LLVMContext> llvmContext;
  std::unique_ptr<llvm::Module> module; // after its context: destroyed first
  bool isAbandoned = false;             // code generation died over it: it is never freed
};

/// Where the code of an instruction was written, as far as debug information tells.
PlaceChain placesOf(const llvm::Instruction &instruction);

/// Adds the milliseconds it lives to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds) : milliseconds(milliseconds) {}
  ~Stopwatch() {
    milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace triton
