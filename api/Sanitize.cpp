// Checked launches of the C interface: which arrays there are, and what is wrong with a kernel's accesses to them.
#include <triton/c_sanitize.h>

#include "api/Arguments.h"
#include "runtime/host/CheckedLaunch.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton;

struct triton_checked_launch {
  explicit triton_checked_launch(AccessChecker::Options options) : checker(options), launch(checker) {}
  AccessChecker checker;
  runtime::CheckedLaunch launch;
};

/// Of a tensor whose elements lie one after another.
static llvm::SmallVector<int64_t> contiguousStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = int64_t(uint64_t(strides[dim]) * uint64_t(shape[dim]));
  return strides;
}

static llvm::Error add(triton_checked_launch &launch, const char *name, const void *data, int32_t type,
                       llvm::ArrayRef<int64_t> shape, llvm::SmallVector<int64_t> strides) {
  if (type < TRITON_INT1 || type > TRITON_FLOAT64)
    return failure("ValueError", "'" + std::string(name) + "' has the unknown type " + std::to_string(type));
  const dispatch::ScalarType element = scalarTypeOf(type);
  std::string extents = llvm::join(llvm::map_range(shape, [](int64_t extent) { return std::to_string(extent); }), ", ");
  launch.checker.add({name, std::string(dispatch::infoOf(element).alias) + "[" + extents + "]",
                      reinterpret_cast<uint64_t>(data), dispatch::bytesOf(element), llvm::SmallVector<int64_t>(shape),
                      std::move(strides)});
  return llvm::Error::success();
}

extern "C" {

triton_checked_launch *triton_checked_launch_create(int address, int race, triton_error **error) {
  return make(error, {}, [&]() -> llvm::Expected<triton_checked_launch *> {
    return new triton_checked_launch({.address = address != 0, .race = race != 0});
  });
}

int triton_checked_launch_add(triton_checked_launch *launch, const char *name, const void *data, int32_t type,
                              const int64_t *shape, const int64_t *strides, size_t rank, triton_error **error) {
  return attempt(
      error, {{"launch", launch}, {"name", name}, {"shape", rank ? shape : static_cast<void *>(launch)}}, [&] {
        llvm::ArrayRef<int64_t> extents(shape, rank);
        return add(*launch, name, data, type, extents,
                   strides ? llvm::SmallVector<int64_t>(strides, strides + rank) : contiguousStrides(extents));
      });
}

void triton_checked_launch_free(triton_checked_launch *launch) { delete launch; }

void triton_poison(void *data, uint64_t bytes) {
  if (data)
    AccessChecker::poison(data, bytes);
}

} // extern "C"
