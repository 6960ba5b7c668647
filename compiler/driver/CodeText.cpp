#include "compiler/driver/CodeText.h"

#include "compiler/llvm/LlvmModule.h"
#include "compiler/support/KernelSymbols.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/Support/Regex.h"

using namespace triton;
using namespace triton::driver;

static constexpr llvm::StringLiteral sharedComment = "// dynamic shared memory: ";

std::string triton::driver::describeShared(uint64_t bytes) {
  return bytes ? "\n" + sharedComment.str() + std::to_string(bytes) + " bytes\n" : "";
}

static uint64_t readShared(llvm::StringRef text) {
  uint64_t bytes = 0;
  if (size_t at = text.rfind(sharedComment); at != llvm::StringRef::npos)
    text.drop_front(at + sharedComment.size()).consumeInteger(10, bytes);
  return bytes;
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
    const bool isKernel = function.getCallingConv() == llvm::CallingConv::PTX_Kernel ||
                          function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
    if (function.isDeclaration() || !isKernel)
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
  facts.scratchBytes = readShared(text);
  return facts;
}

/// The text between `.amdgpu_metadata` and `.end_amdgpu_metadata`, read.
static bool readMetadata(llvm::StringRef text, llvm::msgpack::Document &document) {
  llvm::StringRef behind = text.split(".amdgpu_metadata").second;
  const size_t end = behind.find(".end_amdgpu_metadata");
  return end != llvm::StringRef::npos && document.fromYAML(behind.take_front(end)) && document.getRoot().isMap();
}

llvm::Expected<KernelFacts> triton::driver::describeAmdgcn(llvm::StringRef text) {
  llvm::msgpack::Document document;
  if (!readMetadata(text, document))
    return llvm::createStringError("the assembly has no `.amdgpu_metadata` that says which kernel it holds");
  llvm::msgpack::DocNode kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray() || kernels.getArray().size() != 1 || !kernels.getArray()[0].isMap())
    return llvm::createStringError("`.amdgpu_metadata` must describe exactly one kernel");
  llvm::msgpack::MapDocNode kernel = kernels.getArray()[0].getMap();
  auto word = [](llvm::msgpack::MapDocNode &map, llvm::StringRef name) {
    llvm::msgpack::DocNode &value = map[name];
    return value.isScalar() && !value.isEmpty() ? value.toString() : std::string();
  };
  auto number = [&](llvm::msgpack::MapDocNode &map, llvm::StringRef name) {
    unsigned value = 0;
    return llvm::StringRef(word(map, name)).getAsInteger(0, value) ? 0u : value;
  };
  KernelFacts facts{.name = word(kernel, ".name")};
  if (llvm::msgpack::DocNode arguments = kernel[".args"]; arguments.isArray())
    for (llvm::msgpack::DocNode &argument : arguments.getArray())
      if (argument.isMap() && word(argument.getMap(), ".value_kind") == "global_buffer")
        facts.types.push_back("*i8");
      else if (argument.isMap() && word(argument.getMap(), ".value_kind") == "by_value")
        facts.types.push_back("i" + std::to_string(8 * number(argument.getMap(), ".size")));
  dropScratch(facts.types);
  if (const unsigned lanes = number(kernel, ".wavefront_size"))
    facts.numWarps = std::max(1u, number(kernel, ".max_flat_workgroup_size") / lanes);
  facts.scratchBytes = readShared(text);
  return facts;
}
