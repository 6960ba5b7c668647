// How a compile or a launch ends early.
//   In:  a question of whoever started it: whether somebody interrupts, by Ctrl-C for example.
//   Out: the answer, for all threads that take part. Once it is yes it stays so.
// The question is asked on the thread that began alone, now and then, where that thread has a moment: between passes, between programs. What finds the answer, a signal
// handler in Python for example, may compile and launch itself.
#pragma once

#include <atomic>
#include <chrono>
#include <pthread.h>

namespace triton {

class Interruption {
public:
  using Question = bool (*)();
  /// Without a question nobody interrupts.
  explicit Interruption(Question question) : question(question), asker(pthread_self()) {}
  Interruption(const Interruption &) = delete;

  bool isSet() const { return isInterrupted.load(std::memory_order_relaxed); }
  /// The same, after asking, if this is the thread that may, and the last time, or the first call of this, was a while ago.
  bool ask();

private:
  const Question question;
  const pthread_t asker;
  std::chrono::steady_clock::time_point last; // of the asker
  std::atomic<bool> isInterrupted{false};
};

} // namespace triton
