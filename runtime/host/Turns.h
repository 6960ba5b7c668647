// Programs that may wait for what others write (a lock, a barrier of the whole grid): each begins by itself, on whichever thread is free.
//   In:  how many there are, and what runs one.
//   Out: all have run, or have been left out since the launch is over.
// Where all that have begun wait, more threads begin the others, as long as nothing ends: up to a limit, since whoever waits for what nobody writes would otherwise fill
// the machine with threads.
#pragma once

#include "runtime/host/InterruptibleCode.h"
#include "runtime/host/ThreadPool.h"

namespace triton::runtime {

struct TurnsRequest {
  int64_t programs;
  uint64_t arenaBytes; // scratch per thread
  unsigned threads;    // of the pool
  llvm::function_ref<void(int64_t program, void *arena)> run;
  llvm::function_ref<bool()> isOver; // no more program is to begin
};

/// False if a thread had no memory for its arena.
bool runByTurns(const TurnsRequest &request, ThreadPool &pool, Interruption &interruption);

} // namespace triton::runtime
