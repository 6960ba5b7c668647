// Names in a kernel's code: between the compiler, which writes them, and the runtime, which asks for them.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton {

/// What programs call on their way round loops that may never end by themselves. It may not be there: where the kernel is part of a program that brings no
/// runtime of ours.
inline constexpr llvm::StringLiteral pollSymbol = "triton_poll";

/// What a function is called in PTX, where names are of ASCII. Bytes of other characters are spelled out between dollar signs, which no name in Python has:
/// größe -> gr$c3b6c39f$e.
inline std::string ptxSymbol(llvm::StringRef name) {
  auto isPlain = [](char c) { return llvm::isASCII(c); };
  std::string symbol;
  while (!name.empty()) {
    symbol += name.take_while(isPlain);
    name = name.drop_while(isPlain);
    const llvm::StringRef others = name.take_until(isPlain);
    if (!others.empty())
      symbol += "$" + llvm::toHex(others, /*LowerCase=*/true) + "$";
    name = name.drop_front(others.size());
  }
  return symbol;
}

/// The name of which `ptxSymbol` makes this, for people to read.
inline std::string nameOfPtxSymbol(llvm::StringRef symbol) {
  std::string name, bytes;
  while (!symbol.empty()) {
    name += symbol.take_until([](char c) { return c == '$'; });
    symbol = symbol.drop_until([](char c) { return c == '$'; });
    const auto [digits, rest] = symbol.drop_front(!symbol.empty()).split('$');
    const bool isClosed = symbol.size() > digits.size() + 1;
    if (isClosed && !digits.empty() && digits.size() % 2 == 0 && llvm::tryGetFromHex(digits, bytes) &&
        llvm::none_of(bytes, [](char c) { return llvm::isASCII(c); })) {
      name += bytes;
      symbol = rest;
    } else {
      name += symbol.take_front(1);
      symbol = symbol.drop_front(!symbol.empty());
    }
  }
  return name;
}

} // namespace triton
