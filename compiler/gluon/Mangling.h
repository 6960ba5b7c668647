// Names of functions that are specialised for their arguments: `module.f__i32_fp32S128SLB1_32_4_0_BL__(2,)cconstexpr_8_`.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::gluon {

/// The types of what is known at run time, then the constants with their places. What the call leaves out and is None is `cNone`.
std::string mangleArguments(frontend::Emitter &emitter, llvm::ArrayRef<frontend::Value> arguments,
                            llvm::ArrayRef<bool> isDefault);

} // namespace triton::gluon
