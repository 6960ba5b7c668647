// What host languages are told of tools and layouts for GPUs where CMake is told TRITON_CUDA=OFF: that there are none. Otherwise Toolkit.cpp and GluonLayouts.cpp.
#include "triton/embed.h"
#include "triton/embed_layouts.h"

namespace triton::embed {

static Error noGpus() { return {"RuntimeError", "this build has no targets for GPUs (TRITON_CUDA=OFF)"}; }

Result<std::string> findToolkit(const Options &) { return noGpus(); }
std::string findTool(std::string_view, const std::vector<std::string> &) { return {}; }
Result<std::string> toolVersion(const std::string &, const std::string &) { return noGpus(); }
unsigned ptxVersionOf(std::string_view) { return 0; }

Value layoutClasses() { return Value::tuple({}); }
Value layoutFunctions() { return Value::tuple({}); }
Result<std::vector<Value>> makeLayout(std::string_view, const std::vector<Value> &) { return noGpus(); }
Result<Value> layoutProperty(std::string_view, const std::vector<Value> &, std::string_view) { return noGpus(); }
Result<std::string> layoutSymbol(std::string_view, const std::vector<Value> &) { return noGpus(); }
Result<Value> callLayoutFunction(std::string_view, std::string_view, const std::vector<Value> &) { return noGpus(); }

} // namespace triton::embed
