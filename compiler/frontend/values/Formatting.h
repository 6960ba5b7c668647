// Values as text, as CPython writes them: `format(value, spec)`, the fields of f-strings, and `repr` of numbers and strings.
// One implementation for kernels, constexpr functions and files without Python.
#pragma once

#include "compiler/frontend/values/Value.h"

#include "llvm/Support/Error.h"

namespace triton::frontend {

/// `format(value, spec)`, where `spec` is as in `f"{value:spec}"`: `>8`, `#x`, `.3f`. Errors are Python's.
llvm::Expected<std::string> formatValue(const Value &value, llvm::StringRef spec);

/// A field of an f-string: `conversion` is 's', 'r' or 'a' as in `f"{value!r}"`, and any other number if there is none.
llvm::Expected<std::string> formatField(const Value &value, int conversion, llvm::StringRef spec);

/// `ascii(value)`: its repr with everything beyond ASCII escaped.
std::string asciiRepr(const Value &value);

/// The character with this number, in UTF-8; the error if there is none.
llvm::Expected<std::string> characterOf(const Integer &code, llvm::StringRef message, llvm::StringRef exception);

/// The number of a character; that of its first byte if it is not UTF-8.
uint32_t codeOf(llvm::StringRef character);

/// The characters of a text in UTF-8, each as the bytes it is written with.
std::vector<llvm::StringRef> charactersOf(llvm::StringRef text);

} // namespace triton::frontend
