#include "runtime/gpu/Pace.h"

#include "runtime/gpu/Driver.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace triton::runtime::gpu {

// Events of threads and streams that are gone, for the next that need one: threads end when no call of the driver is safe any more.
static std::mutex spareMutex;
static std::vector<std::pair<ContextHandle, EventHandle>> &spareEvents() {
  static auto *events = new std::vector<std::pair<ContextHandle, EventHandle>>;
  return *events;
}

static EventHandle takeEvent(const DriverApi &api, ContextHandle context) {
  {
    std::lock_guard lock(spareMutex);
    auto &events = spareEvents();
    auto found = std::find_if(events.begin(), events.end(), [&](const auto &entry) { return entry.first == context; });
    if (found != events.end()) {
      EventHandle event = found->second;
      events.erase(found);
      return event;
    }
  }
  EventHandle event = nullptr;
  DuringCapture scope(api); // of another stream
  return api.createEvent(&event, eventWithoutTime) == Success ? event : nullptr;
}

Pace::~Pace() {
  if (!event)
    return;
  std::lock_guard lock(spareMutex);
  spareEvents().emplace_back(context, event);
}

Pace &Pace::of(ContextHandle context, StreamHandle stream) {
  constexpr size_t limit = 32; // streams come and go
  static thread_local std::vector<std::unique_ptr<Pace>> known;
  for (size_t index = 0; index < known.size(); ++index)
    if (known[index]->stream == stream && known[index]->context == context) {
      std::rotate(known.begin(), known.begin() + ptrdiff_t(index), known.begin() + ptrdiff_t(index) + 1);
      return *known[0];
    }
  if (known.size() == limit)
    known.pop_back();
  known.insert(known.begin(), std::make_unique<Pace>(context, stream));
  return *known[0];
}

bool isCaptured(const DriverApi &api, StreamHandle stream) {
  int state = 0;
  return api.streamIsCapturing(stream, &state) != Success || state != captureStateNone;
}

void Pace::mark(const DriverApi &api) {
  isMarked = !isCaptured(api, stream) && (event || (event = takeEvent(api, context))) &&
             api.recordEvent(event, stream) == Success;
}

void Pace::look(const DriverApi &api) {
  DuringCapture scope(api); // of another stream, perhaps by another thread: the question is no part of it
  isWaiting = isMarked && api.queryEvent(event) == Success;
}

} // namespace triton::runtime::gpu
