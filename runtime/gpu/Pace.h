// Whether a stream's GPU keeps up with the launches of this thread: then the host is what limits the program.
//   In:  launches on a stream, counted as they are made.
//   Out: an answer that is looked up again every `period` launches, by an event that must have passed `distance` launches later.
#pragma once

#include "runtime/driver/DriverApi.h"

namespace triton::runtime::gpu {

class Pace {
public:
  /// A launch that has just been made is done some 5 us later, the time of two or three launches: so many may be on their way on a GPU that waits.
  static constexpr uint32_t period = 64, distance = 4;

  /// That of the calling thread.
  static Pace &of(ContextHandle context, StreamHandle stream);

  Pace(ContextHandle context, StreamHandle stream) : context(context), stream(stream) {}
  ~Pace();
  Pace(const Pace &) = delete;

  /// Counts a launch that is about to be made; the context is current. Whether the GPU had done what came before, when it was last looked at. Streams that are being
  /// captured are left alone: false.
  bool isGpuWaiting(const DriverApi &api) {
    uint32_t position = count++ % period;
    if (position == 0)
      mark(api);
    else if (position == distance)
      look(api);
    return isWaiting;
  }

private:
  void mark(const DriverApi &api);
  void look(const DriverApi &api);

  const ContextHandle context;
  const StreamHandle stream;
  EventHandle event = nullptr;
  uint32_t count = 0;
  bool isMarked = false, isWaiting = false;
};

/// Whether launches on the stream become part of a graph; also if the driver does not say.
bool isCaptured(const DriverApi &api, StreamHandle stream);

} // namespace triton::runtime::gpu
