// Results of tuning, kept for the next process, whichever language that is written in.
//   In:  a question, as a JSON object: which of several configurations of a kernel is the fastest on this device for arguments of this key?
//          {"kernel": "add", "source": "def add(…): …", "backend": "cuda", "device": "NVIDIA H200; …", "key": [4096, "fp16"],
//           "configs": [{"kwargs": {"BLOCK": 64}, "num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": null, …}, …]}
//   Out: the name of the entry that holds the answer, and the text of the answer.
// An answer also says what code it was found for: whoever takes it compares that with what he compiles for the fastest configuration. So it need not be asked what
// the kernel depends on besides its own text: where that has changed, so has the code, and the answer is none.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
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
std::optional<std::string> tuningHash(llvm::StringRef question);
/// For each configuration the first that has the same code, which may be itself: compiling and measuring that one is enough. Empty if it is no question.
std::vector<size_t> representatives(llvm::StringRef question);
/// The name of its file: `add.autotune.json`.
std::string tuningFile(llvm::StringRef kernel);
/// The answer: {"key": …, "configs_timings": [[config, [milliseconds, …]], …], "code": …}. Nullopt if the question is no JSON object with as many configurations.
std::optional<std::string> describeTuning(llvm::StringRef question, llvm::ArrayRef<std::vector<double>> timings,
                                          llvm::StringRef code);
/// The way back; nullopt if it is no such text.
std::optional<KeptTuning> readTuning(llvm::StringRef text);

/// Of the parts of an object file, or a cubin, that run; of anything else as it is. Equal whether or not lines of the source are in it.
std::string codeDigest(llvm::StringRef code);

/// What times depend on: the model of the GPU or of the processor, and how much of it there is.
llvm::Expected<std::string> deviceModel(llvm::StringRef backend, int device);

} // namespace triton::dispatch
