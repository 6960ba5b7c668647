// Python's rules for binding the arguments of a call to parameters: positional, keyword, default, `*args`.
#pragma once

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Host.h"
#include "compiler/frontend/emitter/Function.h"

namespace triton::frontend {

class Signature {
public:
  enum class Kind : uint8_t { Plain, KeywordOnly, Rest }; // Rest is `*args`
  struct Parameter {
    std::string name;
    Kind kind = Kind::Plain;
    std::optional<Value> defaultValue;
    bool isPositionalOnly = false;
  };
  std::vector<Parameter> parameters;

  /// One value per parameter; a TypeError in Python's words if they do not fit. `callee` is its name, for messages.
  llvm::Expected<BoundArguments> bind(llvm::StringRef callee, const CallArguments &arguments) const;
  /// The place of a parameter that is there.
  unsigned indexOf(llvm::StringRef name) const;
};

/// The signature of a builtin, read from its text on first use and kept.
const Signature &signatureOf(const Builtin &builtin);
Signature signatureOf(const Function &function);

} // namespace triton::frontend
