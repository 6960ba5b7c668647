// Finds the pieces of a text of IR by what they look like: types, numbers, op names, values, attributes, lines with one op. A reader knows better; this one is
// never wrong for long, and makes no difference between texts that are right and texts that are not.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace triton::fuzz {

struct Span {
  size_t begin, end;
  llvm::StringRef of(llvm::StringRef text) const { return text.slice(begin, end); }
};

struct Attribute {
  Span name, value;
};

/// In the order they begin; a type inside of another has a span of its own.
std::vector<Span> findTypes(llvm::StringRef text);
std::vector<Span> findNumbers(llvm::StringRef text);
std::vector<Span> findOps(llvm::StringRef text);
/// `%x`, `%x#1`, where they are made and where they are used.
std::vector<Span> findValues(llvm::StringRef text);
/// `name = value` inside of braces.
std::vector<Attribute> findAttributes(llvm::StringRef text);
/// Lines that hold one op without regions, without their ends.
std::vector<Span> findOpLines(llvm::StringRef text);

/// One of `values` whose line in `text` names a type that `line` names too, if a few tries find one.
std::string valueOfTypeIn(llvm::StringRef text, llvm::StringRef line, llvm::ArrayRef<Span> values, uint64_t random);

/// All pieces of a corpus, each once.
struct IrPieces {
  explicit IrPieces(llvm::ArrayRef<std::string> corpus);
  std::vector<std::string> types, ops, lines;
  std::vector<std::pair<std::string, std::string>> attributes;
};

} // namespace triton::fuzz
