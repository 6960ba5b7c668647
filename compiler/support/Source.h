// Source text and places in it.
//   In:  a name for messages and UTF-8 text, which may be a piece cut out of a larger file (a dedented function).
//   Out: for a byte offset into the text, the line and column in the file; for a line of the file, its text.
// A Source never changes once created, so ranges into it stay good as long as it lives.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace triton {

/// A place in a file: `line` counts from 1, `column` from 0 in bytes of UTF-8, as Python's `lineno` and `col_offset`
/// do.
struct LineColumn {
  unsigned line;
  unsigned column;
  bool operator==(const LineColumn &) const = default;
};

class Source {
public:
  /// `firstLine` is the line of the file where `text` begins, `columnOffset` how many bytes of indentation were cut
  /// from each of its lines. A byte order mark at the start is dropped: it counts as no column.
  static std::shared_ptr<const Source> create(std::string name, std::string text, unsigned firstLine = 1,
                                              unsigned columnOffset = 0);

  llvm::StringRef name() const { return fileName; }
  llvm::StringRef text() const { return contents; }

  /// The place of the byte at `offset`; the end of the text for an offset behind it.
  LineColumn locate(uint32_t offset) const;

  /// The text of a line, without its line break and without indentation that was cut; empty for a line not in the text.
  llvm::StringRef line(unsigned lineInFile) const;

  /// The offset of the first byte of a line that is in the text.
  uint32_t lineBegin(unsigned lineInFile) const;

  unsigned firstLine() const { return first; }
  unsigned lineCount() const { return lineStarts.size(); }
  unsigned columnOffset() const { return cutColumns; }

private:
  Source(std::string name, std::string text, unsigned firstLine, unsigned columnOffset);

  std::string fileName;
  std::string contents;
  unsigned first;
  unsigned cutColumns;
  std::vector<uint32_t> lineStarts; // at least one; a line ends at \n, \r\n or \r, as in Python
};

/// The bytes `begin` to `end` (exclusive) of a source; no place at all when `source` is null.
struct SourceRange {
  const Source *source = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return source != nullptr; }
  llvm::StringRef text() const { return source ? source->text().slice(begin, end) : llvm::StringRef(); }
};

} // namespace triton
