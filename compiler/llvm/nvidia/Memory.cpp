#include "compiler/llvm/nvidia/Families.h"

using namespace mlir;
using namespace triton::nvidia;

Emitted triton::nvidia::emitMemory(Emitter &, Operation *) { return std::nullopt; }
