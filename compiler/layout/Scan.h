// How all prefixes of a tensor along one dimension are computed: runs of registers one after the other, then the totals of runs across lanes
// by shuffles and across warps by one pass through a buffer, then each run is combined with what stands before it.
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/layout/NamedLayouts.h"
#include "compiler/layout/ThreadProgram.h"

namespace triton::layout {

/// Whether `planScan` works on this layout: each bit of the coordinate along `axis` is one bit of register, lane or warp, which moves
/// nothing else.
bool canScan(const LinearLayout &layout, unsigned axis);

/// The program whose result registers are those of `layout`, each the combination of all elements up to it along output number `axis`, or
/// with `reverse` of all from the last down to it. The layout can be scanned.
ThreadProgram planScan(const LinearLayout &layout, unsigned axis, bool reverse);

/// The layout that is scanned along `axis` with fewest exchanges: lanes and warps go to the other dimensions as far as they find room there, and what
/// a thread holds along the axis is one run.
BlockedLayout layoutOfRuns(llvm::ArrayRef<int64_t> shape, unsigned axis, int64_t lanes, int64_t warps);

/// A layout of the same shape, lanes and warps that can be scanned along `axis`, for layouts that cannot be.
LinearLayout scannableLayout(const LinearLayout &layout, unsigned axis);

} // namespace triton::layout
