// C code around compiled kernels: for each specialisation a function that launches it, over them dispatchers. Writes what `tritonc --emit library`, `triton.tools.compile` and
// `triton.tools.link` write; those bring the templates and the code.
#pragma once

#include "dispatch/Signature.h"

#include <span>
#include <utility>
#include <vector>

namespace triton::dispatch {

/// What stands before a name in C: "int32_t ", "void *". Empty for what C has no type for.
std::string cTypeOf(std::string_view type, std::string_view backend);

/// A function in C that launches a specialisation.
struct CFunction {
  struct Argument {
    std::string type, name; // as in C, the type with a space behind it where one is needed
    unsigned hint = 0;      // 16: it must be divisible by 16; 1: it must be 1, and is not passed on
  };
  std::string name;
  std::vector<Argument> arguments;
};

/// One specialisation.
struct CVariant {
  std::string kernel;             // the jitted function
  std::string backend;            // "cpu", "cuda"
  std::string suffix;             // 1a2b3c4d_0d1d2
  std::string function;           // add_1a2b3c4d_0d1d2
  std::string symbol;             // of its code
  std::string settings;           // warps4xstages3
  std::vector<std::string> names; // of the parameters
  std::vector<SignatureEntry> entries;
  CFunction inC() const;
};
/// Takes a signature apart and names what will be made of it: functions that begin with `name`. `digest` gives the SHA-256 of a text in hexadecimal digits.
std::variant<CVariant, Problem> makeVariant(std::string kernel, std::span<const Parameter> parameters,
                                            std::string_view signature, std::string_view name, std::string backend,
                                            int numWarps, int numStages, std::string (*digest)(const std::string &));

/// What the files of a variant say of its code.
struct CCode {
  std::string architecture;
  std::string_view binary; // of a GPU
  uint64_t arenaBytes = 0, sharedBytes = 0;
  int numCtas = 1, threads = 1;
};
/// A template with the facts of a variant in the places of `$name` and `${name}`. `fileBase`: what the names of all files begin with; `grid`: three C expressions.
std::string fillTemplate(std::string_view text, const CVariant &variant, const CCode &code, std::string_view fileBase,
                         std::span<const std::string_view> grid);
/// The three extents of a grid.
std::variant<std::vector<std::string_view>, Problem> readGrid(std::string_view text);

/// A header and a source.
using CFiles = std::pair<std::string, std::string>;
/// The function `name` over variants that take the same arguments: it calls the one with most hints that hold.
CFiles makeDispatcher(const std::string &name, std::string_view kernel, std::span<const CVariant> variants,
                      const std::string &fileBase);

/// A kernel with all its algorithms: choices of constexprs, warps and stages, each with variants by hints.
struct CKernel {
  std::string name;
  std::vector<std::pair<std::string, std::vector<CFunction>>> algorithms;
};
/// For each algorithm a dispatcher, for each kernel a function that takes an algorithm's number, and one that takes the first.
CFiles linkKernels(std::string_view guard, std::string_view headerName, std::string_view backend,
                   std::span<const CKernel> kernels);

} // namespace triton::dispatch
