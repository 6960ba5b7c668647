// The sessions of this process, and where each thread stands in the program.
//   In:  scopes that threads enter and leave, launches, times of kernels.
//   Out: a file per session.
// Scopes are a thread's own and count for all sessions that are active; a kernel belongs to the scopes of the thread that launched it, at the
// time of the launch.
#pragma once

#include "runtime/profiler/KernelRecords.h"
#include "runtime/profiler/Session.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <optional>

namespace triton::runtime::profiler {

using Metrics = llvm::ArrayRef<Metric>;

/// `libraries`: where CUPTI may be, tried in this order. Starting a session again that is there, with the same options, activates it.
llvm::Expected<int> start(SessionOptions options, llvm::ArrayRef<std::string> libraries = {});
llvm::Error setActive(int session, bool isActive);
/// Sessions that have been started and not ended, oldest first.
std::vector<int> sessions();
/// Waits for what was launched, writes the current phase to `path` and forgets the session.
llvm::Error finish(int session, const std::string &path, Format format);

// Phases: what was measured can be read, and forgotten, while a session goes on.
/// Waits for what was launched. Phases that have ended are complete then.
llvm::Error flush(int session);
/// Ends the current phase; gives the number of the next one.
llvm::Expected<int> advancePhase(int session);
/// Whether a phase has ended, and nothing launched in it is still to be measured.
llvm::Expected<bool> isPhaseComplete(int session, int phase);
/// Forgets what was measured in a phase, or in all up to it.
llvm::Error clearPhase(int session, int phase, bool upTo);
/// What `finish` would write of a phase.
llvm::Expected<std::string> phaseData(int session, int phase, Format format);

/// How many scopes (and, where the session looks at them, functions of the host language) this thread is in.
llvm::Expected<int> contextDepth(int session);

enum class ScopeKind : uint8_t {
  Scope,
  TimedScope, // the time that the thread spends in it becomes the metric `cpu_time (ns)`
  Operation,  // a launch: kernels in it go by its name
  Range,      // of a library that knows nothing of scopes (NVTX): it need not nest with them
};
/// Fails, and enters nothing, where a metric has another type than before. `id`: a number that the program knows the scope by; 0: none.
llvm::Error enterScope(llvm::StringRef name, Metrics metrics, ScopeKind kind, uint64_t id = 0);
/// To the scope of this thread that has this number; does nothing if there is none.
llvm::Error addMetrics(uint64_t id, Metrics metrics);
/// Leaves the scope that was entered last. With a name, fails if that was another one; then nothing is left.
llvm::Error leaveScope(std::optional<llvm::StringRef> name, Metrics metrics);
/// Leaves the operation that was entered last, if it was not left already.
void leaveOperation();
/// Leaves the range that was entered last, if there is one.
void leaveRange();
/// A mark that kernels of this thread get below all its scopes, and the one they had before; empty: none.
std::string setMark(std::string name);

/// The functions of the host language that are running on this thread, outermost first; null: there is none.
using StackReader = std::vector<std::string> (*)();
void setStackReader(StackReader reader);

/// A node of a session; kernels of an operation are counted in it, others in a child of their name.
struct Place {
  std::shared_ptr<Session> session;
  std::shared_ptr<Phase> phase;
  ContextNode *node;
  bool isOperation;
  std::vector<std::string> path; // of the node, for traces: "ROOT", its scopes
};
using Places = std::vector<Place>;
/// Where kernels that this thread launches now belong: one place for each active session that has its times from `source`.
Places placesOf(Source source);

/// Where a thread stands while it records a launch in a graph: for each active session the names on the way from the root, which it does not make
/// a part of its tree.
struct Captured {
  std::shared_ptr<Session> session;
  std::vector<std::string> path;
  bool isOperation;
};
std::vector<Captured> capturedIn(Source source);
/// Where the kernels of a graph's node belong: below the places where the graph is launched and, under "<captured_at>", where the node was recorded.
/// Nowhere in sessions that were not active then.
Places placesOfNode(const Places &launch, llvm::ArrayRef<Captured> captured);

struct KernelTime {
  llvm::StringRef name;
  DeviceId device;
  uint64_t track = 0;                  // its stream, or the thread
  uint64_t begin = 0, nanoseconds = 0; // since 1970; how long
};
void addKernel(const Places &places, const KernelTime &time);
/// What kernels note of themselves; `kernel` is the one's name.
void addRecords(const Places &places, llvm::StringRef kernel, const KernelRecords &records);

/// Whether a session is active that measures the host's launches, or wants to know what kernels note of themselves.
extern std::atomic<bool> measuresHost;
/// Measures a launch on the host, from here until it is destroyed. `takesNotes`: what the kernel notes of itself comes by `recorder`, not by another way.
class HostLaunch {
public:
  explicit HostLaunch(llvm::StringRef name, bool takesNotes = true);
  ~HostLaunch();
  HostLaunch(const HostLaunch &) = delete;
  /// Where the kernel notes its scopes; null: nobody asks.
  HostRecorder *recorder() { return recordPlaces.empty() ? nullptr : &itsRecorder; }

private:
  const std::string name;
  const Places places, recordPlaces;
  HostRecorder itsRecorder;
  const uint64_t begin, beginSteady;
};

} // namespace triton::runtime::profiler
