// The sources that a kernel's code comes from, found again by file and line: IR, LLVM's debug information and PTX keep no more of a place.
#pragma once

#include "compiler/support/Diagnostic.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace triton {

/// A place as IR keeps it. Lines and columns count from 1; a column of 0 is the line's first that is no blank.
struct FilePlace {
  std::string file;
  unsigned line = 0, column = 0;
  std::string str() const;
  bool operator==(const FilePlace &) const = default;
};

/// Where code was written, then where that was called from, and so on outwards. Empty: not known.
using PlaceChain = std::vector<FilePlace>;

/// Of a chain of calls that no one would read, leaves both ends.
void shortenCallers(Diagnostic &diagnostic);

class SourceMap {
public:
  void add(const std::shared_ptr<const Source> &source);

  /// The first byte there; no place at all where no source has the line.
  SourceRange find(const FilePlace &place) const;

  /// Puts a diagnostic at `chain`. Where the first place is in no source, the message names it.
  void locate(Diagnostic &diagnostic, const PlaceChain &chain) const;

private:
  llvm::StringMap<llvm::SmallVector<std::shared_ptr<const Source>>> byFile; // each has some of its lines
};

/// An error of code generation, with the places that code comes from.
class PlacedError : public llvm::ErrorInfo<PlacedError> {
public:
  static char ID;
  struct Note {
    std::string message;
    PlaceChain chain;
  };
  PlacedError(std::string message, PlaceChain chain) : message(std::move(message)), chain(std::move(chain)) {}
  std::string message;
  PlaceChain chain;
  std::vector<Note> notes; // further places
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

/// Failure for reasons that were reported as diagnostics already.
class ReportedError : public llvm::ErrorInfo<ReportedError> {
public:
  static char ID;
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

} // namespace triton
