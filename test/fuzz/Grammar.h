// Changes texts by what they mean: types, numbers, attributes, ops and operands of IR; lines, names and opcodes of assembly; entries of signatures; passes and options of a run.
//   In:  a text, and the corpus it comes from, whose pieces are put to use elsewhere.
//   Out: a text that the reader mostly accepts, and that says something its author never meant.
// How a text is to be run stands in its first line, so that a file alone repeats what was found:
//   // run: target=cuda; arch=sm_90a; warps=4; passes=canonicalize,gpu-assign-layouts
//   # run: kernel=add_kernel; signature=*fp32:16, i32, 1024
//   ; run: arch=gfx942; watch=1
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace triton::fuzz {

using Random = std::mt19937_64;

/// What the first line says: key -> value. Empty where it says nothing.
llvm::StringMap<std::string> settingsOf(llvm::StringRef text);

class Grammar {
public:
  virtual ~Grammar() = default;
  /// The text with a first line that says how to run it, chosen at random where it has none.
  virtual std::string withSettings(const std::string &text, Random &random) const = 0;
  /// One change.
  virtual std::string change(const std::string &text, Random &random) const = 0;
};

enum class RunKind { CpuIr, GpuIr, Passes };

/// Of IR. `kind` decides what settings are made.
std::unique_ptr<Grammar> createIrGrammar(llvm::ArrayRef<std::string> corpus, RunKind kind);
/// Of Python files whose kernels are compiled for the signature in the first line: changes are of that line alone.
std::unique_ptr<Grammar> createSignatureGrammar();

enum class Assembly { Ptx, Llvm };

std::unique_ptr<Grammar> createAssemblyGrammar(llvm::ArrayRef<std::string> corpus, Assembly kind);

} // namespace triton::fuzz
