#include "compiler/interpreter/Memory.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::interpreter {

void Memory::add(void *data, uint64_t bytes, std::string name) {
  buffers[reinterpret_cast<uint64_t>(data)] = {bytes, std::move(name)};
}

void *Memory::access(uint64_t address, uint64_t bytes) const {
  if (isTrusting)
    return reinterpret_cast<void *>(address);
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  const auto &[start, buffer] = *std::prev(next);
  bool fits = address - start <= buffer.bytes && bytes <= buffer.bytes - (address - start);
  return fits ? reinterpret_cast<void *>(address) : nullptr;
}

void Memory::protect(const void *data, uint64_t bytes, std::string name) {
  readOnly.push_back({reinterpret_cast<uint64_t>(data), {bytes, std::move(name)}});
}

const std::string *Memory::protectedAt(uint64_t address, uint64_t bytes) const {
  for (const auto &[start, buffer] : readOnly)
    if (address < start + buffer.bytes && start < address + bytes)
      return &buffer.name;
  return nullptr;
}

const AccessSite *Memory::keep(AccessSite site) const {
  std::string key = site.place + "\n" + site.variable + "\n" + site.tensor;
  for (int64_t size : site.shape)
    key += "," + std::to_string(size);
  return &sites.try_emplace(std::move(key), std::move(site)).first->second;
}

std::string Memory::explain(uint64_t address, uint64_t bytes) const {
  // The buffer whose start or end is nearest is the one that was meant.
  const Buffer *nearest = nullptr;
  int64_t offset = 0;
  uint64_t distance = UINT64_MAX;
  for (const auto &[start, buffer] : buffers) {
    uint64_t end = start + buffer.bytes;
    uint64_t away = address < start ? start - address : address >= end ? address - end : 0;
    if (away >= distance)
      continue;
    nearest = &buffer;
    distance = away;
    offset = static_cast<int64_t>(address - start);
  }
  if (!nearest)
    return llvm::formatv("{0} bytes at {1:x}, but there is no memory at all", bytes, address);
  return llvm::formatv("{0} bytes at byte {1} of {2}, which has {3} bytes", bytes, offset, nearest->name,
                       nearest->bytes);
}

} // namespace triton::interpreter
