// A libcupti without a GPU: tests say what is launched and how long it took, and it tells a subscriber as CUPTI does.
//   In:  fakeCuptiLaunch, in the place of a launch.
//   Out: the subscriber's callback at once; records of kernels when they are flushed.
#include "runtime/profiler/CuptiApi.h"

#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <vector>

using namespace triton::runtime::profiler;

namespace {
struct Record {
  CuptiKernel kernel{};
  std::byte rest[64]; // a whole record is longer than what is read of it
};
struct Fake {
  CuptiCallback callback = nullptr;
  CuptiBufferRequested requested = nullptr;
  CuptiBufferCompleted completed = nullptr;
  std::set<std::pair<uint32_t, uint32_t>> enabled;
  bool isRecording = false, isTaken = false;
  std::vector<Record> records;
  std::deque<std::string> names; // records point to them
} fake;
constexpr int invalidParameter = 1;
} // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuptiSubscribe(void **subscriber, CuptiCallback callback, void *) {
  if (fake.callback || fake.isTaken)
    return cuptiMultipleSubscribers;
  fake.callback = callback;
  *subscriber = &fake;
  return 0;
}
int cuptiUnsubscribe(void *subscriber) {
  if (subscriber != &fake)
    return invalidParameter;
  fake.callback = nullptr;
  fake.enabled.clear();
  return 0;
}
/// As that of CUDA 12: it does not know the newest calls.
int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t function) {
  if (subscriber != &fake || (function > 500 && domain == cuptiRuntime))
    return invalidParameter;
  if (enable)
    fake.enabled.insert({domain, function});
  return 0;
}
int cuptiActivityRegisterCallbacks(CuptiBufferRequested requested, CuptiBufferCompleted completed) {
  fake.requested = requested;
  fake.completed = completed;
  return 0;
}
int cuptiActivityEnable(uint32_t kind) {
  fake.isRecording |= kind == cuptiConcurrentKernel;
  return kind == cuptiConcurrentKernel ? 0 : invalidParameter;
}
int cuptiActivityDisable(uint32_t) {
  fake.isRecording = false;
  return 0;
}
int cuptiActivityFlushAll(uint32_t) {
  if (fake.records.empty())
    return 0;
  uint8_t *buffer = nullptr;
  size_t bytes = 0, maxRecords = 0, valid = fake.records.size() * sizeof(Record);
  fake.requested(&buffer, &bytes, &maxRecords);
  if (valid > bytes)
    return invalidParameter;
  std::memcpy(buffer, fake.records.data(), valid);
  fake.records.clear();
  fake.completed(nullptr, 0, buffer, bytes, valid);
  return 0;
}
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBytes, const void **record) {
  const uint8_t *next = *record ? static_cast<const uint8_t *>(*record) + sizeof(Record) : buffer;
  if (next + sizeof(Record) > buffer + validBytes)
    return 12; // no more
  *record = next;
  return 0;
}
/// The address of a node is its number.
int cuptiGetGraphNodeId(void *node, uint64_t *number) {
  *number = reinterpret_cast<uint64_t>(node);
  return node ? 0 : invalidParameter;
}
int cuptiGetResultString(int status, const char **text) {
  *text = status == invalidParameter ? "CUPTI_ERROR_INVALID_PARAMETER" : nullptr;
  return 0;
}

/// Another tool has CUPTI.
void fakeCuptiTake(bool isTaken) { fake.isTaken = isTaken; }
/// A call of NVTX.
void fakeCuptiRange(uint32_t function, const void *parameter) {
  NvtxCall call{"", &parameter, nullptr};
  if (fake.callback && fake.enabled.contains({cuptiNvtx, function}))
    fake.callback(nullptr, cuptiNvtx, function, &call);
}
/// A node of a graph is made, or copied.
void fakeCuptiGraphNode(uint32_t function, uint64_t number, uint64_t original) {
  CuptiGraphNode node{nullptr, nullptr, reinterpret_cast<void *>(number), reinterpret_cast<void *>(original)};
  CuptiResource resource{nullptr, nullptr, &node};
  if (fake.callback && fake.enabled.contains({cuptiResource, function}))
    fake.callback(nullptr, cuptiResource, function, &resource);
}
/// A call from `context`, and the kernels that come of it; of a graph, the numbers of their nodes follow each other from `graphNode` on.
void fakeCuptiLaunch(uint32_t domain, uint32_t function, uint32_t number, void *context, const char *kernel,
                     uint32_t device, uint64_t nanoseconds, int kernelCount, uint64_t graphNode) {
  if (fake.callback && fake.enabled.contains({domain, function}))
    for (int32_t site : {0, 1}) {
      CuptiCall call{};
      call.site = site;
      call.context = context;
      call.correlation = number;
      fake.callback(nullptr, domain, function, &call);
    }
  for (int index = 0; index < kernelCount && fake.isRecording; ++index) {
    Record record{};
    record.kernel.kind = cuptiConcurrentKernel;
    record.kernel.begin = 1000;
    record.kernel.end = 1000 + nanoseconds;
    record.kernel.device = device;
    record.kernel.stream = 7;
    record.kernel.correlation = number;
    record.kernel.graphNode = graphNode ? graphNode + uint64_t(index) : 0;
    record.kernel.name = fake.names.emplace_back(kernel).c_str();
    fake.records.push_back(record);
  }
}
}
#pragma GCC visibility pop
