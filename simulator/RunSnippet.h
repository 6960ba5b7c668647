// Runs a snippet of PTX, for unit tests.
#pragma once

#include "simulator/machine/Machine.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace triton::simulator {

struct SnippetResult {
  std::vector<uint64_t> values; // one a thread
  std::vector<Finding> findings;
  std::string problem;

  std::string firstFinding() const {
    return findings.empty() ? problem : nameOf(findings[0].kind) + (": " + findings[0].message);
  }
};

struct Snippet {
  unsigned threads = 32;
  uint32_t sharedBytes = 1024;
  const char *target = "sm_90a";
  std::vector<uint64_t> inputs; // what the words are before; there may be more of them than threads
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t clusters = 1;
  uint64_t seed = 0;
  WatchSet watch;
  uint64_t bytes = 0; // of the values that the kernel may touch; 0: all
};

/// Runs `body` in each thread. %rd1 points at a word of 64 bits that is the thread's own, %rd2 at the first of them, %r1 is the thread's number in its CTA; what is in %rd9 at the
/// end comes back.
inline SnippetResult run(const std::string &body, const Snippet &snippet = {}) {
  std::string text =
      std::string(".version 9.0\n.target ") + snippet.target +
      "\n.address_size 64\n.extern .shared .align 128 .b8 shared[];\n"
      ".visible .entry kernel(.param .u64 p)\n{\n"
      ".reg .pred %p<9>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n"
      "ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
      "mad.lo.s32 %r2, %r2, %r3, %r1; mul.wide.u32 %rd1, %r2, 8; add.s64 %rd1, %rd1, %rd2; mov.b64 %rd9, 0;\n" +
      body + "\nst.global.b64 [%rd1], %rd9;\nret;\n}\n";
  Loaded loaded = load(text);
  SnippetResult result;
  result.problem = loaded.problem;
  if (!loaded.program)
    return result;
  result.values = snippet.inputs;
  result.values.resize(std::max(result.values.size(), size_t(snippet.threads) * snippet.cluster[0] * snippet.clusters));
  Launch launch;
  launch.kernel = loaded.program->find("kernel");
  launch.block = {snippet.threads, 1, 1};
  launch.grid = launch.cluster = snippet.cluster;
  launch.grid[0] *= snippet.clusters;
  launch.sharedBytes = snippet.sharedBytes;
  launch.seed = snippet.seed;
  launch.watch = snippet.watch;
  auto address = reinterpret_cast<uint64_t>(result.values.data());
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &address, 8);
  launch.memory = {{address, address + (snippet.bytes ? snippet.bytes : 8 * result.values.size()), "argument 0"}};
  Findings findings;
  Grid grid(*loaded.program, launch, findings);
  grid.run();
  result.findings = findings.take();
  return result;
}

} // namespace triton::simulator
