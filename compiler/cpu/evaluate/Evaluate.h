// The value of any tensor at any place, on demand.
//   In:  a tensor of tensor IR and a coordinate per dimension.
//   Out: code at the current place that computes those elements, as `Lanes`.
// Nothing is computed twice at one place: results are remembered per loop level, and what does not depend on the inner
// loops is computed outside of them. A tensor the plan keeps in a buffer is read from there; any other one is
// recomputed from its operands.
#pragma once

#include "compiler/cpu/Lanes.h"
#include "compiler/cpu/Memory.h"
#include "compiler/cpu/Target.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace triton::cpu {

/// A comparison that holds for all lanes while the coordinate of one of its dimensions is `coordinate`; everywhere if
/// that has no base.
struct Fact {
  mlir::Value term;
  int dimension;
  Coordinate coordinate;
};

/// A remainder whose dividend passes no multiple of the divisor anywhere in the nest, so that both step together:
/// `term` is its dividend plus `distance`, a scalar.
struct UnbrokenRemainder {
  mlir::Value term, distance;
};

class Evaluator {
public:
  Evaluator(mlir::OpBuilder &builder, const HostTarget &target, mlir::IRMapping &scalars,
            llvm::DenseMap<mlir::Value, Buffer> &buffers)
      : builder(builder), target(target), scalars(scalars), buffers(buffers) {}

  /// Starts a nest with vectors of `width` lanes at the builder's place. `computed`: tensors with a buffer that this
  /// nest fills, so that it must compute them and not read them.
  void begin(int64_t width, llvm::ArrayRef<mlir::Value> computed = {});
  /// Everything below is emitted inside of `inner` (a loop, or a branch when `isLoop` is false) until the matching
  /// `leave`.
  void enter(mlir::Operation *inner, bool isLoop);
  void leave();
  int level() const { return scopes.back().level; }
  int64_t lanes() const { return width; }
  /// Holds until the current scope is left.
  void assume(Fact fact) { scopes.back().facts.push_back(std::move(fact)); }
  /// Holds until the next nest begins.
  void assume(UnbrokenRemainder remainder) { unbroken.push_back(remainder); }

  Lanes evaluate(mlir::Value tensor, llvm::ArrayRef<Coordinate> at, bool exact = false);
  /// Has `tensor` be `vector` at `at` until the current scope is left.
  void remember(mlir::Value tensor, llvm::ArrayRef<Coordinate> at, mlir::Value vector) {
    for (bool exact : {false, true})
      scopes.back().memo[keyOf(tensor, at, exact)] = Lanes::of(vector);
  }
  /// The same as a vector of `lanes()` elements, or a scalar when that is 1. Exact.
  mlir::Value vector(mlir::Value tensor, llvm::ArrayRef<Coordinate> at);
  /// As a scalar, where all lanes agree.
  mlir::Value uniform(mlir::Value tensor, llvm::ArrayRef<Coordinate> at);
  /// A mask, split into what holds for the whole vector and what differs between lanes.
  Predicate predicate(mlir::Value mask, llvm::ArrayRef<Coordinate> at);
  mlir::Value materialise(const Lanes &lanes, mlir::Type element);

  /// An error was reported: the IR emitted since is meaningless.
  bool failed() const { return hasFailed; }

  /// The coordinate 0, and one for `base`, a constant or made in the current scope.
  Coordinate zero();
  Coordinate at(mlir::Value base, Offsets offsets = {});
  /// Coordinates of a tensor of shape `to` whose elements are those of shape `from` in row-major order.
  Coordinates reshape(llvm::ArrayRef<Coordinate> at, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
  /// Follows operations that only rearrange elements: true if `tensor` and `at` were replaced by their source.
  bool stepThroughView(mlir::Value &tensor, Coordinates &at);

private:
  struct Key {
    void *tensor;
    bool exact;
    llvm::SmallVector<std::pair<void *, unsigned>, 4> at;
    bool operator<(const Key &other) const {
      return std::tie(tensor, exact, at) < std::tie(other.tensor, other.exact, other.at);
    }
  };
  struct Scope {
    int level;
    mlir::Operation *inner = nullptr;   // the loop or branch that the next scope is inside of
    mlir::OpBuilder::InsertPoint after; // where its own code continues after `inner`
    std::map<Key, Lanes> memo;
    llvm::SmallVector<Fact, 2> facts;
  };

  Key keyOf(mlir::Value tensor, llvm::ArrayRef<Coordinate> at, bool exact);
  Lanes compute(mlir::Value tensor, llvm::ArrayRef<Coordinate> at, bool exact);
  std::optional<Lanes> computeUnbroken(mlir::Value tensor, llvm::ArrayRef<Coordinate> at, bool exact);
  Lanes computeElementwise(mlir::Operation *op, llvm::ArrayRef<Coordinate> at, bool exact);
  std::optional<Lanes> computePattern(mlir::Operation *op, llvm::ArrayRef<Coordinate> at, bool exact);
  Lanes computeAddPointer(mlir::Operation *op, llvm::ArrayRef<Coordinate> at, bool exact);
  Lanes computeLoad(mlir::Operation *op, llvm::ArrayRef<Coordinate> at);
  Lanes computeGather(mlir::Operation *op, llvm::ArrayRef<Coordinate> at);
  Lanes computeConstant(mlir::Operation *op, llvm::ArrayRef<Coordinate> at);
  Lanes computeMap(mlir::Operation *op, unsigned result, llvm::ArrayRef<Coordinate> at);
  Lanes readBuffer(const Buffer &buffer, mlir::Type element, llvm::ArrayRef<Coordinate> at);
  /// The outermost scope where something of `level` can be computed.
  size_t placeOf(int level) const;
  bool isKnown(mlir::Value term, llvm::ArrayRef<Coordinate> at, size_t scope);

  mlir::OpBuilder &builder;
  const HostTarget &target;
  mlir::IRMapping &scalars;
  llvm::DenseMap<mlir::Value, Buffer> &buffers;
  int64_t width = 1;
  llvm::DenseSet<mlir::Value> computed;
  llvm::SmallVector<UnbrokenRemainder, 1> unbroken;
  llvm::SmallVector<Scope, 4> scopes;
  std::map<std::vector<int64_t>, unsigned> patterns; // offsets seen so far
  mlir::Value zeroBase;
  bool hasFailed = false;
};

} // namespace triton::cpu
