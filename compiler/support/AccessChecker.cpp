#include "compiler/support/AccessChecker.h"
#include "compiler/support/ForkMutex.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace triton {

static constexpr uint64_t pageCells = 4096;

struct AccessChecker::Region {
  uint64_t begin, end;
  unsigned granule; // bytes per cell
  std::vector<std::unique_ptr<Cell[]>> pages = {};

  Cell &at(uint64_t address) {
    const uint64_t index = (address - begin) / granule;
    if (pages.empty())
      pages.resize((end - begin) / granule / pageCells + 1);
    std::unique_ptr<Cell[]> &page = pages[index / pageCells];
    if (!page)
      page = std::make_unique<Cell[]>(pageCells);
    return page[index % pageCells];
  }

  /// Smaller cells, for accesses of parts of elements. Each part has the whole's history.
  void refine(unsigned bytes) {
    Region finer{begin, end, bytes};
    for (uint64_t address = begin; !pages.empty() && address < end; address += bytes)
      if (pages[(address - begin) / granule / pageCells])
        finer.at(address) = at(address);
    *this = std::move(finer);
  }
};

AccessChecker::AccessChecker(Options options) : options(options) {}
AccessChecker::~AccessChecker() = default;

void AccessChecker::add(CheckedTensor tensor) {
  tensors.push_back(std::move(tensor));
  regions.clear();
}

AccessChecker::Extent AccessChecker::extentOf(const CheckedTensor &tensor) {
  int64_t lowest = 0, highest = 0;
  for (auto [size, stride] : llvm::zip_equal(tensor.shape, tensor.strides)) {
    if (size == 0)
      return {tensor.address, tensor.address};
    (stride < 0 ? lowest : highest) += (size - 1) * stride;
  }
  return {tensor.address + lowest * int64_t(tensor.elementBytes),
          tensor.address + (highest + 1) * int64_t(tensor.elementBytes)};
}

bool AccessChecker::Extent::contains(uint64_t address, unsigned bytes) const {
  return address >= begin && address < end &&
         bytes <= end - address; // where the address space ends, sums would begin anew
}

const CheckedTensor *AccessChecker::find(uint64_t address, unsigned bytes) const {
  for (const CheckedTensor &tensor : tensors)
    if (extentOf(tensor).contains(address, bytes))
      return &tensor;
  return nullptr;
}

/// What `poison` puts into the eight bytes at `word`.
static uint64_t canary(uint64_t word) {
  uint64_t mixed = (word ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  return (mixed ^ (mixed >> 29)) * 0x94d049bb133111eb ^ (mixed >> 32);
}

namespace {
/// Bytes that have been written with what `poison` had put there, as `[begin, end)`.
class Rewritten {
public:
  void add(uint64_t begin, uint64_t end) {
    std::lock_guard lock(mutex);
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != ranges.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ranges.erase(next);
    }
    ranges[begin] = end;
  }
  void remove(uint64_t begin, uint64_t end) {
    std::lock_guard lock(mutex);
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin())
      --next;
    while (next != ranges.end() && next->first < end) {
      const auto [from, to] = *next;
      next = to > begin ? ranges.erase(next) : std::next(next);
      if (from < begin && to > begin)
        ranges[from] = begin;
      if (to > end)
        ranges[end] = to;
    }
  }
  bool contains(uint64_t address) {
    std::lock_guard lock(mutex);
    auto next = ranges.upper_bound(address);
    return next != ranges.begin() && std::prev(next)->second > address;
  }

private:
  ForkMutex mutex;
  std::map<uint64_t, uint64_t> ranges;
};
} // namespace

static Rewritten &rewritten() {
  static Rewritten *ranges = new Rewritten; // arrays are assigned to until the process ends
  return *ranges;
}

void AccessChecker::poison(void *data, uint64_t bytes) {
  const uint64_t begin = reinterpret_cast<uint64_t>(data), end = begin + bytes;
  rewritten().remove(begin, end);
  for (uint64_t word = begin & ~uint64_t(7); word < end; word += 8) {
    const uint64_t pattern = canary(word), from = std::max(word, begin), to = std::min(word + 8, end);
    std::memcpy(reinterpret_cast<void *>(from), reinterpret_cast<const char *>(&pattern) + (from - word), to - from);
  }
}

void AccessChecker::markWritten(const void *data, uint64_t bytes) {
  const uint64_t begin = reinterpret_cast<uint64_t>(data), end = begin + bytes;
  for (uint64_t word = begin & ~uint64_t(7); word < end; word += 8) {
    const uint64_t pattern = canary(word), from = std::max(word, begin), to = std::min(word + 8, end);
    if (std::memcmp(data, reinterpret_cast<const char *>(&pattern) + (from - word), to - from) == 0)
      rewritten().add(from, to);
    data = static_cast<const char *>(data) + (to - from);
  }
}

/// Bits for the bytes from `from` to `to`, which lie in the eight bytes at `word`.
static uint8_t bitsOf(uint64_t word, uint64_t from, uint64_t to) {
  return uint8_t(((1u << (to - word)) - 1) & ~((1u << (from - word)) - 1));
}

/// The bits of the bytes from `from` to `to` if they are what `poison` put there, else 0.
static uint8_t poisonedBits(uint64_t word, uint64_t from, uint64_t to) {
  const uint64_t pattern = canary(word);
  if (std::memcmp(reinterpret_cast<const void *>(from), reinterpret_cast<const char *>(&pattern) + (from - word),
                  to - from) != 0)
    return 0;
  uint8_t bits = bitsOf(word, from, to);
  for (uint64_t address = from; address < to; ++address)
    if (rewritten().contains(address))
      bits &= ~bitsOf(word, address, address + 1);
  return bits;
}

uint8_t AccessChecker::unwrittenBytes(const CheckedTensor &tensor, uint64_t word) const {
  if (auto known = partlyWritten.find(word); known != partlyWritten.end())
    return known->second;
  const Extent extent = extentOf(tensor);
  const uint64_t from = std::max(word, extent.begin), middle = word + 4, to = std::min(word + 8, extent.end);
  if (to - from < 4) // so few may look so by chance
    return 0;
  if (uint8_t all = poisonedBits(word, from, to))
    return all;
  return (from == word ? poisonedBits(word, from, middle) : 0) | (to == word + 8 ? poisonedBits(word, middle, to) : 0);
}

/// Calls `visit(word, bits)` for the words that an access touches.
static void forEachWord(uint64_t address, unsigned bytes, llvm::function_ref<void(uint64_t, uint8_t)> visit) {
  const uint64_t end = address + bytes;
  for (uint64_t word = address & ~uint64_t(7); word < end; word += 8)
    visit(word, bitsOf(word, std::max(word, address), std::min(word + 8, end)));
}

bool AccessChecker::isUnwritten(const CheckedTensor &tensor, uint64_t address, unsigned bytes) const {
  bool isFound = false;
  forEachWord(address, bytes,
              [&](uint64_t word, uint8_t bits) { isFound = isFound || (unwrittenBytes(tensor, word) & bits) != 0; });
  return isFound;
}

/// Before a write: what remains of a word of which less than four bytes are written cannot be told from its contents later.
void AccessChecker::noteWritten(const CheckedTensor &tensor, uint64_t address, unsigned bytes) {
  forEachWord(address, bytes, [&](uint64_t word, uint8_t bits) {
    const bool isKnown = partlyWritten.contains(word);
    if (!isKnown && bytes >= 4)
      return;
    if (uint8_t before = unwrittenBytes(tensor, word); isKnown || before)
      partlyWritten[word] = before & ~bits;
  });
}

static std::string listOf(llvm::ArrayRef<int64_t> numbers) {
  return "[" + llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ", ") + "]";
}

static std::string nameOf(const std::array<int32_t, 3> &program) {
  return llvm::formatv("({0}, {1}, {2})", program[0], program[1], program[2]);
}

/// The element that lies at `address`.
std::string AccessChecker::elementOf(const CheckedTensor &tensor, uint64_t address) {
  int64_t offset = int64_t(address - tensor.address) / int64_t(tensor.elementBytes);
  llvm::SmallVector<int64_t> index(tensor.shape.size()), order;
  llvm::append_range(order, llvm::seq<int64_t>(0, tensor.shape.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return std::abs(tensor.strides[a]) > std::abs(tensor.strides[b]); });
  for (int64_t dim : order)
    if (tensor.shape[dim] > 1 && tensor.strides[dim] != 0) {
      index[dim] = offset / tensor.strides[dim];
      offset -= index[dim] * tensor.strides[dim];
    }
  return "`" + tensor.name + listOf(index) + "`, and `" + tensor.name + "` is " + tensor.type;
}

std::string AccessChecker::describe(const Access &access, llvm::StringRef does, llvm::StringRef object) {
  const AccessSite &site = *access.site;
  std::string text = site.place.empty() ? "" : site.place + ": ";
  text += "program " + nameOf(access.program) + " " + does.str() + ": ";
  const std::string pointers = site.variable.empty() ? "the block" : "`" + site.variable + "`";
  if (!site.shape.empty()) {
    llvm::SmallVector<int64_t> index(site.shape.size());
    int64_t rest = access.element;
    for (size_t dim = site.shape.size(); dim-- > 0; rest /= site.shape[dim])
      index[dim] = rest % site.shape[dim];
    text += "element " + listOf(index) + " of " + pointers + " is ";
  } else if (!site.variable.empty() && site.variable != site.tensor) {
    text += pointers + " is ";
  }
  return text + object.str();
}

/// The line of the source that `place` names, with a caret; empty if the file cannot be read.
static std::string excerpt(llvm::StringRef place) {
  auto [rest, column] = place.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  unsigned lineNumber = 0, columnNumber = 0;
  if (line.getAsInteger(10, lineNumber) || column.getAsInteger(10, columnNumber))
    return "";
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return "";
  for (llvm::line_iterator it(**buffer, /*SkipBlanks=*/false); !it.is_at_eof(); ++it)
    if (it.line_number() == lineNumber)
      return llvm::formatv("\n{0,5} | {1}\n      | {2}^", lineNumber, it->rtrim(),
                           std::string(columnNumber ? columnNumber - 1 : 0, ' '));
  return "";
}

std::optional<std::string> AccessChecker::check(const Access &access) {
  const CheckedTensor *tensor = find(access.address, access.bytes);
  std::optional<std::string> problem = options.address ? checkAddress(access, tensor) : std::nullopt;
  if (!problem && !tensor)
    problem = checkElsewhere(access);
  if (!problem && tensor && options.address && access.kind != Access::Kind::Read)
    noteWritten(*tensor, access.address, access.bytes);
  if (!problem && options.race && tensor)
    problem = checkOrder(access, *tensor);
  if (problem)
    *problem += excerpt(access.site->place);
  return problem;
}

std::optional<std::string> AccessChecker::checkAddress(const Access &access, const CheckedTensor *&tensor) {
  const bool isRead = access.kind != Access::Kind::Write;
  // What the pointers were made from is what they may point into.
  const CheckedTensor *meant = nullptr;
  for (const CheckedTensor &candidate : tensors)
    if (!access.site->tensor.empty() && candidate.name == access.site->tensor)
      meant = &candidate;
  if (meant) {
    tensor = extentOf(*meant).contains(access.address, access.bytes) ? meant : nullptr;
  }
  if (!tensor) {
    if (!meant && access.site->isTrusted)
      return std::nullopt;
    const llvm::StringRef does = isRead ? "reads out of bounds" : "writes out of bounds";
    // Without a name, the tensor nearest by.
    uint64_t nearest = UINT64_MAX;
    for (const CheckedTensor &candidate : tensors) {
      const Extent extent = extentOf(candidate);
      const uint64_t away = access.address < extent.begin ? extent.begin - access.address
                                                          : access.address - std::min(access.address, extent.end);
      if (!access.site->tensor.empty() ? &candidate != meant : away >= nearest)
        continue;
      meant = &candidate;
      nearest = away;
    }
    if (!meant)
      return describe(access, does, "memory of no tensor that was given to this launch");
    const int64_t offset = int64_t(access.address - meant->address), size = meant->elementBytes;
    const std::string where =
        offset % size == 0 ? "offset " + std::to_string(offset / size) : "byte " + std::to_string(offset);
    return describe(access, does, where + " of `" + meant->name + "`, which is " + meant->type);
  }
  if (access.bytes > 1 && access.address % access.bytes != 0)
    return describe(access, isRead ? "reads at a misaligned address" : "writes at a misaligned address",
                    llvm::formatv("byte {0} of `{1}`, which is {2}, for {3} bytes", access.address - tensor->address,
                                  tensor->name, tensor->type, access.bytes)
                        .str());
  if (isRead && isUnwritten(*tensor, access.address, access.bytes))
    return describe(access, "reads memory that was never written", elementOf(*tensor, access.address));
  return std::nullopt;
}

std::optional<std::string> AccessChecker::checkElsewhere(const Access &access) {
  const bool isRead = access.kind == Access::Kind::Read;
  const MappedMemory::Access possible = mapped.at(access.address, access.bytes);
  if (possible == MappedMemory::Access::ReadAndWrite || (isRead && possible == MappedMemory::Access::Read))
    return std::nullopt;
  const std::string address = "address 0x" + llvm::utohexstr(access.address, /*LowerCase=*/true);
  const llvm::StringRef why =
      possible == MappedMemory::Access::Read ? ", which is memory that may only be read" : ", where there is no memory";
  return describe(access, isRead ? "reads out of bounds" : "writes out of bounds", address + why.str());
}

void AccessChecker::buildRegions() {
  std::vector<std::pair<Extent, unsigned>> extents;
  for (const CheckedTensor &tensor : tensors)
    extents.push_back({extentOf(tensor), tensor.elementBytes});
  llvm::sort(extents, [](auto &a, auto &b) { return a.first.begin < b.first.begin; });
  for (auto &[extent, bytes] : extents) {
    if (!regions.empty() && extent.begin < regions.back()->end) {
      regions.back()->end = std::max(regions.back()->end, extent.end);
      regions.back()->granule = std::min(regions.back()->granule, bytes);
    } else {
      regions.push_back(std::make_unique<Region>(Region{extent.begin, extent.end, bytes}));
    }
  }
}

void AccessChecker::enterProgram(const std::array<int32_t, 3> &program) {
  if (!programs.empty() && programs.back() == program)
    return;
  programs.push_back(program);
  clocks.clear();
  clocks[programs.size()] = 1;
}

bool AccessChecker::isOrdered(uint32_t program, uint32_t clock) const {
  return program == 0 || program == programs.size() || clocks.lookup(program) >= clock;
}

uint32_t AccessChecker::numberOf(const AccessSite *site) {
  auto [entry, isNew] = siteNumbers.try_emplace(site, sites.size() + 1);
  if (isNew)
    sites.push_back(site);
  return entry->second;
}

std::optional<std::string> AccessChecker::checkOrder(const Access &access, const CheckedTensor &tensor) {
  enterProgram(access.program);
  const bool isWrite = access.kind != Access::Kind::Read, isAtomic = access.kind == Access::Kind::Atomic;
  auto join = [](Clocks &into, const Clocks &from) {
    for (auto [program, clock] : from)
      into[program] = std::max(into[program], clock);
  };
  if (access.acquires)
    join(clocks, release[access.address]);

  if (regions.empty())
    buildRegions();
  auto next = llvm::upper_bound(regions, access.address, [](uint64_t a, auto &region) { return a < region->begin; });
  Region &region = **std::prev(next);
  if (access.bytes < region.granule)
    region.refine(access.bytes);
  const uint32_t self = programs.size(), site = numberOf(access.site);
  // An atomic or acquiring access may meet the atomics of others; plain ones must be ordered against all.
  const bool meetsAtomics = isAtomic || access.acquires;
  for (uint64_t at = access.address; at < access.address + access.bytes; at += region.granule) {
    Cell &cell = region.at(at);
    auto conflict = [&](llvm::StringRef did, uint32_t program, uint32_t otherSite) {
      const llvm::StringRef place = sites[otherSite - 1]->place;
      const std::string does =
          llvm::formatv("{0} what program {1} {2}{3} with nothing that orders the two",
                        isAtomic  ? "updates"
                        : isWrite ? "writes"
                                  : "reads",
                        nameOf(programs[program - 1]), did, place.empty() ? "" : " at " + place.str());
      return describe(access, does, elementOf(tensor, at));
    };
    if (!isOrdered(cell.writer, cell.writeClock) && !(meetsAtomics && cell.isAtomicWrite))
      return conflict(cell.isAtomicWrite ? "updates" : "writes", cell.writer, cell.writeSite);
    if (isWrite && !isOrdered(cell.reader, cell.readClock))
      return conflict("reads", cell.reader, cell.readSite);
    if (isWrite) {
      cell.writer = self, cell.writeClock = clocks[self], cell.writeSite = site;
      cell.isAtomicWrite = isAtomic;
    } else if (!access.acquires && (cell.reader == 0 || isOrdered(cell.reader, cell.readClock))) {
      cell.reader = self, cell.readClock = clocks[self], cell.readSite = site;
    }
  }
  if (access.releases) {
    join(release[access.address], clocks);
    ++clocks[self];
  }
  return std::nullopt;
}

} // namespace triton
