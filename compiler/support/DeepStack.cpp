#include "compiler/support/DeepStack.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// Address sanitizers have to be told of stacks that are switched; they are there if the program was built with one.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void **fakeStack, const void *bottom, size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void *fakeStack, const void **bottom, size_t *size);
}

using namespace triton;

namespace {

/// From the lowest address that may be used up.
struct Bounds {
  uintptr_t low = 0, high = 0;
  bool contains(uintptr_t address) const { return address >= low && address < high; }
};

/// Memory for a stack, behind a page that stops whoever runs over its end.
class Memory {
public:
  explicit Memory(size_t bytes) : size(bytes) {
    void *start =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (start == MAP_FAILED)
      return;
    address = static_cast<char *>(start);
    (void)mprotect(address, guard(), PROT_NONE);
    // Of a stack a few pages are used as a rule: huge ones would have to be cleared whole.
    (void)madvise(address, size, MADV_NOHUGEPAGE);
  }
  Memory(const Memory &) = delete;
  ~Memory() {
    if (address)
      (void)munmap(address, size);
  }

  bool isThere() const { return address; }
  char *low() const { return address + guard(); }
  size_t usable() const { return size - guard(); }
  static size_t guard() { return size_t(getpagesize()); }

private:
  char *address = nullptr;
  size_t size;
};

/// A stack that a thread was switched to, and what goes on between it and the stack that it came from.
struct Switch {
  llvm::function_ref<void()> work;
  Bounds bounds;
  ucontext_t origin = {}, deep = {};
  llvm::function_ref<void()> *request = nullptr; // to be run on the stack it came from, while `work` waits
  const void *originLow = nullptr;               // known where sanitizers have to be told
  size_t originSize = 0;

  void toDeep() { change(origin, deep, reinterpret_cast<void *>(bounds.low), bounds.high - bounds.low); }
  void toOrigin() { change(deep, origin, originLow, originSize); }
  static void change(ucontext_t &from, const ucontext_t &to, const void *low, size_t size);
  /// The first and the last thing that happens on the deep stack.
  void arrive();
  void end();
};

} // namespace

/// What is deep enough for the work there is when a thread's own stack is unknown to us.
static constexpr size_t assumedBytes = 128 << 10;

/// The stack that the thread was switched to; none: its own.
static thread_local Switch *current = nullptr;

static Bounds boundsOfThread() {
  // Asked once: for the main thread the answer is read from a file.
  static thread_local Bounds known;
  if (known.high)
    return known;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes))
    return known;
  void *low;
  size_t size, guard;
  if (!pthread_attr_getstack(&attributes, &low, &size) && !pthread_attr_getguardsize(&attributes, &guard))
    known = {uintptr_t(low) + guard, uintptr_t(low) + size};
  pthread_attr_destroy(&attributes);
  return known;
}

size_t triton::remainingStack() {
  const auto here = uintptr_t(__builtin_frame_address(0));
  const Bounds bounds = current ? current->bounds : boundsOfThread();
  return bounds.contains(here) ? here - bounds.low : assumedBytes;
}

void Switch::change(ucontext_t &from, const ucontext_t &to, const void *low, size_t size) {
  void *fake = nullptr;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&fake, low, size);
  // Fails only for a stack that is too small to start on, which none of these is.
  [[maybe_unused]] const int failed = swapcontext(&from, &to);
  assert(!failed && "both contexts are complete");
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}

void Switch::arrive() {
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(nullptr, &originLow, &originSize);
}

void Switch::end() {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(nullptr, originLow, originSize);
}

static void enter() {
  current->arrive();
  current->work();
  current->end();
} // and on where `origin` was left

llvm::Error triton::runOnDeepStack(size_t bytes, llvm::function_ref<void()> work) {
  if (remainingStack() >= bytes) {
    work();
    return llvm::Error::success();
  }
  const size_t size = llvm::alignTo(bytes, Memory::guard()) + Memory::guard();
  Memory memory(size);
  if (!memory.isThere())
    return llvm::createStringError("cannot reserve " + llvm::Twine(size >> 20) +
                                   " MiB of addresses for the stack of the compiler: " + std::strerror(errno));
  const auto low = uintptr_t(memory.low());
  Switch next{.work = work, .bounds = {low, low + memory.usable()}};
  if (getcontext(&next.deep))
    return llvm::createStringError(std::string("cannot switch stacks: ") + std::strerror(errno));
  next.deep.uc_stack.ss_sp = memory.low();
  next.deep.uc_stack.ss_size = memory.usable();
  next.deep.uc_link = &next.origin;
  makecontext(&next.deep, enter, 0);
  Switch *outer = current;
  do {
    if (auto *request = std::exchange(next.request, nullptr))
      runOnOwnStack(*request); // where we came from may be another deep stack
    current = &next;
    next.toDeep();
    current = outer;
  } while (next.request);
  return llvm::Error::success();
}

void triton::runOnOwnStack(llvm::function_ref<void()> work) {
  if (!current)
    return work();
  Switch *here = current;
  here->request = &work;
  here->toOrigin();
}
