#include "compiler/support/Source.h"

#include <algorithm>
#include <cassert>

using namespace triton;
using llvm::StringRef;

std::shared_ptr<const Source> Source::create(std::string name, std::string text, unsigned firstLine,
                                             unsigned columnOffset) {
  return std::shared_ptr<const Source>(new Source(std::move(name), std::move(text), firstLine, columnOffset));
}

Source::Source(std::string name, std::string text, unsigned firstLine, unsigned columnOffset)
    : fileName(std::move(name)), contents(std::move(text)), first(firstLine), cutColumns(columnOffset) {
  if (StringRef(contents).starts_with("\xEF\xBB\xBF"))
    contents.erase(0, 3);
  assert(contents.size() <= UINT32_MAX && "offsets are 32 bits wide; whoever reads files checks their size");
  lineStarts.push_back(0);
  for (size_t at = 0, size = contents.size(); at < size; ++at) {
    if (contents[at] == '\r' && at + 1 < size && contents[at + 1] == '\n')
      ++at;
    else if (contents[at] != '\n' && contents[at] != '\r')
      continue;
    lineStarts.push_back(at + 1);
  }
}

LineColumn Source::locate(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, contents.size());
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  unsigned index = next - lineStarts.begin() - 1;
  return {first + index, offset - lineStarts[index] + cutColumns};
}

StringRef Source::line(unsigned lineInFile) const {
  unsigned index = lineInFile - first;
  if (lineInFile < first || index >= lineStarts.size())
    return {};
  size_t end = index + 1 < lineStarts.size() ? lineStarts[index + 1] : contents.size();
  return StringRef(contents).slice(lineStarts[index], end).rtrim("\r\n");
}

uint32_t Source::lineBegin(unsigned lineInFile) const {
  assert(lineInFile >= first && lineInFile - first < lineStarts.size() && "a line of this text");
  return lineStarts[lineInFile - first];
}
