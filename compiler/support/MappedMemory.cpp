#include "compiler/support/MappedMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

namespace triton {

void MappedMemory::list() {
  ranges.clear();
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/self/maps");
  if (!buffer)
    return;
  // "7f0c00000000-7f0c00021000 rw-p 00000000 00:00 0  [heap]"
  for (llvm::line_iterator line(**buffer); !line.is_at_eof(); ++line) {
    auto [addresses, rest] = line->split(' ');
    auto [begin, end] = addresses.split('-');
    Range range{};
    if (begin.getAsInteger(16, range.begin) || end.getAsInteger(16, range.end))
      continue;
    range.access = !rest.starts_with("r") ? Access::None : rest.starts_with("rw") ? Access::ReadAndWrite : Access::Read;
    ranges.push_back(range);
  }
}

MappedMemory::Access MappedMemory::find(uint64_t address, uint64_t bytes) const {
  Access all = Access::ReadAndWrite;
  for (uint64_t end = address + bytes; address < end;) {
    auto range = std::ranges::upper_bound(ranges, address, {}, &Range::end);
    if (range == ranges.end() || address < range->begin)
      return Access::None;
    all = std::min(all, range->access);
    address = range->end;
  }
  return all;
}

MappedMemory::Access MappedMemory::at(uint64_t address, uint64_t bytes) {
  if (address + bytes < address)
    return Access::None;
  if (Access access = find(address, bytes); access == Access::ReadAndWrite)
    return access;
  list();
  return ranges.empty() ? Access::ReadAndWrite : find(address, bytes);
}

} // namespace triton
