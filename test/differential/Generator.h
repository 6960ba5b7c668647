// One random kernel in the making: the values there are so far, and the steps that add to them.
//   In:  a seed and a vocabulary.
//   Out: the kernel.
// Each step takes values of the pool that fit it, emits a few ops, and puts their results into the pool, or finds nothing to do.
#pragma once

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "test/differential/RandomKernel.h"

namespace triton::differential {

class Generator {
public:
  Generator(mlir::MLIRContext &context, uint64_t seed, const Vocabulary &vocabulary)
      : builder(&context), location(builder.getUnknownLoc()), random(seed), vocabulary(vocabulary) {}

  RandomKernel run();

private:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Values = mlir::SmallVector<Value>;
  using TensorType = mlir::RankedTensorType;

  // Chance.
  uint64_t below(uint64_t bound) { return random() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename RangeT> auto pick(const RangeT &range) { return range[below(range.size())]; }

  // Values.
  template <typename PredicateT> Value find(PredicateT matches);
  Value findAny() {
    return find([](TensorType) { return true; });
  }
  Value findInteger() {
    return find(
        [](TensorType type) { return type.getElementType().isInteger() && !type.getElementType().isInteger(1); });
  }
  Value findTruth() {
    return find([](TensorType type) { return type.getElementType().isInteger(1); });
  }
  Value findFloat() {
    return find([](TensorType type) {
      return mlir::isa<mlir::FloatType>(type.getElementType()) && !tensor::isFloat8(type.getElementType());
    });
  }
  /// Another value of the same type, or the same.
  Value findLike(Value value) {
    return find([&](TensorType type) { return type == value.getType(); });
  }
  void keep(Value value) { pool.push_back(value); }
  Value constant(Type type, double value);
  Value splat(Type type, int64_t value) { return constant(type, double(value)); }
  template <typename OpT, typename... ArgumentsT> Value make(ArgumentsT &&...arguments) {
    return OpT::create(builder, location, std::forward<ArgumentsT>(arguments)...)->getResult(0);
  }

  // Elements.
  void integerStep();
  void floatStep();
  void castStep();
  void selectStep();
  void truthStep();
  void narrowStep();
  // Shapes.
  void reshapeStep();
  void transStep();
  void repeatStep();
  void joinStep();
  void gatherStep();
  // Reductions.
  Value combine(Type element, Value lhs, Value rhs, unsigned choice);
  Value tamed(Value value);
  void reduceStep();
  void findPlaceStep();
  void scanStep();
  void recurrenceStep();
  void histogramStep();
  // Products.
  Value matrix(int64_t rows, int64_t columns, Type element);
  void dotStep();
  void batchStep();
  // Memory.
  void windowStep();
  void descriptorStep();
  void maskedLoadStep();
  void atomicStep();
  // Control flow.
  Values emitBody(llvm::ArrayRef<Value> carried);
  void loopStep();
  void whileStep();
  void branchStep();
  void mapStep();

  void step();
  Value offsets(int64_t elements);
  void load(mlir::BlockArgument pointer, Value mask, Value index);
  void store(mlir::BlockArgument pointer, Value value);
  void promiseAlignment(RandomKernel &kernel, tensor::FuncOp function);

  mlir::OpBuilder builder;
  mlir::Location location;
  std::mt19937_64 random;
  Vocabulary vocabulary;
  std::vector<Value> pool;
  std::vector<Value> inputs;  // pointers to what may be read
  int64_t inputElements = 0;  // behind each of them
  std::vector<Value> tallies; // pointers to what atomics may change
  int64_t tallyElements = 0;  // behind each of them, for each program
  int64_t tallied = 0;        // how many of them each program has used
  unsigned depth = 0;
};

template <typename PredicateT> mlir::Value Generator::find(PredicateT matches) {
  std::vector<Value> candidates;
  for (Value value : pool)
    if (auto type = mlir::dyn_cast<TensorType>(value.getType()); type && matches(type))
      candidates.push_back(value);
  if (candidates.empty())
    return {};
  // Newer values more often: chains grow deep, and what was computed is used.
  size_t back = std::min(below(candidates.size()), below(candidates.size()));
  return candidates[candidates.size() - 1 - back];
}

} // namespace triton::differential
