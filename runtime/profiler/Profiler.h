// The sessions of this process, and where each thread stands in the program.
//   In:  scopes that threads enter and leave, launches, times of kernels.
//   Out: a file per session.
// Scopes are a thread's own and count for all sessions that are active; a kernel belongs to the scopes of the thread that launched it, at the
// time of the launch.
#pragma once

#include "runtime/profiler/Session.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <optional>

namespace triton::runtime::profiler {

using Metrics = llvm::ArrayRef<std::pair<std::string, double>>;

/// `libraries`: where CUPTI may be, tried in this order. Starting a session again that is there, with the same options, activates it.
llvm::Expected<int> start(SessionOptions options, llvm::ArrayRef<std::string> libraries = {});
llvm::Error setActive(int session, bool isActive);
/// Sessions that have been started and not ended, oldest first.
std::vector<int> sessions();
/// Waits for what was launched, writes `path` and forgets the session.
llvm::Error finish(int session, const std::string &path);

enum class ScopeKind : uint8_t {
  Scope,
  TimedScope, // the time that the thread spends in it becomes the metric `cpu_time (ns)`
  Operation,  // a launch: kernels in it go by its name
  Range,      // of a library that knows nothing of scopes (NVTX): it need not nest with them
};
void enterScope(llvm::StringRef name, Metrics metrics, ScopeKind kind);
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
  ContextNode *node;
  bool isOperation;
};
using Places = std::vector<Place>;
/// Where kernels that this thread launches now belong: one place for each active session that has its times from `source`.
Places placesOf(Source source);

struct KernelTime {
  llvm::StringRef name;
  DeviceId device;
  uint64_t track = 0;                  // its stream, or the thread
  uint64_t begin = 0, nanoseconds = 0; // since 1970; how long
};
void addKernel(const Places &places, const KernelTime &time);

/// Whether a session is active that measures the host's launches.
extern std::atomic<bool> measuresHost;
/// Measures a launch on the host, from here until it is destroyed.
class HostLaunch {
public:
  explicit HostLaunch(llvm::StringRef name);
  ~HostLaunch();
  HostLaunch(const HostLaunch &) = delete;

private:
  const std::string name;
  const Places places;
  const uint64_t begin, beginSteady;
};

} // namespace triton::runtime::profiler
