#include "compiler/support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/SHA256.h"

#include <array>

std::string triton::sha256Hex(llvm::StringRef data) {
  llvm::SHA256 hasher;
  hasher.update(data);
  return llvm::toHex(hasher.final(), /*LowerCase=*/true);
}

std::string triton::blake3Hex(llvm::StringRef data) {
  return llvm::toHex(llvm::BLAKE3::hash<32>(llvm::arrayRefFromStringRef(data)), /*LowerCase=*/true);
}

std::string triton::hmacSha256Hex(llvm::StringRef key, llvm::StringRef data) {
  constexpr size_t blockBytes = 64; // what SHA-256 takes at a time
  std::array<uint8_t, blockBytes> inner{}, outer{};
  std::array<uint8_t, 32> shortened;
  if (key.size() > blockBytes) {
    shortened = llvm::SHA256::hash(llvm::arrayRefFromStringRef(key));
    key = llvm::toStringRef(shortened);
  }
  for (size_t i = 0; i < blockBytes; ++i) {
    const uint8_t byte = i < key.size() ? key[i] : 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  llvm::SHA256 hasher;
  hasher.update(inner);
  hasher.update(data);
  const std::array<uint8_t, 32> digest = hasher.final();
  hasher.init();
  hasher.update(outer);
  hasher.update(digest);
  return llvm::toHex(hasher.final(), /*LowerCase=*/true);
}
