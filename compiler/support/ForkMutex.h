// A mutex that the process can be forked around: a fork waits for whoever holds it, and both processes go on with it free and what it guards whole.
// With another mutex, a child that was forked while some other thread held it would wait for good for a thread it does not have.
#pragma once

#include <mutex>

namespace triton {

/// For objects that live as long as the process.
class ForkMutex {
public:
  /// One under which others are taken is `Outer`; those others are not.
  enum class Nesting { Outer, Inner };
  explicit ForkMutex(Nesting nesting = Nesting::Inner);
  ForkMutex(const ForkMutex &) = delete;

  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  std::mutex mutex;
  Nesting nesting;
  ForkMutex *next;
  friend struct ForkMutexes;
};

} // namespace triton
