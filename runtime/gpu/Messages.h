// What kernels on AMD GPUs say: lines of device_print on standard output, failed assertions on standard error (compiler/support/KernelMessages.h).
//   In:  a buffer of the host's memory, which a launch gives to its kernel.
//   Out: its messages are written by a function that the stream calls behind the kernel: who waits for the stream has them. A failed assertion is an error of the next launch, or of the next call that waits.
// Buffers are used again, so a process has as many as launches that were under way at once, up to some 64; one that a captured launch has belongs to its graph for good.
#pragma once

#include "runtime/gpu/Driver.h"

#include <atomic>

namespace triton::runtime::gpu {

class MessageBuffer {
public:
  /// One that nobody writes to, for a launch on the stream, whose context is current. Waits for the stream where very many are in use. Null, and `status` the driver's, where there is none to be had. Drivers that are too old to have any give null and a success.
  static MessageBuffer *take(const DriverApi &api, StreamHandle stream, int &status);
  DevicePointer address() const { return reinterpret_cast<DevicePointer>(memory); }
  /// Behind what is queued on the stream. The driver's status.
  int readBehind(const DriverApi &api, StreamHandle stream);
  /// Of a kernel that is over, or never began; its failure is known.
  void readNow();

private:
  explicit MessageBuffer(void *memory) : memory(static_cast<std::byte *>(memory)) {}
  static MessageBuffer *takeUnused(bool &mayMakeMore);
  void giveBack();
  std::byte *const memory;
  bool isOfGraph = false;
};

/// Writes what a buffer holds and empties it; the first assertion that failed, or nothing.
std::optional<std::string> writeMessages(std::byte *buffer);

/// Whether a kernel has failed since the last `takeAssertion`. Cheap.
extern std::atomic<bool> assertionHasFailed;
std::optional<std::string> takeAssertion();

} // namespace triton::runtime::gpu
