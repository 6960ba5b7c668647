// Where the scales of AMD's scaled matrix instructions are, as linear maps: (rows of A or columns of B, groups along K).
#pragma once

#include "compiler/layout/AmdLayouts.h"

namespace triton::layout {

/// Of operand 0 or 1: a lane holds the scales of its row, and of one group per instruction.
LinearLayout scalesOf(const MfmaLayout &layout, unsigned operand, llvm::ArrayRef<int64_t> shape);
/// Likewise, but a lane holds all groups of its row. The upper half of a wave holds the next tile of the warp, or copies where there is none.
LinearLayout scalesOf(const WmmaLayout &layout, unsigned operand, llvm::ArrayRef<int64_t> shape);

} // namespace triton::layout
