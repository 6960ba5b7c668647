#include "bin/IrFile.h"

#include "compiler/support/IrText.h"

#include "llvm/Support/raw_ostream.h"

std::unique_ptr<llvm::MemoryBuffer> triton::readIrFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    llvm::errs() << "cannot read '" << path << "': " << buffer.getError().message() << '\n';
    return nullptr;
  }
  auto source = Source::create(path.str(), (*buffer)->getBuffer().str());
  Diagnostics diagnostics;
  if (isReadable(*source, IrSyntax::Mlir, diagnostics))
    return std::move(*buffer);
  llvm::errs() << render(diagnostics.all(), /*color=*/false);
  return nullptr;
}
