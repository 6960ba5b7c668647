// Threads that help: with programs, and with compiles.
//   In:  what one does.
//   Out: the thread, or none where the system has no more of them.
// Signals belong to the program's own threads: these are started with all of them blocked. That there is no thread is said once, on standard
// error: work is then done by the threads that there are, the caller's at least.
#pragma once

#include <functional>
#include <thread>

namespace triton {

/// Not joinable if it could not be started.
std::thread startWorker(std::function<void()> work);

} // namespace triton
