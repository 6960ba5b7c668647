// Expectations on emitted text.
#pragma once

#include "compiler/frontend/emitter/EmitKernel.h"

#include "gtest/gtest.h"

namespace triton::frontend {

/// Whether `text` holds the pieces one after the other.
inline testing::AssertionResult holdsInOrder(llvm::StringRef text, std::initializer_list<llvm::StringRef> pieces) {
  size_t at = 0;
  for (llvm::StringRef piece : pieces) {
    at = text.find(piece, at);
    if (at == llvm::StringRef::npos)
      return testing::AssertionFailure() << "\nnot found (in order): " << piece.str() << "\nin:\n" << text.str();
    at += piece.size();
  }
  return testing::AssertionSuccess();
}

inline testing::AssertionResult emits(llvm::StringRef text, llvm::StringRef signature,
                                      std::initializer_list<llvm::StringRef> pieces) {
  Emitted emitted = emitText(text, signature);
  if (emitted.ir.empty())
    return testing::AssertionFailure() << "\n" << emitted.errors;
  return holdsInOrder(emitted.ir, pieces);
}

/// Whether exactly one error comes out, rendered with these pieces in order.
inline testing::AssertionResult fails(llvm::StringRef text, llvm::StringRef signature,
                                      std::initializer_list<llvm::StringRef> pieces) {
  Emitted emitted = emitText(text, signature);
  if (!emitted.ir.empty())
    return testing::AssertionFailure() << "\nno error, but\n" << emitted.ir;
  if (emitted.messages.size() != 1)
    return testing::AssertionFailure() << "\nexpected one error, got\n" << emitted.errors;
  return holdsInOrder(emitted.errors, pieces);
}

} // namespace triton::frontend
