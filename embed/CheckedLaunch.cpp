// Launches of interpreter mode whose accesses are watched, for host languages.
#include "runtime/host/CheckedLaunch.h"
#include "embed/EagerState.h"

namespace triton::embed {

struct CheckedLaunch::State {
  explicit State(AccessChecker::Options options) : checker(options), launch(checker) {}
  AccessChecker checker;
  runtime::CheckedLaunch launch;
};

CheckedLaunch::CheckedLaunch(bool address, bool race)
    : state(std::make_unique<State>(AccessChecker::Options{address, race})) {}
CheckedLaunch::~CheckedLaunch() = default;

void CheckedLaunch::add(const Tensor &tensor) {
  state->checker.add({tensor.name, tensor.type, tensor.address, tensor.elementBytes,
                      llvm::SmallVector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
                      llvm::SmallVector<int64_t>(tensor.strides.begin(), tensor.strides.end())});
}

void CheckedLaunch::watch(EagerSession &session, std::function<std::string()> place) {
  session.state->session.memory.checker = &state->checker;
  session.state->session.memory.place = std::move(place);
}

void CheckedLaunch::poison(void *data, uint64_t bytes) { AccessChecker::poison(data, bytes); }
void CheckedLaunch::markWritten(const void *data, uint64_t bytes) { AccessChecker::markWritten(data, bytes); }

} // namespace triton::embed
