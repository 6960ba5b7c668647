// One measurement of a program, from its start to its file.
#pragma once

#include "runtime/profiler/ContextTree.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace triton::runtime::profiler {

/// Who measures: the host's launches, NVIDIA's CUPTI, or the kernels themselves.
enum class Source : uint8_t { Host, Cupti, Records };

struct SessionOptions {
  std::string name; // of the file, without its suffix
  Source source = Source::Host;
  std::string mode;           // how the source measures: sessions of one source have one mode
  bool hasStacks = false;     // contexts begin with the functions of the host language that are running
  bool hasOperations = false; // launches appear under the names that the program gives them
  bool isTrace = false;       // every kernel and scope with its time, instead of sums
  bool operator==(const SessionOptions &other) const = default;
};

struct TraceEvent {
  std::string name, category;
  std::string process, track;          // "CUDA 0" and a stream; "foo Core0 CTA1" and a warp
  uint64_t begin = 0, nanoseconds = 0; // since 1970, or since the first event; how long
  std::vector<std::string> callStack;  // outermost first
};

/// What is measured until the program asks for the next phase.
struct Phase {
  ContextNode root{"ROOT"};
  std::set<DeviceId> devices;
  std::set<std::string> inclusive; // metrics whose sums count for the nodes above as well
  std::vector<TraceEvent> events;
  bool isFlushed = false; // it has ended, and its kernels have been waited for
};

struct Session {
  explicit Session(SessionOptions options) : options(std::move(options)) {}
  const SessionOptions options;
  bool isActive = true;
  int currentPhase = 0;
  std::map<int, std::shared_ptr<Phase>> phases{{0, std::make_shared<Phase>()}}; // those that were not cleared
  std::vector<std::pair<std::string, MetricValue>> metricTypes;                 // by first use: a value of the type

  Phase &phase() { return *phases.at(currentPhase); }
};

/// How a phase is written: JSON or msgpack that hatchet reads, or events for chrome://tracing, Perfetto and others.
enum class Format : uint8_t { Hatchet, HatchetMsgpack, ChromeTrace };
void write(const Phase &phase, Format format, llvm::raw_ostream &stream);

} // namespace triton::runtime::profiler
