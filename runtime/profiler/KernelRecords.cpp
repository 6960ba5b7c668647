#include "runtime/profiler/KernelRecords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <chrono>
#include <cstring>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace triton::runtime::profiler {

namespace {

/// Puts the beginnings and ends of one unit together. Scopes may overlap without nesting; an end without a beginning is left out, and so is a
/// scope that never ends.
class PartBuilder {
public:
  /// `mask`: the bits of a clock, which begins again at 0.
  explicit PartBuilder(uint64_t mask = UINT64_MAX) : mask(mask) {}

  void add(uint32_t scope, bool isStart, uint64_t ticks) {
    if (isStart) {
      std::vector<uint32_t> outer;
      for (size_t part : open)
        outer.push_back(parts[part].scope);
      open.push_back(parts.size());
      parts.push_back({scope, ticks, unfinished, std::move(outer)});
      return;
    }
    for (size_t index = open.size(); index-- > 0;) {
      KernelPart &part = parts[open[index]];
      if (part.scope != scope)
        continue;
      part.ticks = (ticks - part.begin) & mask;
      open.erase(open.begin() + ptrdiff_t(index));
      return;
    }
  }
  std::vector<KernelPart> take() {
    std::erase_if(parts, [](const KernelPart &part) { return part.ticks == unfinished; });
    return std::move(parts);
  }

private:
  static constexpr uint64_t unfinished = UINT64_MAX;
  const uint64_t mask;
  std::vector<KernelPart> parts;
  std::vector<size_t> open;
};

} // namespace

template <typename T> static T read(llvm::ArrayRef<uint8_t> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

llvm::Expected<KernelRecords> readRecords(llvm::ArrayRef<uint8_t> buffer, const RecordsLayout &layout,
                                          std::vector<std::string> scopes, double nanosecondsPerTick) {
  const size_t metadataBytes = llvm::alignTo<8>(recordsHeaderBytes + 4 * layout.units.size());
  if (layout.units.empty() || layout.sliceBytes < metadataBytes || buffer.size() % layout.sliceBytes)
    return llvm::createStringError("a buffer of " + llvm::Twine(buffer.size()) + " bytes holds no slices of " +
                                   llvm::Twine(layout.sliceBytes) + " bytes for " + llvm::Twine(layout.units.size()) +
                                   " warps");
  const uint64_t clockMask = layout.is32Bit ? 0xffffffff : (uint64_t(1) << 43) - 1;
  KernelRecords records{std::move(scopes), nanosecondsPerTick, {}};
  for (size_t offset = 0; offset < buffer.size(); offset += layout.sliceBytes) {
    llvm::ArrayRef<uint8_t> slice = buffer.slice(offset, layout.sliceBytes);
    if (read<uint32_t>(slice, 0) != recordsPreamble)
      continue;
    const auto recordBytes = read<uint32_t>(slice, 12);
    if (recordBytes > layout.sliceBytes - metadataBytes)
      return llvm::createStringError("a slice of " + llvm::Twine(layout.sliceBytes) + " bytes says it has " +
                                     llvm::Twine(recordBytes) + " bytes of records");
    const uint64_t begin = read<uint64_t>(slice, 16), beginClock = read<uint64_t>(slice, 24);
    const uint32_t capacity = recordBytes / 8 / uint32_t(layout.units.size());
    for (auto [index, warp] : llvm::enumerate(layout.units)) {
      KernelUnit unit{read<uint32_t>(slice, 4), read<uint32_t>(slice, 8), warp, begin, {}};
      const auto written = read<uint32_t>(slice, recordsHeaderBytes + 4 * index);
      const size_t first = metadataBytes + size_t(8) * capacity * index;
      PartBuilder builder(clockMask);
      for (uint32_t number = written - std::min(written, capacity); number < written; ++number) {
        const size_t at = first + size_t(8) * (number % capacity);
        const auto tag = read<uint32_t>(slice, at);
        const uint64_t clock = uint64_t(tag & 0x7ff) << 32 | read<uint32_t>(slice, at + 4);
        const uint32_t scope = tag >> 23 & 0xff;
        if (scope < records.scopes.size())
          builder.add(scope, !(tag >> 31), (clock - beginClock) & clockMask);
      }
      unit.parts = builder.take();
      records.units.push_back(std::move(unit));
    }
  }
  return records;
}

static uint64_t nanoseconds() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

static uint64_t ticks() {
#ifdef __x86_64__
  return __rdtsc();
#else
  return nanoseconds();
#endif
}

HostRecorder::HostRecorder() : beginTicks(ticks()), beginNanoseconds(nanoseconds()) {}

/// Small numbers for the threads that run programs, in the order they first did.
static uint32_t threadNumber() {
  static std::atomic<uint32_t> next = 0;
  static thread_local const uint32_t number = next++;
  return number;
}

void HostRecorder::record(const char *scope, bool isStart, uint64_t program) {
  // A beginning is noted last, an end first: what noting takes belongs to nobody.
  const uint64_t atEntry = ticks();
  std::lock_guard lock(mutex);
  auto [number, isNew] = numbers.try_emplace(scope, uint32_t(scopes.size()));
  if (isNew)
    scopes.emplace_back(scope);
  auto [unit, isFirst] = units.try_emplace(program);
  if (isFirst)
    unit->second.core = threadNumber();
  unit->second.notes.push_back({number->second, isStart, isStart ? ticks() : atEntry});
}

KernelRecords HostRecorder::take() {
  std::lock_guard lock(mutex);
  const uint64_t passedTicks = std::max<uint64_t>(ticks() - beginTicks, 1);
  KernelRecords records{std::move(scopes), double(nanoseconds() - beginNanoseconds) / double(passedTicks), {}};
  for (auto &[program, notes] : units) {
    KernelUnit unit{program, notes.core, 0, beginNanoseconds, {}};
    PartBuilder builder;
    for (const Note &note : notes.notes)
      builder.add(note.scope, note.isStart, note.ticks - beginTicks);
    unit.parts = builder.take();
    records.units.push_back(std::move(unit));
  }
  return records;
}

} // namespace triton::runtime::profiler
