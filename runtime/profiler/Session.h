// One measurement of a program, from its start to its file.
#pragma once

#include "runtime/profiler/ContextTree.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace triton::runtime::profiler {

/// Who measures kernels: the host's launches, or NVIDIA's CUPTI.
enum class Source : uint8_t { Host, Cupti };

struct SessionOptions {
  std::string name; // of the file, without its suffix
  Source source = Source::Host;
  bool hasStacks = false;     // contexts begin with the functions of the host language that are running
  bool hasOperations = false; // launches appear under the names that the program gives them
  bool isTrace = false;       // every kernel and scope with its time, instead of sums
  bool operator==(const SessionOptions &other) const = default;
};

struct TraceEvent {
  std::string name, category;
  std::string process;                 // "CUDA 0", "host"
  uint64_t track = 0;                  // a stream, or a thread
  uint64_t begin = 0, nanoseconds = 0; // since 1970; how long
};

struct Session {
  explicit Session(SessionOptions options) : options(std::move(options)) {}
  const SessionOptions options;
  bool isActive = true;
  ContextNode root{"ROOT"};
  std::set<DeviceId> devices;
  std::vector<TraceEvent> events;
};

/// The tree as hatchet reads it: a list of the root and of what is known about the devices.
void writeHatchet(const Session &session, llvm::raw_ostream &stream);
/// For chrome://tracing, Perfetto and others.
void writeChromeTrace(const Session &session, llvm::raw_ostream &stream);

} // namespace triton::runtime::profiler
