// What languages that count in their own way have in common.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

struct HistogramArguments {
  Value input;
  mlir::Value mask; // null: all count
  int64_t bins;
};
/// `(input, num_bins, mask, ...)`, checked.
mlir::FailureOr<HistogramArguments> readHistogram(Emitter &emitter, const BoundArguments &arguments);

} // namespace triton::frontend
