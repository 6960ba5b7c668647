// Measuring kernels, for host languages: sessions, and the scopes of the calling thread.
//   In:  scopes as a program enters and leaves them; kernels measure themselves.
//   Out: a file per session, of sums by scope and kernel, or of every launch with its time.
#pragma once

#include <triton/embed.h>

#include <span>

namespace triton::embed {

using ProfilerValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;
/// "flops"; "a (exc)" counts for its scope alone, "a (pty)" is set and not added up.
using ProfilerMetrics = std::span<const std::pair<std::string, ProfilerValue>>;

/// How a file is written: "hatchet", "hatchet_msgpack", "chrome_trace".
using ProfilerFormat = const std::string &;

struct ProfilerOptions {
  std::string name; // one session for each
  std::string
      source; // who measures: "cpu" launches there, "cupti" all kernels of NVIDIA GPUs, "instrumentation" kernels themselves
  std::string mode;           // how it measures: one for all sessions of a source
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
/// Waits for kernels that run, writes the current phase to a file and ends the session.
TRITON_EXPORT std::optional<Error> profilerFinish(int session, const std::string &path, ProfilerFormat format);
/// Waits for kernels that run: phases that have ended are complete then.
TRITON_EXPORT std::optional<Error> profilerFlush(int session);
/// Ends the current phase; gives the number of the next.
TRITON_EXPORT Result<int> profilerAdvancePhase(int session);
TRITON_EXPORT Result<bool> profilerIsPhaseComplete(int session, int phase);
/// Forgets what was measured in a phase, or in all up to it.
TRITON_EXPORT std::optional<Error> profilerClear(int session, int phase, bool upTo);
TRITON_EXPORT Result<std::string> profilerData(int session, int phase, ProfilerFormat format);
/// How many scopes the calling thread is in, as the session sees it.
TRITON_EXPORT Result<int> profilerDepth(int session);
/// The bytes at an address of the host or of the GPU that this thread works with, once what was launched there has ended.
TRITON_EXPORT Result<std::string> profilerReadMemory(uint64_t address, size_t bytes);
/// `id`: a number by which metrics can be added later; 0: none.
TRITON_EXPORT std::optional<Error> profilerEnter(std::string_view name, ProfilerMetrics metrics, ProfilerScope kind,
                                                 uint64_t id = 0);
TRITON_EXPORT std::optional<Error> profilerAddMetrics(uint64_t id, ProfilerMetrics metrics);
/// What was entered last; with a name, an error if that was another.
TRITON_EXPORT std::optional<Error> profilerLeave(std::optional<std::string_view> name, ProfilerMetrics metrics);
TRITON_EXPORT void profilerLeaveOperation();
/// A mark below all scopes of this thread; gives the one before it. Empty: none.
TRITON_EXPORT std::string profilerSetMark(std::string name);
/// CUPTI's library, if a session needed it; else empty.
TRITON_EXPORT std::string profilerCuptiLibrary();
/// What a kernel noted of itself in a buffer of a GPU (runtime/profiler/KernelRecords.h says how), for the place the calling thread is in.
struct ProfilerRecords {
  std::string kernel;
  std::vector<std::string> scopes;
  uint32_t sliceBytes = 0;     // of one CTA
  std::vector<uint32_t> units; // the warps that write
  bool is32Bit = false;        // cycles are cut to 32 bits
  double nanosecondsPerCycle = 1;
};
TRITON_EXPORT std::optional<Error> profilerAddRecords(const ProfilerRecords &records, std::span<const uint8_t> buffer);
/// Gives the functions that are running on the calling thread, outermost first. Called from any thread, also without the host language's lock.
TRITON_EXPORT void profilerSetStackReader(std::vector<std::string> (*reader)());

} // namespace triton::embed
