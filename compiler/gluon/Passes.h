// The passes of this folder.
#pragma once

#include "compiler/gluon/Gluon.h"
#include "compiler/tensor/Stages.h"
#include "mlir/Pass/Pass.h"

namespace triton::gluon {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/gluon/Passes.h.inc"

} // namespace triton::gluon
