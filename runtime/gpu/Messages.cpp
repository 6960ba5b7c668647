#include "runtime/gpu/Messages.h"

#include "compiler/support/KernelMessages.h"
#include "runtime/gpu/Pace.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

namespace triton::runtime::gpu {

using messages::Header;
using messages::Kind;
using messages::Record;

static constexpr size_t bufferBytes = 1 << 20; // as NVIDIA's has by default
static constexpr size_t usualLimit = 64;       // above it launches wait for a buffer that their own stream has
static constexpr unsigned hostMemoryFlags = 0x1 | 0x2 | 0x40000000; // portable, mapped, coherent

std::atomic<bool> assertionHasFailed = false;
static std::mutex mutex; // guards these
static std::vector<MessageBuffer *> unused;
static size_t sharedCount = 0; // of buffers that there are, but for those of graphs
static std::string assertion;

std::optional<std::string> takeAssertion() {
  if (!assertionHasFailed.load(std::memory_order_relaxed))
    return std::nullopt;
  std::lock_guard lock(mutex);
  if (!assertionHasFailed.exchange(false))
    return std::nullopt;
  return std::exchange(assertion, {});
}

static void noteAssertion(std::string text) {
  std::lock_guard lock(mutex);
  if (!assertionHasFailed.exchange(true))
    assertion = std::move(text);
}

/// printf of values that have 8 bytes each. Generated code writes no other directives than these.
static std::string format(std::string_view pattern, std::span<const uint64_t> values) {
  std::string text;
  while (!pattern.empty()) {
    const size_t plain = std::min(pattern.find('%'), pattern.size());
    text += pattern.substr(0, plain);
    pattern.remove_prefix(plain);
    if (pattern.empty())
      break;
    const size_t end = std::min(pattern.find_first_of("%diuxXfp", 1), pattern.size() - 1);
    const std::string directive(pattern.substr(0, end + 1));
    const char kind = directive.back();
    pattern.remove_prefix(end + 1);
    if (kind == '%' || values.empty()) {
      text += kind;
      continue;
    }
    const uint64_t value = values.front();
    values = values.subspan(1);
    char buffer[512];
    if (kind == 'f')
      std::snprintf(buffer, sizeof(buffer), directive.c_str(), std::bit_cast<double>(value));
    else if (kind == 'p')
      std::snprintf(buffer, sizeof(buffer), directive.c_str(), reinterpret_cast<void *>(value));
    else if (directive.find("ll") != std::string::npos)
      std::snprintf(buffer, sizeof(buffer), directive.c_str(), static_cast<unsigned long long>(value));
    else
      std::snprintf(buffer, sizeof(buffer), directive.c_str(), unsigned(value));
    text += buffer;
  }
  return text;
}

static void write(std::FILE *file, const std::string &text) {
  if (text.empty())
    return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file); // before what the caller writes by other means
}

std::optional<std::string> writeMessages(std::byte *buffer) {
  auto &header = *reinterpret_cast<Header *>(buffer);
  std::byte *const begin = buffer + sizeof(Header);
  const uint64_t asked = header.asked, used = std::min(asked, header.capacity);
  std::string printed, failed;
  std::optional<std::string> first;
  uint64_t at = 0;
  while (at + sizeof(Record) <= used) {
    Record record;
    std::memcpy(&record, begin + at, sizeof(record));
    const uint64_t text = at + sizeof(Record), values = text + messages::roundedUp(record.textBytes);
    if (record.bytes < sizeof(Record) || values + 8 * uint64_t(record.valueCount) > at + record.bytes ||
        at + record.bytes > used)
      break; // the first that had no room, or that nobody came to write: a kernel that was stopped
    std::string line = format({reinterpret_cast<const char *>(begin + text), record.textBytes},
                              {reinterpret_cast<const uint64_t *>(begin + values), record.valueCount});
    (record.kind == Kind::Assertion ? failed : printed) += line;
    if (record.kind == Kind::Assertion && !first)
      first = line.substr(0, line.find_last_not_of('\n') + 1);
    at += record.bytes;
  }
  if (asked > used)
    failed += "triton: " + std::to_string(asked - at) + " bytes of what kernels print had no room in " +
              std::to_string(header.capacity) + " and are lost\n";
  if (header.failures && !first)
    first = "an assertion whose message had no room";
  std::memset(begin, 0, used);
  header.asked = header.failures = 0;
  write(stdout, printed);
  write(stderr, failed);
  return first;
}

MessageBuffer *MessageBuffer::takeUnused(bool &mayMakeMore) {
  std::lock_guard lock(mutex);
  mayMakeMore = sharedCount < usualLimit;
  if (unused.empty())
    return nullptr;
  MessageBuffer *buffer = unused.back();
  unused.pop_back();
  return buffer;
}

MessageBuffer *MessageBuffer::take(const DriverApi &api, StreamHandle stream, int &status) {
  status = Success;
  if (!api.allocateHost || !api.launchHostFunction)
    return nullptr;
  bool mayMakeMore = true;
  if (MessageBuffer *buffer = takeUnused(mayMakeMore))
    return buffer;
  if (!mayMakeMore && api.streamIsCapturing && !isCaptured(api, stream)) {
    if ((status = api.synchronizeStream(stream)))
      return nullptr;
    if (MessageBuffer *buffer = takeUnused(mayMakeMore))
      return buffer; // otherwise other streams have them all
  }
  DuringCapture capture(api);
  void *memory = nullptr;
  status = api.allocateHost(&memory, bufferBytes, hostMemoryFlags);
  if (status)
    return nullptr;
  std::memset(memory, 0, bufferBytes);
  static_cast<Header *>(memory)->capacity = bufferBytes - sizeof(Header);
  std::lock_guard lock(mutex);
  ++sharedCount;
  return new MessageBuffer(memory); // for as long as the process lives
}

void MessageBuffer::giveBack() {
  std::lock_guard lock(mutex);
  unused.push_back(this);
}

int MessageBuffer::readBehind(const DriverApi &api, StreamHandle stream) {
  int capturing = captureStateNone;
  isOfGraph =
      api.streamIsCapturing && api.streamIsCapturing(stream, &capturing) == Success && capturing != captureStateNone;
  if (isOfGraph) {
    std::lock_guard lock(mutex);
    --sharedCount;
  }
  auto read = [](void *data) {
    auto &self = *static_cast<MessageBuffer *>(data);
    if (std::optional<std::string> failed = writeMessages(self.memory))
      noteAssertion(std::move(*failed));
    if (!self.isOfGraph)
      self.giveBack();
  };
  return api.launchHostFunction(stream, read, this);
}

void MessageBuffer::readNow() {
  writeMessages(memory);
  giveBack();
}

} // namespace triton::runtime::gpu
