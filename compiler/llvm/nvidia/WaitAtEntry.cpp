// Whether code of the user's begins with the wait for the grids before it.
#include "compiler/llvm/nvidia/Codegen.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace triton::nvidia {

bool waitsAtEntry(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    for (const llvm::Instruction &instruction : function.getEntryBlock()) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (assembly && assembly->getAsmString() == waitAtEntryText)
        return true;
      if (instruction.mayReadOrWriteMemory())
        return false;
    }
    return false;
  }
  return false;
}

/// Whether an instruction neither touches memory nor leaves the straight line: `shl.b32`, `ld.param.b64`.
static bool isArithmetic(llvm::StringRef instruction) {
  static constexpr llvm::StringLiteral families[] = {"mov",  "cvta", "cvt", "add", "sub", "mul",  "mad",  "fma",
                                                     "neg",  "abs",  "min", "max", "and", "or",   "xor",  "not",
                                                     "lop3", "shl",  "shr", "shf", "bfe", "prmt", "setp", "selp"};
  return instruction.starts_with("ld.param.") || llvm::is_contained(families, instruction.split('.').first);
}

bool waitsAtEntry(llvm::StringRef ptx) {
  const size_t entry = ptx.find(".entry"), body = ptx.find('{', entry);
  if (body == llvm::StringRef::npos)
    return false;
  for (llvm::StringRef line : llvm::split(ptx.drop_front(body + 1), '\n')) {
    line = line.split("//").first.trim();
    if (line.empty() || line.starts_with(".") || line.ends_with(":"))
      continue;
    if (line == waitAtEntryText)
      return true;
    if (!isArithmetic(line.take_until(llvm::isSpace)))
      return false;
  }
  return false;
}

} // namespace triton::nvidia
