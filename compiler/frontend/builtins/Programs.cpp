// Where a program stands in the launch grid.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::frontend {

template <typename Op>
static FailureOr<Value> gridQuery(Emitter &emitter, const Value &axisValue, llvm::StringRef function) {
  FailureOr<int64_t> axis = readInteger(emitter, axisValue, "axis");
  if (failed(axis))
    return failure();
  if (*axis < 0 || *axis > 2)
    return emitter.error("ValueError") << function << " axis must be 0, 1, or 2 but got " << *axis;
  return Value::tensor(Op::create(emitter.builder(), emitter.location(), static_cast<int>(*axis)), Type::int32());
}

static FailureOr<Value> programId(Emitter &emitter, const BoundArguments &arguments) {
  return gridQuery<tensor::GetProgramIdOp>(emitter, arguments[0], "program_id");
}

static FailureOr<Value> numPrograms(Emitter &emitter, const BoundArguments &arguments) {
  return gridQuery<tensor::GetNumProgramsOp>(emitter, arguments[0], "num_programs");
}

llvm::ArrayRef<Builtin> programBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "program_id", "(axis)",
       "The index of this program along `axis` (0, 1 or 2) of the launch grid, an int32 scalar.\n\n"
       "A kernel runs once for every point of its grid; this is how a run tells which part of the data is its own.",
       programId},
      {"triton.language.core", "num_programs", "(axis)",
       "The size of the launch grid along `axis` (0, 1 or 2), an int32 scalar. Dimensions the launch did not give "
       "count as 1.",
       numPrograms},
  };
  return table;
}

} // namespace triton::frontend
