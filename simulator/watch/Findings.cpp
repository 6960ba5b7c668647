#include "simulator/watch/Findings.h"

#include <utility>

namespace triton::simulator {

const char *nameOf(Finding::Kind kind) {
  switch (kind) {
  case Finding::Kind::IllegalAddress:
    return "illegal address";
  case Finding::Kind::Misaligned:
    return "misaligned address";
  case Finding::Kind::IllegalInstruction:
    return "illegal instruction";
  case Finding::Kind::Assertion:
    return "assertion";
  case Finding::Kind::Trap:
    return "trap";
  case Finding::Kind::Divergence:
    return "divergence";
  case Finding::Kind::Deadlock:
    return "deadlock";
  case Finding::Kind::Uninitialised:
    return "uninitialised memory";
  case Finding::Kind::Race:
    return "race";
  case Finding::Kind::Barrier:
    return "barrier";
  case Finding::Kind::Leak:
    return "leak";
  case Finding::Kind::OutOfMemory:
    return "out of memory";
  }
  return "finding";
}

void Findings::add(Finding finding) {
  constexpr size_t limit = 1000; // of different ones; a broken kernel has as many as it has lines
  std::lock_guard lock(mutex);
  for (Finding &known : list)
    if (known.kind == finding.kind && known.place == finding.place &&
        (known.message == finding.message || list.size() >= limit)) {
      ++known.count;
      return;
    }
  if (list.size() < limit)
    list.push_back(std::move(finding));
}

std::vector<Finding> Findings::take() {
  std::lock_guard lock(mutex);
  return std::exchange(list, {});
}

bool Findings::isEmpty() {
  std::lock_guard lock(mutex);
  return list.empty();
}

} // namespace triton::simulator
