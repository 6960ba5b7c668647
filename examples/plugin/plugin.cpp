// A plug-in with a pass and an operation. Build it with any C++ compiler:
//   c++ -std=c++17 -shared -fPIC -I <triton>/include plugin.cpp -o libexample.so
// and name it in TRITON_PLUGIN_PATHS (docs/how-to/write-a-plugin.md).
#include <triton/plugin.h>

#include <cstdlib>
#include <cstring>
#include <string>

static char *copyOf(const std::string &text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  return copy ? std::strcpy(copy, text.c_str()) : nullptr;
}

/// Turns every floating-point addition into a subtraction, or into the operation that its argument names.
static char *replaceAdditions(const char *module, const char *const *arguments, size_t count, char **error) {
  if (count > 1) {
    *error = copyOf("replace_additions takes one argument, got " + std::to_string(count));
    return nullptr;
  }
  const std::string old = "arith.addf", replacement = count == 1 ? arguments[0] : "arith.subf";
  std::string text = module;
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + replacement.size()))
    text.replace(at, old.size(), replacement);
  return copyOf(text);
}

static const triton_plugin_pass passes[] = {{"replace_additions", "1.0", replaceAdditions}};

/// x * y + x, elementwise.
static const triton_plugin_op ops[] = {{"multiply_and_keep", "def multiply_and_keep(x, y):\n    return x * y + x\n"}};

#ifndef MADE_FOR
#define MADE_FOR "3.9.0"
#endif

extern "C" __attribute__((visibility("default"))) const triton_plugin_info *tritonGetPluginInfo(void) {
  static const triton_plugin_info info = {TRITON_PLUGIN_API_VERSION, "example", "1.0", passes, 1, ops, 1, MADE_FOR};
  return &info;
}
