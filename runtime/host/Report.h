// What running kernels say: lines printed by device_print, and failed assertions.
//   In:  calls from generated code, of the two functions below by their names.
//   Out: lines on standard output; the first failure of a launch as its error.
// Generated code may call these from any thread. A failed assertion ends no thread: the kernel's own code returns from
// the program that failed, programs not yet started are skipped, and the launch fails.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

extern "C" {
/// As C's printf; a call's text comes out in one piece.
int triton_kernel_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Notes that an assertion failed. `message` is the whole text the user sees: message, file, line, function.
void triton_kernel_fail(const char *message);
}

namespace triton::runtime {

/// The failures of one launch.
class Failures {
public:
  /// The first one wins; the others are most often its consequences.
  void add(const char *text);
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
