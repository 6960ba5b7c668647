// What kernels print, assert and tell the profiler.
#include "compiler/interpreter/Operations.h"
#include "compiler/tensor/Record.h"
#include "compiler/tensor/rules/Rules.h"

#include "compiler/interpreter/Indexing.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace triton::interpreter {

static void printValue(llvm::raw_ostream &stream, const Array &value, size_t index, bool isSigned, bool isHex) {
  Type element = value.element();
  unsigned width = bitWidth(element);
  if (isHex)
    stream << llvm::format_hex(value.unsignedAt(index), 2 + std::max(width / 4, 1u));
  else if (isa<FloatType>(element))
    stream << llvm::format("%f", value.floatAt(index));
  else if (isa<tensor::PointerType>(element))
    stream << llvm::format_hex(value.unsignedAt(index), 0);
  else if (isSigned && width > 1)
    stream << value.signedAt(index);
  else
    stream << value.unsignedAt(index);
}

static void printIndex(llvm::raw_ostream &stream, ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  stream << " idx (";
  for (size_t dim = 0; dim < index.size(); ++dim)
    stream << (dim ? ", " : "") << llvm::format_decimal(index[dim], tensor::printedIndexWidth(shape[dim]));
  stream << ")";
}

static void print(tensor::PrintOp op, ArrayRef<Array> operands, const Program &program, llvm::raw_ostream &stream) {
  auto printPlace = [&] {
    stream << "pid (" << program.id[0] << ", " << program.id[1] << ", " << program.id[2] << ")";
  };
  if (operands.empty()) {
    printPlace();
    stream << op.getPrefix() << "\n";
  }
  for (auto [number, operand] : llvm::enumerate(operands)) {
    size_t next = 0;
    forEachIndex(operand.shape(), [&](ArrayRef<int64_t> index) {
      printPlace();
      printIndex(stream, index, operand.shape());
      stream << op.getPrefix();
      if (operands.size() > 1)
        stream << "(operand " << number << ") ";
      printValue(stream, operand, next++, op.getIsSigned()[number], op.getHex());
      stream << "\n";
    });
  }
}

Answer evaluateDebug(Operation *op, ArrayRef<Array> operands, const Program &program, llvm::raw_ostream &output) {
  if (auto printing = dyn_cast<tensor::PrintOp>(op)) {
    print(printing, operands, program, output);
    return Arrays{};
  }
  if (isa<record::RecordOp>(op))
    return Arrays{}; // takes no time here
  auto assertion = dyn_cast<tensor::AssertOp>(op);
  if (!assertion && !isa<LLVM::AssumeOp>(op))
    return std::nullopt;
  for (uint64_t holds : operands[0].bits())
    if (!holds)
      return FailureOr<Arrays>(op->emitError() << (assertion ? "assertion" : "assumption") << " failed in program ("
                                               << program.id[0] << ", " << program.id[1] << ", " << program.id[2] << ")"
                                               << (assertion ? ": " + assertion.getMessage() : StringRef()));
  return Arrays{};
}

} // namespace triton::interpreter
