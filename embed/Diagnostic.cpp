// Diagnostics with everything copied out: they outlive the sources they point into.
#include "embed/Adapter.h"

namespace triton::embed {

Place fromSupport(const SourceRange &range) {
  Place place;
  if (!range.isValid())
    return place;
  const Source &source = *range.source;
  LineColumn begin = source.locate(range.begin), end = source.locate(range.end);
  place.file = source.name().str();
  place.line = begin.line;
  place.column = begin.column;
  place.endLine = end.line;
  place.endColumn = end.column;
  place.text = source.text().str();
  place.lineInText = begin.line - source.firstLine() + 1;
  place.columnInText = begin.column - std::min(begin.column, source.columnOffset());
  return place;
}

Diagnostic fromSupport(const triton::Diagnostic &diagnostic) {
  Diagnostic out;
  out.severity = Diagnostic::Severity(diagnostic.severity);
  out.exception = diagnostic.exception;
  out.message = diagnostic.message;
  out.hint = diagnostic.hint;
  out.place = fromSupport(diagnostic.range);
  for (const SourceRange &caller : diagnostic.callers)
    out.callers.push_back(fromSupport(caller));
  out.rendered = render(diagnostic, /*color=*/false);
  return out;
}

void append(const triton::Diagnostics &from, Diagnostics &to) {
  for (const triton::Diagnostic &diagnostic : from.all())
    to.push_back(fromSupport(diagnostic));
}

} // namespace triton::embed
