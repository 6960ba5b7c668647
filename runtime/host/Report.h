// What running kernels say: lines printed by device_print, and failed assertions.
//   In:  calls from generated code, of `printf` and of `triton_assert_failed`.
//   Out: lines on standard output; the first failure of a launch as its error.
// Generated code may call these from any thread. A failed assertion ends no thread: programs not yet started are skipped, and
// the launch fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

extern "C" {
/// What loaded code calls as `printf`. A call's text comes out in one piece, before anything the launch's caller prints.
int triton_kernel_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Notes that an assertion failed in program (x, y, z). `message` begins with the place: "kernel.py:12: n must be even".
void triton_assert_failed(const char *message, int32_t x, int32_t y, int32_t z);
}

namespace triton::runtime {

/// The failures of one launch.
class Failures {
public:
  /// The first one wins; the others are most often its consequences.
  void add(std::string text);
  bool any() const { return failed.load(std::memory_order_relaxed); }
  std::string message() const;

private:
  std::atomic<bool> failed{false};
  mutable std::mutex mutex;
  std::string first;
};

/// While it lives, what generated code reports on this thread goes to `failures`.
class ReportTo {
public:
  explicit ReportTo(Failures &failures);
  ~ReportTo();

private:
  Failures *before;
};

} // namespace triton::runtime
