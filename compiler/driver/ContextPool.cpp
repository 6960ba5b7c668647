#include "compiler/driver/ContextPool.h"
#include "compiler/driver/Target.h"
#include "compiler/support/ForkMutex.h"

#include <mutex>

using namespace triton::driver;

namespace {
struct Idle {
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses;
};
struct Pool {
  triton::ForkMutex mutex;
  std::vector<Idle> idle;
  unsigned generation = 0; // counts how often the contexts were forgotten
};
} // namespace

/// Uniqued types and attributes of this many kernels come to a few megabytes.
static constexpr unsigned maxUses = 500;
static constexpr size_t maxIdle = 16;

static Pool &pool() {
  static Pool *instance = new Pool; // never destroyed: compiles may run while the process exits
  return *instance;
}

static std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  for (const std::string &name : targetNames())
    findTarget(name)->registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

ContextLease::ContextLease() : uses(0) {
  {
    std::lock_guard lock(pool().mutex);
    generation = pool().generation;
    if (!pool().idle.empty()) {
      context = std::move(pool().idle.back().context);
      uses = pool().idle.back().uses;
      pool().idle.pop_back();
    }
  }
  if (!context)
    context = makeContext();
}

ContextLease::~ContextLease() {
  if (++uses >= maxUses)
    return;
  std::lock_guard lock(pool().mutex);
  if (generation == pool().generation && pool().idle.size() < maxIdle)
    pool().idle.push_back({std::move(context), uses});
}

void triton::driver::forgetContexts() {
  std::lock_guard lock(pool().mutex);
  pool().idle.clear();
  ++pool().generation;
}
