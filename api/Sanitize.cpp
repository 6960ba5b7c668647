#include <triton/sanitize.h>

#include "runtime/host/CheckedLaunch.h"

#include "llvm/ADT/StringExtras.h"

namespace triton {

struct CheckedLaunch::State {
  explicit State(AccessChecker::Options options) : checker(options), launch(checker) {}
  AccessChecker checker;
  runtime::CheckedLaunch launch;
};

namespace {
struct ElementInfo {
  const char *name;
  unsigned bytes;
};
} // namespace

/// In the order of DataType.
static constexpr ElementInfo elements[] = {
    {"int1", 1},       {"int8", 1},        {"int16", 2},   {"int32", 4},    {"int64", 8},       {"uint8", 1},
    {"uint16", 2},     {"uint32", 4},      {"uint64", 8},  {"float8e5", 1}, {"float8e5b16", 1}, {"float8e4nv", 1},
    {"float8e4b8", 1}, {"float8e4b15", 1}, {"float16", 2}, {"bfloat16", 2}, {"float32", 4},     {"float64", 8}};
static_assert(std::size(elements) == size_t(DataType::Float64) + 1);

CheckedLaunch::CheckedLaunch(bool address, bool race)
    : state(std::make_unique<State>(AccessChecker::Options{address, race})) {}
CheckedLaunch::~CheckedLaunch() = default;

void CheckedLaunch::add(std::string name, const void *data, DataType element, std::vector<int64_t> shape,
                        std::vector<int64_t> strides) {
  if (strides.empty()) {
    strides.assign(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
  }
  std::string extents = llvm::join(llvm::map_range(shape, [](int64_t extent) { return std::to_string(extent); }), ", ");
  const ElementInfo &info = elements[size_t(element)];
  std::string type = std::string(info.name) + "[" + extents + "]";
  state->checker.add({std::move(name), std::move(type), reinterpret_cast<uint64_t>(data), info.bytes,
                      llvm::SmallVector<int64_t>(shape.begin(), shape.end()),
                      llvm::SmallVector<int64_t>(strides.begin(), strides.end())});
}

void CheckedLaunch::poison(void *data, uint64_t bytes) { AccessChecker::poison(data, bytes); }

} // namespace triton
