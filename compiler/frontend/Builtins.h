// The registry of the language's names: one entry per builtin, from which dispatch and the Python `tl.*` objects are made.
#pragma once

#include "compiler/frontend/values/Value.h"
#include "mlir/Support/LLVM.h"

namespace triton::frontend {

class Emitter;

/// Arguments bound to a builtin's signature: one value per parameter in order, defaults filled in.
class BoundArguments {
public:
  const Value &operator[](unsigned index) const { return values[index]; }
  bool isGiven(unsigned index) const { return given[index]; }
  std::vector<Value> values; // `*args` is one tuple value
  std::vector<bool> given;
};

using EmitBuiltin = mlir::FailureOr<Value> (*)(Emitter &, const BoundArguments &);

struct Builtin {
  enum class Kind : uint8_t {
    Function,
    Class, // `tl.tensor`, `tl.constexpr`, `int`: may stand in isinstance, and be called to make a value where that means something
  };
  llvm::StringLiteral
      module; // where it is defined: "triton.language.core"; Python's own `len`, `min`, `print`, … are in "builtins"
  llvm::StringLiteral name;      // "load"
  llvm::StringLiteral signature; // "(pointer, mask=None, other=None, *, …)": Python's own syntax, parsed once
  llvm::StringLiteral documentation;
  EmitBuiltin emit;
  bool isMethod = false; // also `x.name(...)` on tensors, `x` being the first parameter
  bool mustUseResult = false;
  Kind kind = Kind::Function;
  bool isCompileTime = false; // computes on compile-time values alone and emits nothing: also called outside of kernels
};

/// The entry of a builtin that is also called outside of kernels.
constexpr Builtin atCompileTime(Builtin builtin) {
  builtin.isCompileTime = true;
  return builtin;
}

/// Adds the builtins of another language that this frontend reads. Before anything asks for builtins: from static initialisation.
void registerBuiltins(llvm::ArrayRef<Builtin> (*family)());

/// All builtins, in the order of the reference page.
llvm::ArrayRef<Builtin> builtins();
/// The builtin that `module` exports under `name`: `triton.language` exports what `triton.language.core` defines, and so on.
const Builtin *findBuiltin(llvm::StringRef module, llvm::StringRef name);
const Builtin *findMethod(llvm::StringRef name);
/// Whether `value` is an instance of a builtin of kind Class, as `isinstance` sees it (constants as what they wrap).
bool isInstanceOf(const Value &value, const Builtin &builtinClass);

/// Adds the modules of another language: what `resolve` answers for a name of a module. From static initialisation.
void registerModules(std::optional<Value> (*resolve)(llvm::StringRef module, llvm::StringRef name));

/// A name of the language's module tree ("triton.language", "dot"): builtin, library function, dtype, submodule, constant; nullopt if there is none.
/// This is what `tl.<name>` means for every host.
std::optional<Value> languageAttribute(llvm::StringRef modulePath, llvm::StringRef name);
/// Names of a module of the tree, for dir() and documentation.
std::vector<std::string> languageNames(llvm::StringRef modulePath);

} // namespace triton::frontend
