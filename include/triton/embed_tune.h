// Tuning for host languages: measuring, and results that are kept for every language.
#pragma once

#include <triton/embed.h>

namespace triton::embed {

/// How much to spend on a measurement, in milliseconds: on calls that do not count, and on those that do; or how many of these there are.
struct MeasurePlan {
  double warmup = 25, milliseconds = 100;
  size_t repetitions = 0;
};

/// What is measured, and on a device the clock that looks on. Each answers false where something failed, which ends the measurement.
class TRITON_EXPORT Measured {
public:
  virtual ~Measured();
  virtual bool call() = 0;
  virtual bool prepare() { return true; } // before each call that counts, outside of its time
  /// Whether calls only queue work, so that the time is taken by the rest; else they are done when they return, and this process's clock is looked at.
  virtual bool isQueued() const { return false; }
  virtual bool clearCache() { return true; }
  virtual bool mark(size_t) { return false; } // in the order of the work
  virtual bool wait() { return true; }        // until all marks have been passed
  virtual bool milliseconds(size_t, size_t, double &) { return false; }
};

/// The milliseconds of each call that counts; nullopt if something failed.
TRITON_EXPORT std::optional<std::vector<double>> measure(Measured &measured, const MeasurePlan &plan);
/// Fractions from 0 to 1, by linear interpolation between neighbours; of at least one number.
TRITON_EXPORT std::vector<double> quantiles(const std::vector<double> &numbers, const std::vector<double> &fractions);

/// Which configuration of a kernel is the fastest, and what was found out about it, as dispatch/tune/KeptTuning.h has them. Questions and configurations are JSON objects.
struct KeptTuning {
  struct Timing {
    std::string config;
    std::vector<double> milliseconds; // median first; infinite where it failed
  };
  std::vector<Timing> timings;
  std::string code; // digest of that of the fastest
};
/// The key of the answer, 64 hexadecimal digits, and the name of its file. Nullopt if it is no question.
TRITON_EXPORT std::optional<std::string> tuningHash(const std::string &question);
TRITON_EXPORT std::string tuningFile(const std::string &kernel);
/// For each configuration the first that has the same code, which may be itself.
TRITON_EXPORT std::vector<size_t> representatives(const std::string &question);
TRITON_EXPORT std::optional<std::string>
describeTuning(const std::string &question, const std::vector<std::vector<double>> &timings, const std::string &code);
TRITON_EXPORT std::optional<KeptTuning> readTuning(const std::string &text);
/// Of an object file or a cubin, whether or not lines of the source are in it.
TRITON_EXPORT std::string codeDigest(std::string_view code);
/// What times on a device of "cpu" or "cuda" depend on.
TRITON_EXPORT Result<std::string> deviceModel(const std::string &backend, int device);

} // namespace triton::embed
