// What running kernels say: lines printed by device_print, failed assertions, and the scopes that they are in.
//   In:  calls from generated code, of `printf`, `triton_assert_failed` and `triton_record`.
//   Out: lines on standard output; the first failure of a launch as its error; scopes, for the profiler.
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
/// Program (x, y, z) enters or leaves a scope of its kernel.
void triton_record(const char *scope, int32_t isStart, int32_t x, int32_t y, int32_t z);
}

namespace triton::runtime::profiler {
class HostRecorder;
}

namespace triton::runtime {

/// The failures of one launch.
class Failures {
public:
  explicit Failures(profiler::HostRecorder *recorder = nullptr) : recorder(recorder) {}
  /// Where the launch's scopes go; null: nobody asks for them.
  profiler::HostRecorder *const recorder;
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
