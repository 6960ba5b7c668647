// Measuring kernels, for host languages: sessions, and the scopes of the calling thread.
//   In:  scopes as a program enters and leaves them; kernels measure themselves.
//   Out: a file per session, of sums by scope and kernel, or of every launch with its time.
#pragma once

#include <triton/embed.h>

#include <span>

namespace triton::embed {

using ProfilerMetrics = std::span<const std::pair<std::string, double>>;

struct ProfilerOptions {
  std::string name;           // one session for each
  bool usesCupti = false;     // kernels of NVIDIA GPUs, from CUPTI; otherwise launches on the CPU
  bool hasStacks = false;     // contexts begin with the host language's functions
  bool hasOperations = false; // kernels go by the names of operations
  bool isTrace = false;       // every kernel with its time, instead of sums
};

enum class ProfilerScope {
  Plain,
  Timed,    // with the time that the thread spends in it
  Operation // one launch
};

/// `libraries`: where CUPTI may be. A session of this name that is there, with the same options, is activated.
TRITON_EXPORT Result<int> profilerStart(const ProfilerOptions &options, const std::vector<std::string> &libraries);
TRITON_EXPORT std::optional<Error> profilerSetActive(int session, bool isActive);
/// Those that have been started and not finished, oldest first.
TRITON_EXPORT std::vector<int> profilerSessions();
/// Waits for kernels that run, writes the file and ends the session.
TRITON_EXPORT std::optional<Error> profilerFinish(int session, const std::string &path);
TRITON_EXPORT void profilerEnter(std::string_view name, ProfilerMetrics metrics, ProfilerScope kind);
/// What was entered last; with a name, an error if that was another.
TRITON_EXPORT std::optional<Error> profilerLeave(std::optional<std::string_view> name, ProfilerMetrics metrics);
TRITON_EXPORT void profilerLeaveOperation();
/// A mark below all scopes of this thread; gives the one before it. Empty: none.
TRITON_EXPORT std::string profilerSetMark(std::string name);
/// CUPTI's library, if a session needed it; else empty.
TRITON_EXPORT std::string profilerCuptiLibrary();
/// Gives the functions that are running on the calling thread, outermost first. Called from any thread, also without the host language's lock.
TRITON_EXPORT void profilerSetStackReader(std::vector<std::string> (*reader)());

} // namespace triton::embed
