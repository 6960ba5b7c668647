// How the elements of a tensor along one dimension are combined into one: registers of a thread first, as a tree; then lanes, by butterflies;
// then warps, by one pass through a buffer. Works for any layout: what lies along the dimension is found by linear algebra.
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/layout/ThreadProgram.h"

namespace triton::layout {

/// The program whose results are the registers of `to`: the elements of `from` combined over its output number `axis`. `to` maps
/// register, lane, warp to the other dimensions in order (it may have none of them: a scalar, in all threads). A buffer is used where warps hold
/// different parts, or where lanes and warps of `to` are not those of `from`. Each CTA combines what it holds.
ThreadProgram planReduction(const LinearLayout &from, unsigned axis, const LinearLayout &to);

/// The bits of a CTA's number that tell apart CTAs with different parts of what is combined: what `planReduction` gives must still be combined
/// over them. Nullopt where such CTAs hold different results, too.
std::optional<unsigned> reductionCtas(const LinearLayout &from, unsigned axis);

} // namespace triton::layout
