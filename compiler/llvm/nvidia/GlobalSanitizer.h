// The sanitizer of global memory (instrumentation_mode "gsan"): kernels check, while they run, that programs which touch the same element are ordered by atomics.
//   In:  a module that asks for it (gpu::globalChecksName, the number of programs that are watched); else nothing here emits anything.
//   Out: around loads, stores, asynchronous copies and atomics by pointers, calls of routines on a state in the module's global memory. What is found wrong ends the kernel like a
//        failed assertion, at the line of the access that came second.
//
// The state: a clock for each program, which says up to which of its releases the program knows each other one, and cells for elements: who wrote and read it last, and who released
// what it holds. A cell is found by the element's address; two that fall on one share it, and the later takes it over, but for who released: a race may be missed, and
// none is invented by that. Cells of another launch count as empty, which the number of the grid (%gridid) tells.
// Programs are told apart, not their warps, and have one CTA; copies by TMA are not seen. Races are invented where what orders programs goes through one that is not watched, and where the kernel runs
// twice at the same time, on two streams: both launches have one state.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

/// At the entry of a kernel: the program knows itself alone.
void beginGlobalSanitizer(Emitter &emitter);
/// The code of an op that accesses global memory, with what checks it; nullopt where there is nothing to check.
Emitted emitChecked(Emitter &emitter, mlir::Operation *op);

} // namespace triton::nvidia
