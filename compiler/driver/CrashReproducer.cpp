#include "compiler/driver/CrashReproducer.h"

#include "compiler/support/ForkMutex.h"

#include <csignal>
#include <iterator>
#include <mutex>
#include <string_view>
#include <unistd.h>

namespace triton::driver {

static thread_local const CrashReproducer *volatile current = nullptr;
static ForkMutex mutex;
static unsigned alive = 0; // under `mutex`
static constexpr int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
static struct sigaction before[std::size(crashes)]; // what was in place when the first one came to life

struct CrashHandler {
  static void write(std::string_view text) {
    while (!text.empty()) {
      ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
      if (written <= 0)
        return;
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

  /// Only what may be done anywhere: it runs in the middle of whatever went wrong.
  static void run(int signal) {
    if (const CrashReproducer *reproducer = current) {
      current = nullptr;
      write("\n// The compiler crashed. What it was working on, for a report:\n");
      write(reproducer->text);
    }
    for (size_t index = 0; index < std::size(crashes); ++index)
      sigaction(crashes[index], &before[index], nullptr);
    raise(signal); // once this returns, whoever had the signal before
  }

  static void install() {
    for (size_t index = 0; index < std::size(crashes); ++index) {
      struct sigaction mine{};
      mine.sa_handler = run;
      mine.sa_flags = SA_ONSTACK;
      sigaction(crashes[index], &mine, &before[index]);
    }
  }

  static void remove() {
    for (size_t index = 0; index < std::size(crashes); ++index) {
      struct sigaction now{};
      sigaction(crashes[index], nullptr, &now);
      if (now.sa_handler == run) // unless somebody has come since, who knows of us
        sigaction(crashes[index], &before[index], nullptr);
    }
  }
};

CrashReproducer::CrashReproducer(std::string text) : text(std::move(text)), outer(current) {
  current = this;
  std::lock_guard lock(mutex);
  if (alive++ == 0)
    CrashHandler::install();
}

CrashReproducer::~CrashReproducer() {
  {
    std::lock_guard lock(mutex);
    if (--alive == 0)
      CrashHandler::remove();
  }
  current = outer;
}

} // namespace triton::driver
