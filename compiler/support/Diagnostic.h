// What the compiler tells the user: errors, warnings, notes, each at a place in the user's source.
//   In:  a Diagnostic, filled by whoever found the problem.
//   Out: its text in Clang's form (`render`), or the structure itself for those who raise it as an exception.
// Messages are lower case, have no full stop, and carry the values. A diagnostic points into Sources, which must
// outlive it.
#pragma once

#include "compiler/support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace triton {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message;
  /// The Python class this error maps to ("NameError", "SyntaxError", ...); empty means "CompilationError".
  std::string exception = {};
  /// What the user could do about it, as one sentence.
  std::string hint = {};
  /// Further places that explain this one.
  std::vector<Diagnostic> notes = {};
  /// The call sites that led here, innermost first.
  std::vector<SourceRange> callers = {};
};

class Diagnostics {
public:
  void report(Diagnostic diagnostic) {
    errorCount += diagnostic.severity == Severity::Error;
    diagnostics.push_back(std::move(diagnostic));
  }
  bool hasErrors() const { return errorCount != 0; }
  unsigned errors() const { return errorCount; }
  llvm::ArrayRef<Diagnostic> all() const { return diagnostics; }

private:
  std::vector<Diagnostic> diagnostics;
  unsigned errorCount = 0;
};

/// The diagnostic as text, each line ended by a line break:
///
///   add.py:4:9: error: name 'blok' is not defined
///       4 |     x = blok + 1
///         |         ^~~~
///         = hint: did you mean 'block'?
///   add.py:9:5: note: called from here
///       9 |     helper(p)
///         |     ^~~~~~~~~
///
/// `color` adds terminal colours. Columns count from 1 here, in bytes, as editors and Clang do.
std::string render(const Diagnostic &diagnostic, bool color);

/// All of them, in the order they were reported.
std::string render(llvm::ArrayRef<Diagnostic> diagnostics, bool color);

} // namespace triton
