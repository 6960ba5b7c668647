#include "compiler/support/ChildProcess.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace triton {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Its process id, or the error's number as a negative one.
static pid_t start(llvm::ArrayRef<std::string> command, const ChildOptions &options) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  llvm::scope_exit destroyFiles([&] { posix_spawn_file_actions_destroy(&files); });
  auto open = [&](int descriptor, const std::string &path) {
    posix_spawn_file_actions_addopen(&files, descriptor, path.empty() ? "/dev/null" : path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
  };
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  open(STDOUT_FILENO, options.output);
  if (options.errors == options.output)
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  else
    open(STDERR_FILENO, options.errors);

  // Hosts ignore or block signals for their own sake: Python ignores SIGPIPE, thread pools block everything.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  llvm::scope_exit destroyAttributes([&] { posix_spawnattr_destroy(&attributes); });
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGCHLD);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  llvm::SmallVector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int error = posix_spawn(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  return error ? -error : child;
}

/// How it ended, once it has.
static std::optional<ChildEnd> reap(pid_t child, int flags) {
  int status = 0;
  pid_t ended;
  do
    ended = waitpid(child, &status, flags);
  while (ended < 0 && errno == EINTR);
  if (ended == 0)
    return std::nullopt;
  if (ended < 0)
    return ChildEnd{ChildEnd::How::Unknown, 0, "its exit status is unknown: " + std::string(std::strerror(errno))};
  if (WIFSIGNALED(status))
    return ChildEnd{ChildEnd::How::Killed, WTERMSIG(status), std::string("ended by: ") + strsignal(WTERMSIG(status))};
  int code = WEXITSTATUS(status);
  return ChildEnd{ChildEnd::How::Exited, code, code ? "exit code " + std::to_string(code) : ""};
}

/// How it ended, unless it runs until `deadline`. The descriptor of the process, where the kernel gives one, becomes readable at its end; otherwise
/// one looks at longer and longer intervals.
static std::optional<ChildEnd> waitUntil(pid_t child, int descriptor, Clock::time_point deadline) {
  for (milliseconds interval{1};; interval = std::min(2 * interval, milliseconds(50))) {
    if (auto end = reap(child, WNOHANG))
      return end;
    auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0))
      return std::nullopt;
    if (descriptor < 0) {
      std::this_thread::sleep_for(std::min(interval, left));
      continue;
    }
    pollfd event{descriptor, POLLIN, 0};
    poll(&event, 1, static_cast<int>(std::min(left, milliseconds(1'000'000)).count()));
  }
}

ChildEnd runChild(llvm::ArrayRef<std::string> command, const ChildOptions &options) {
  pid_t child = start(command, options);
  if (child < 0)
    return {ChildEnd::How::NotStarted, 0, "cannot be started: " + std::string(std::strerror(-child))};
  int descriptor = -1;
#ifdef SYS_pidfd_open
  descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
#endif
  llvm::scope_exit close([&] {
    if (descriptor >= 0)
      ::close(descriptor);
  });
  auto giveUp = [&](ChildEnd::How how, std::string problem) {
    kill(child, SIGKILL);
    reap(child, 0);
    return ChildEnd{how, 0, std::move(problem)};
  };
  constexpr auto never = Clock::time_point::max();
  const Clock::time_point begin = Clock::now();
  auto after = [&](milliseconds time) { return time > milliseconds(0) ? begin + time : never; };
  const Clock::time_point end = after(options.limit);
  Clock::time_point impatient = options.impatient ? after(options.patience) : never;
  while (options.interruption || std::min(end, impatient) != never) {
    const Clock::time_point look = options.interruption ? Clock::now() + milliseconds(50) : never;
    if (auto ended = waitUntil(child, descriptor, std::min({end, impatient, look})))
      return *ended;
    if (options.interruption && options.interruption->ask())
      return giveUp(ChildEnd::How::Interrupted, "interrupted");
    const Clock::time_point now = Clock::now();
    if (now >= end)
      return giveUp(ChildEnd::How::OutOfTime, "still running after " + std::to_string(options.limit.count()) + " ms");
    if (now >= impatient) {
      options.impatient();
      impatient = never;
    }
  }
  return *reap(child, 0);
}

} // namespace triton
