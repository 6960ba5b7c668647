#include "compiler/driver/CodeText.h"

#include "compiler/llvm/LlvmModule.h"
#include "compiler/support/KernelSymbols.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/Support/Regex.h"

using namespace triton;
using namespace triton::driver;

static constexpr llvm::StringLiteral sharedComment = "// dynamic shared memory: ";

std::string triton::driver::describeShared(uint64_t bytes) {
  return bytes ? "\n" + sharedComment.str() + std::to_string(bytes) + " bytes\n" : "";
}

static std::string signatureOf(const llvm::Type &type) {
  if (type.isPointerTy())
    return "*i8";
  if (type.isBFloatTy())
    return "bf16";
  if (type.isFloatingPointTy())
    return "fp" + std::to_string(type.getScalarSizeInBits());
  return "i" + std::to_string(type.getScalarSizeInBits());
}

/// Kernels end in two pointers to scratch memory, which no caller passes.
static void dropScratch(std::vector<std::string> &types) {
  for (int i = 0; i < 2 && !types.empty() && types.back() == "*i8"; ++i)
    types.pop_back();
}

llvm::Expected<KernelFacts> triton::driver::describeLlvm(llvm::StringRef text) {
  LlvmModule module;
  if (llvm::Error error = module.parse(text))
    return error;
  if (std::optional<KernelFacts> facts = readFacts(*module))
    return *facts;
  for (const llvm::Function &function : *module) {
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    KernelFacts facts{.name = nameOfPtxSymbol(function.getName())};
    for (const llvm::Argument &argument : function.args())
      facts.types.push_back(argument.hasByValAttr() ? "nvTmaDesc" : signatureOf(*argument.getType()));
    dropScratch(facts.types);
    return facts;
  }
  return llvm::createStringError("the LLVM IR does not say in `!triton.kernel` which arguments its kernel takes");
}

/// `.u64 .ptr .global` -> `*i8`, `.u32` -> `i32`, `.align 64 .b8 name[128]` -> `nvTmaDesc`
static std::string signatureOf(llvm::StringRef parameter) {
  if (parameter.contains('['))
    return "nvTmaDesc";
  if (parameter.contains(".ptr"))
    return "*i8";
  llvm::SmallVector<llvm::StringRef> parts;
  if (!llvm::Regex("\\.([usbf])([0-9]+)").match(parameter, &parts))
    return "i64";
  return (parts[1] == "f" ? "fp" : "i") + parts[2].str();
}

llvm::Expected<KernelFacts> triton::driver::describePtx(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  if (!llvm::Regex("\\.entry[ \t\r\n]+([A-Za-z_$%][A-Za-z0-9_$]*)[ \t\r\n]*\\(([^)]*)\\)([^{]*)").match(text, &parts))
    return llvm::createStringError("the PTX has no `.entry`");
  KernelFacts facts{.name = nameOfPtxSymbol(parts[1])};
  for (llvm::StringRef parameter : llvm::split(parts[2], ','))
    if (!parameter.trim().empty())
      facts.types.push_back(signatureOf(parameter));
  dropScratch(facts.types);
  llvm::SmallVector<llvm::StringRef> threads;
  unsigned count = 0;
  if (llvm::Regex("\\.(reqntid|maxntid)[ \t]+([0-9]+)").match(parts[3], &threads) &&
      !threads[2].getAsInteger(10, count))
    facts.numWarps = std::max(1u, count / 32);
  if (size_t at = text.rfind(sharedComment); at != llvm::StringRef::npos)
    text.drop_front(at + sharedComment.size()).consumeInteger(10, facts.scratchBytes);
  return facts;
}
