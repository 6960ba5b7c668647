#include "compiler/support/SourceMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace triton {

char PlacedError::ID = 0;
char ReportedError::ID = 0;

void ReportedError::log(llvm::raw_ostream &stream) const { stream << "errors were reported"; }

void PlacedError::log(llvm::raw_ostream &stream) const {
  stream << (chain.empty() ? "" : chain.front().str() + ": ") << message;
}

std::string FilePlace::str() const { return file + ":" + std::to_string(line) + ":" + std::to_string(column); }

void shortenCallers(Diagnostic &diagnostic) {
  std::vector<SourceRange> &callers = diagnostic.callers;
  if (callers.size() > 20)
    callers.erase(callers.begin() + 10, callers.end() - 10);
}

void SourceMap::add(const std::shared_ptr<const Source> &source) {
  auto &sources = byFile[source->name()];
  if (!llvm::is_contained(sources, source))
    sources.push_back(source);
}

SourceRange SourceMap::find(const FilePlace &place) const {
  auto known = byFile.find(place.file);
  if (known == byFile.end())
    return {};
  for (const auto &source : known->second) {
    const unsigned first = source->firstLine();
    if (place.line < first || place.line >= first + source->lineCount())
      continue;
    const llvm::StringRef line = source->line(place.line);
    const unsigned cut = source->columnOffset() + 1; // of the line's first byte
    const size_t inLine = place.column == 0    ? line.size() - line.ltrim().size()
                          : place.column > cut ? place.column - cut
                                               : 0;
    const uint32_t begin = source->lineBegin(place.line) + std::min(inLine, line.size());
    return {source.get(), begin, begin + 1};
  }
  return {};
}

void SourceMap::locate(Diagnostic &diagnostic, const PlaceChain &chain) const {
  if (chain.empty())
    return;
  diagnostic.range = find(chain.front());
  if (!diagnostic.range.isValid())
    diagnostic.message = chain.front().str() + ": " + diagnostic.message;
  for (const FilePlace &caller : llvm::drop_begin(chain))
    if (SourceRange range = find(caller); range.isValid())
      diagnostic.callers.push_back(range);
  shortenCallers(diagnostic);
}

} // namespace triton
