// The language in which kernels name layouts: its dialect `gluon`, its builtins, its rules for layouts, and the way from what the frontend
// emits to GPU IR.
#ifndef TRITON_COMPILER_GLUON_GLUON_H
#define TRITON_COMPILER_GLUON_GLUON_H

#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/gpu/Gpu.h"
#include "mlir/Pass/PassManager.h"

#include "compiler/gluon/GluonDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/gluon/GluonAttributes.h.inc"
#define GET_OP_CLASSES
#include "compiler/gluon/GluonOps.h.inc"

namespace triton::gluon {

/// Adds the language's builtins to the frontend's.
void registerLanguage();
const frontend::LayoutPolicy &layoutPolicy();

/// `gluon`, and inlining of GPU IR.
void registerGluonDialect(mlir::DialectRegistry &registry);

/// What the frontend emits -> GPU IR in which every tensor has a layout.
void buildGluonPipeline(mlir::OpPassManager &manager);
void registerGluonPipeline();
/// Names of functions that are still called say arguments in full: what an assembler takes is shorter and has fewer signs.
void shortenNames(mlir::ModuleOp module);

} // namespace triton::gluon

#endif
