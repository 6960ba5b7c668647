#include "simulator/machine/HostMemory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace triton::simulator {

bool HostMemory::isKnown(uint64_t begin, uint64_t end, bool writes) const {
  auto above = std::upper_bound(stretches.begin(), stretches.end(), begin,
                                [](uint64_t value, const Stretch &stretch) { return value < stretch.begin; });
  while (above != stretches.begin() && begin < end) {
    auto at = std::prev(above);
    if (begin < at->begin || begin >= at->end || (writes && !at->isWritable))
      return false;
    begin = at->end;
    if (above != stretches.end())
      ++above;
    else
      break;
  }
  return begin >= end;
}

void HostMemory::read() {
  stretches.clear();
  std::FILE *file = std::fopen("/proc/self/maps", "r");
  if (!file) { // nothing is known: believe what comes
    stretches.push_back({0, ~uint64_t(0), true});
    return;
  }
  char line[512];
  while (std::fgets(line, sizeof(line), file)) {
    unsigned long long begin = 0, end = 0;
    char rights[8] = {};
    bool isWhole = std::strchr(line, '\n') != nullptr;
    if (std::sscanf(line, "%llx-%llx %7s", &begin, &end, rights) == 3 && rights[0] == 'r') {
      bool isWritable = rights[1] == 'w';
      if (!stretches.empty() && stretches.back().end == begin && stretches.back().isWritable == isWritable)
        stretches.back().end = end;
      else
        stretches.push_back({begin, end, isWritable});
    }
    while (!isWhole && std::fgets(line, sizeof(line), file)) // the rest of a long name
      isWhole = std::strchr(line, '\n') != nullptr;
  }
  std::fclose(file);
}

bool HostMemory::contains(uint64_t begin, uint64_t bytes, bool writes) {
  if (begin + bytes < begin)
    return false;
  {
    std::shared_lock lock(mutex);
    if (isKnown(begin, begin + bytes, writes))
      return true;
  }
  std::unique_lock lock(mutex);
  read();
  return isKnown(begin, begin + bytes, writes);
}

} // namespace triton::simulator
