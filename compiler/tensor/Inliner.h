// Teaches MLIR's inliner about tensor IR.
#pragma once

namespace triton::tensor {

class TensorDialect;

void addInlinerInterface(TensorDialect &dialect);

} // namespace triton::tensor
