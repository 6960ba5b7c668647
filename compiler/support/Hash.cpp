#include "compiler/support/Hash.h"

#include "llvm/Support/SHA256.h"

std::string triton::sha256Hex(llvm::StringRef data) {
  llvm::SHA256 hasher;
  hasher.update(data);
  return llvm::toHex(hasher.final(), /*LowerCase=*/true);
}
