// Results of tuning, kept for the next process, whichever language that is written in.
//   In:  a question, as a JSON object: which of several configurations of a kernel is the fastest on this device for arguments of this key?
//          {"kernel": "add", "source": "def add(…): …", "backend": "cuda", "device": "NVIDIA H200; …", "key": [4096, "fp16"],
//           "configs": [{"kwargs": {"BLOCK": 64}, "num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": null, …}, …]}
//   Out: the name of the entry that holds the answer, and the text of the answer.
// An answer also says what code it was found for: whoever takes it compares that with what he compiles for the fastest configuration. So it need not be asked what
// the kernel depends on besides its own text: where that has changed, so has the code, and the answer is none.
// Needs the standard library alone: host languages call these too.
#pragma once

#include "dispatch/Problem.h"

#include <triton/export.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace triton::dispatch {

/// What was measured of one configuration.
struct ConfigTiming {
  std::string config;               // a JSON object
  std::vector<double> milliseconds; // median first; infinite where it failed
};

struct KeptTuning {
  std::vector<ConfigTiming> timings; // in the order of the question
  std::string code;                  // digest of that of the fastest
};

/// The key of the answer, 64 hexadecimal digits: of the question and of this build of the compiler. Nullopt if it is no JSON object.
TRITON_EXPORT std::optional<std::string> tuningHash(std::string_view question);
/// For each configuration the first that has the same code, which may be itself: compiling and measuring that one is enough. Empty if it is no question.
TRITON_EXPORT std::vector<size_t> representatives(std::string_view question);
/// The name of its file: `add.autotune.json`.
TRITON_EXPORT std::string tuningFile(std::string_view kernel);
/// The answer: {"key": …, "configs_timings": [[config, [milliseconds, …]], …], "code": …}. Nullopt if the question is no JSON object with as many configurations.
TRITON_EXPORT std::optional<std::string>
describeTuning(std::string_view question, std::span<const std::vector<double>> timings, std::string_view code);
/// The way back; nullopt if it is no such text.
TRITON_EXPORT std::optional<KeptTuning> readTuning(std::string_view text);

/// Of the parts of an object file, or a cubin, that run; of anything else as it is. Equal whether or not lines of the source are in it.
TRITON_EXPORT std::string codeDigest(std::string_view code);

/// What times depend on: the model of the GPU or of the processor, and how much of it there is.
TRITON_EXPORT std::variant<std::string, Problem> deviceModel(std::string_view backend, int device);

} // namespace triton::dispatch
