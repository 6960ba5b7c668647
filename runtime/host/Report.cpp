#include "runtime/host/Report.h"

#include "runtime/profiler/KernelRecords.h"

#include <cstdarg>
#include <cstdio>

namespace triton::runtime {

static thread_local Failures *current = nullptr;

ReportTo::ReportTo(Failures &failures) : before(current) { current = &failures; }
ReportTo::~ReportTo() { current = before; }

void Failures::add(std::string text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!failed.exchange(true))
    first = std::move(text);
}

std::string Failures::message() const {
  std::lock_guard<std::mutex> lock(mutex);
  return first;
}

} // namespace triton::runtime

extern "C" int triton_kernel_print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vprintf(format, arguments);
  va_end(arguments);
  // A kernel's lines must not come after what its caller prints by other means.
  fflush(stdout);
  return written;
}

extern "C" void triton_assert_failed(const char *message, int32_t x, int32_t y, int32_t z) {
  std::string text = std::string(message) + " (device-side assertion failed in program " + std::to_string(x) + ", " +
                     std::to_string(y) + ", " + std::to_string(z) + ")";
  if (triton::runtime::current)
    triton::runtime::current->add(std::move(text));
  else // the code was not called by a launch
    fprintf(stderr, "%s\n", text.c_str());
}

extern "C" void triton_record(const char *scope, int32_t isStart, int32_t x, int32_t y, int32_t z) {
  triton::runtime::Failures *launch = triton::runtime::current;
  if (!launch || !launch->recorder)
    return;
  uint64_t program = uint64_t(uint32_t(x)) | uint64_t(uint16_t(y)) << 32 | uint64_t(uint16_t(z)) << 48;
  launch->recorder->record(scope, isStart != 0, program);
}
