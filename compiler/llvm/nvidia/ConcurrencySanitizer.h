// The concurrency sanitizer: kernels check, while they run, that nobody touches a buffer in shared or tensor memory before who used it last is done.
//   In:  a module with a plan (compiler/gpu/SanitizerPlan.h); without one nothing here emits anything.
//   Out: before and behind ops that touch buffers or barriers, calls of routines that keep the CTA's state in global scratch memory. What is found
//        wrong ends the kernel like a failed assertion, at the line of the access.
// Actors are the kernel's own warps and each partition; the first thread of an actor speaks for it, under a lock. Of each buffer the state holds its last
// write and each actor's last reads: who knows that they are over, what kind of wait would tell, and which barriers tell others. An actor learns at a wait,
// and passes on at an arrival all that it knows. Barriers are counted, too: when every actor waits for a phase that nobody is left to complete, that is a
// deadlock.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

/// At the entry of a kernel: nothing is under way.
void beginSanitizer(Emitter &emitter);
void sanitizeBefore(Emitter &emitter, mlir::Operation *op);
void sanitizeBehind(Emitter &emitter, mlir::Operation *op);
/// The actor that the emitter emits for, whose last op was `op`, has nothing left to do but to wait for the others.
void sanitizeEnd(Emitter &emitter, mlir::Operation *op);

} // namespace triton::nvidia
