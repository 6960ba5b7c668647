#include "compiler/llvm/nvidia/Families.h"

using namespace mlir;
using namespace triton::nvidia;

Emitted triton::nvidia::emitScan(Emitter &, Operation *) { return std::nullopt; }
