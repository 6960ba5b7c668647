#include "runtime/host/Report.h"

#include <cstdarg>
#include <cstdio>

namespace triton::runtime {

static thread_local Failures *current = nullptr;

ReportTo::ReportTo(Failures &failures) : before(current) { current = &failures; }
ReportTo::~ReportTo() { current = before; }

void Failures::add(const char *text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!failed.exchange(true))
    first = text;
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

extern "C" void triton_kernel_fail(const char *message) {
  if (triton::runtime::current)
    triton::runtime::current->add(message);
  else // called outside a launch, by code that was compiled ahead of time
    fprintf(stderr, "%s\n", message);
}
