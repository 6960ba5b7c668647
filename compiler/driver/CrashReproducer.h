// Saves what a crash of the compiler was about: while one lives, a crash of its thread first writes the reproducer to standard error, and then
// goes on as it would have without.
// The text is made before, so that the crash itself only writes. Signals are handled only while one lives, and whoever handled them before gets
// them next.
#pragma once

#include <string>

namespace triton::driver {

class CrashReproducer {
public:
  explicit CrashReproducer(std::string text);
  CrashReproducer(const CrashReproducer &) = delete;
  ~CrashReproducer();

private:
  std::string text;
  const CrashReproducer *outer;
  friend struct CrashHandler;
};

} // namespace triton::driver
