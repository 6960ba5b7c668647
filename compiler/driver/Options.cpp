#include "compiler/driver/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

const std::string *triton::driver::Inspection::replacement(std::string_view stage) const {
  for (const auto &[name, content] : replacements)
    if (name == stage)
      return &content;
  return nullptr;
}
