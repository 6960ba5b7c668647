// The name a user may have meant.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <string>

namespace triton {

/// How far apart two names are: letters in another order count as one slip.
inline unsigned nameDistance(llvm::StringRef a, llvm::StringRef b) {
  std::string first = a.str(), second = b.str();
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  return a != b && first == second ? 1 : a.edit_distance(b);
}

/// The candidate closest to `name` if it is close enough to be a slip of the finger; empty otherwise. The same for any
/// order of candidates.
template <typename Range> std::string closestName(llvm::StringRef name, const Range &candidates) {
  std::string closest;
  unsigned distance = name.size() / 3;
  for (llvm::StringRef candidate : candidates) {
    const unsigned edits = nameDistance(candidate, name);
    if (edits == 0 || edits > distance || (edits == distance && !closest.empty() && candidate >= closest))
      continue;
    closest = candidate.str();
    distance = edits;
  }
  return closest;
}

/// `; did you mean 'count'?` to end a message with; nothing where no candidate is close.
template <typename Range> std::string didYouMean(llvm::StringRef name, const Range &candidates) {
  const std::string closest = closestName(name, candidates);
  return closest.empty() ? "" : "; did you mean '" + closest + "'?";
}

} // namespace triton
