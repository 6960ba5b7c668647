#include "compiler/llvm/BitcodeLibraries.h"

#include "compiler/llvm/LlvmModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace triton {

llvm::Error linkLibraries(llvm::Module &module, llvm::ArrayRef<std::string> libraries) {
  auto missing = [&]() -> llvm::Function * {
    // NVIDIA's driver has the first two; the last is libdevice asking for an option, which the optimiser answers.
    static constexpr llvm::StringLiteral known[] = {"vprintf", "__assertfail", "__nvvm_reflect"};
    for (llvm::Function &function : module)
      if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
          !llvm::is_contained(known, function.getName()))
        return &function;
    return nullptr;
  };
  if (!missing())
    return llvm::Error::success();
  llvm::StringSet<> own;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      own.insert(function.getName());
  for (const std::string &path : libraries) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createStringError("cannot read the library '" + path + "': " + buffer.getError().message());
    auto library = llvm::getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
    if (!library)
      return library.takeError();
    (*library)->setTargetTriple(module.getTargetTriple());
    (*library)->setDataLayout(module.getDataLayout());
    if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
      return llvm::createStringError("cannot link the library '" + path + "'");
  }
  if (llvm::Function *function = missing()) {
    auto *call = llvm::dyn_cast<llvm::Instruction>(*function->user_begin());
    return llvm::make_error<PlacedError>(("no library defines the function '" + function->getName() + "'").str(),
                                         call ? placesOf(*call) : PlaceChain());
  }
  llvm::internalizeModule(
      module, [&](const llvm::GlobalValue &value) { return own.contains(value.getName()) || value.isDeclaration(); });
  return llvm::Error::success();
}

} // namespace triton
