#include "compiler/driver/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

std::string triton::driver::Options::key() const {
  return llvm::formatv("{0};{1};warps={2};ctas={3};stages={4};warp_size={5};debug={6};overflow={7};fusion={8};globals={"
                       "9};dot={10};registers={11};ptx={12};ftz={13};lines={14};ptxas={15};flags={16};libraries={17};"
                       "accesses={18};maps={19};code={20};variables={21};wait={22};products={23},{24};optimise={25};"
                       "llvm={26};plugin={27};assembly={28};linker={29};gluon={30}",
                       backend, architecture, numWarps, numCtas, numStages, warpSize, debug, sanitizeOverflow,
                       enableFpFusion, allowNonConstexprGlobals, defaultDotPrecision, maxRegisters, ptxVersion,
                       flushDenormals, lineInfo, assemblerPath, assemblerOptions, llvm::join(libraries, ":"),
                       checkAccesses, tensorMaps, codeArchitecture, variableInfo, waitAtEntry, useWgmma, useTcgen05,
                       optimiseLlvm, llvm::join(llvmFlags, ","), llvmPlugin, optimiseAssembly, linkerPath, isGluon)
      .str();
}

// Far above what any device has; what lies between is said by the device (`OutOfResources`).
static constexpr int mostWarps = 1024, mostStages = 1024;

static bool isPowerOfTwoUpTo(int number, int most) {
  return number > 0 && number <= most && llvm::isPowerOf2_32(uint32_t(number));
}

std::optional<std::string> triton::driver::Options::findFault() const {
  if (!isPowerOfTwoUpTo(numWarps, mostWarps))
    return llvm::formatv("num_warps must be a power of 2 from 1 to {0}, got {1}", mostWarps, numWarps).str();
  if (!isPowerOfTwoUpTo(numCtas, 16))
    return llvm::formatv("num_ctas must be 1, 2, 4, 8 or 16, got {0}", numCtas).str();
  if (numStages < 0 || numStages > mostStages)
    return llvm::formatv("num_stages must be from 0 to {0}, got {1}", mostStages, numStages).str();
  if (backend == "cuda" ? warpSize != 32 : warpSize <= 0)
    return llvm::formatv("warp_size must be {0}, got {1}", backend == "cuda" ? "32" : "positive", warpSize).str();
  if (maxRegisters < 0)
    return llvm::formatv("maxnreg must not be negative, got {0}", maxRegisters).str();
  if (ptxVersion != 0 && (ptxVersion < 10 || ptxVersion > 999))
    return llvm::formatv("ptx_version must be a version of PTX such as 86, got {0}", ptxVersion).str();
  for (const std::string &library : libraries) {
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(library, status))
      return llvm::formatv("extern_libs: cannot read '{0}': {1}", library, error.message()).str();
    if (!llvm::sys::fs::is_regular_file(status))
      return llvm::formatv("extern_libs: '{0}' is no file", library).str();
  }
  return std::nullopt;
}

const std::string *triton::driver::Inspection::replacement(std::string_view stage) const {
  for (const auto &[name, content] : replacements)
    if (name == stage)
      return &content;
  return nullptr;
}
