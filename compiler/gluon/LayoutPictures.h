// Layouts as text one can look at.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace triton::gluon {

/// Rows of elements. Of tensors each says who holds it, `T5:2` being register 2 of thread 5; of buffers each place says which element lies there.
std::string pictureOfTensor(const layout::LinearLayout &map);
/// What each register of each lane of a warp, or each offset of a buffer, holds.
std::string pictureOfHardware(const layout::LinearLayout &map);

} // namespace triton::gluon
