// One function of tensor IR on its way to loops: what all of its parts share while code is emitted.
//   In:  a `tt.func` and its plan.
//   Out: a `func.func` of scf, vector, arith, math and LLVM pointer operations in its place.
// Each kind of operation is lowered in a file of its own; this one only says how they work together. Blocks are lowered
// in order: scalars are emitted as they come, tensors when a nest needs them.
#pragma once

#include "compiler/cpu/Mask.h"
#include "compiler/cpu/Plan.h"
#include "compiler/cpu/Target.h"
#include "compiler/cpu/Waiting.h"
#include "compiler/cpu/evaluate/Evaluate.h"
#include "compiler/tensor/Record.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::cpu {

/// A nest as it is emitted: which dimensions are loops and which a vector runs along.
struct Space {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int> loops;   // outermost first
  llvm::SmallVector<int> vectors; // together one run of vectors; outermost first
  int axis = -1;                  // innermost loop of a reduction across vectors; -1: none, or the vectors run along it
  int64_t width = 1;

  int64_t run() const {
    int64_t size = 1;
    for (int d : vectors)
      size *= shape[d];
    return size;
  }
};

/// The run of vectors, split: `terms` hold for all lanes up to `full`, a multiple of the vector's length, and nothing
/// needs to be computed from `end` on. Without terms, `full` and `end` are the run's size.
struct Segments {
  llvm::SmallVector<PrefixTerm> terms;
  mlir::Value full, end;
};

/// A store that goes to `buffer` first where `condition` holds: its target overlaps something that the nest still has
/// to read.
struct Redirection {
  mlir::Value condition; // null: never
  Buffer buffer;
};

/// What a nest reads along dimension `across`, each with the nest's dimension for every one of its own, while its vectors run along another
/// one. Read in squares of `size` by `size` elements.
struct Squares {
  int64_t size = 0;
  int across = -1; // none
  llvm::SmallVector<std::pair<mlir::Value, llvm::SmallVector<int>>> turned;
};

struct DotPlan;

class Lowering {
public:
  /// `waiting`: of a kernel.
  Lowering(tensor::FuncOp function, const HostTarget &target, Waiting waiting);
  mlir::LogicalResult run();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // Entry.cpp
  mlir::LogicalResult lowerKernel();
  mlir::LogicalResult lowerDeviceFunction();
  mlir::LogicalResult lowerBody(mlir::Region &body, mlir::Block *into);

  // ControlFlow.cpp
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOperation(mlir::Operation *op);
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp loop);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp branch);
  mlir::LogicalResult lowerCall(tensor::CallOp call);
  mlir::LogicalResult lowerBranch(mlir::Operation *branch);
  mlir::LogicalResult yieldInto(mlir::ValueRange from, mlir::ValueRange to);
  Values mapScalars(mlir::ValueRange values);

  // Nest.cpp
  mlir::LogicalResult lowerNest(const NestPlan &nest, mlir::Location loc);
  mlir::LogicalResult fill(mlir::Value tensor, const Buffer &buffer);
  Space chooseSpace(const NestPlan &nest);
  /// Emits the loops of `space` around `body`, which takes a coordinate per dimension.
  void emitLoops(const Space &space, mlir::Location loc, llvm::function_ref<void(Coordinates &)> body);
  /// One loop around `body`, or none if there is one iteration. `body` takes and gives the values carried from one to
  /// the next.
  Values emitLoop(mlir::Value from, mlir::Value to, int64_t step, mlir::Location loc, mlir::ValueRange carried,
                  llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  Coordinate coordinate(mlir::Value base, Offsets offsets = {}) { return evaluator.at(base, std::move(offsets)); }
  void writeBuffer(const Buffer &buffer, llvm::ArrayRef<Coordinate> at, mlir::Value value);
  Coordinates vectorCoordinates(const Space &space, llvm::ArrayRef<Coordinate> outer, const Coordinate &run);

  // Squares.cpp
  Squares findSquares(const NestPlan &nest, const Space &space);
  void emitSquares(const NestPlan &nest, const Space &space, const Squares &squares,
                   llvm::ArrayRef<Redirection> redirections, llvm::ArrayRef<PrefixTerm> terms, mlir::Location loc);

  // Store.cpp
  /// `isInOrder`: the nest goes through its elements in row-major order.
  llvm::SmallVector<Redirection> guardStores(const NestPlan &nest, bool isInOrder);
  void emitStores(llvm::ArrayRef<mlir::Operation *> stores, llvm::ArrayRef<Redirection> redirections,
                  llvm::ArrayRef<Coordinate> at);
  void finishRedirected(const NestPlan &nest, const Space &space, llvm::ArrayRef<Redirection> redirections);

  // Reduce.cpp, Scan.cpp
  mlir::LogicalResult lowerReductions(const NestPlan &nest, const Space &space);
  void restoreNan(tensor::ReduceOp reduce);
  mlir::LogicalResult lowerScan(tensor::ScanOp scan);

  // Split of the run of vectors where masks end. See Nest.cpp.
  Segments chooseSegments(const NestPlan &nest, const Space &space, llvm::ArrayRef<Coordinate> outer);
  Values emitRun(const NestPlan &nest, const Space &space, llvm::ArrayRef<Coordinate> outer, mlir::Value from,
                 mlir::ValueRange carried, llvm::function_ref<Values(Coordinates &, mlir::ValueRange)> body);

  // MatrixProduct.cpp
  mlir::LogicalResult lowerDot(tensor::DotOp dot);
  void stageOperand(mlir::OpOperand &operand, const DotPlan &product, llvm::ArrayRef<Coordinate> batch,
                    mlir::Value buffer);
  /// Stages operands of products inside of `loop` that the loop does not change, before it.
  void stageInvariants(mlir::scf::ForOp loop);
  mlir::LogicalResult fillAccumulator(mlir::Value initial, const Buffer &buffer);
  mlir::LogicalResult convertBuffer(const Buffer &from, const Buffer &to, llvm::ArrayRef<int64_t> shape,
                                    mlir::Location loc);
  /// An i1 that says whether `terms`, which it finds in the masks of `operand`, hold for every element. Null without
  /// terms.
  mlir::Value wholeTile(mlir::Value operand, llvm::SmallVectorImpl<PrefixTerm> &terms);
  /// The same for the masks that the stores of a nest have and need.
  mlir::Value wholeTile(const NestPlan &nest, llvm::SmallVectorImpl<PrefixTerm> &terms);
  /// Adds the terms of one mask to those, and to the i1 `whole`.
  void addWholeTerms(mlir::Value mask, llvm::ArrayRef<int> dimensions, llvm::ArrayRef<int> own,
                     llvm::SmallVectorImpl<PrefixTerm> &terms, mlir::Value &whole);
  /// An i1 that says whether the remainders that `operand` steps by along dimension `along` are unbroken. Null if there
  /// are none. `recomputed`: buffers that are then not read.
  mlir::Value unbrokenTile(mlir::Value operand, int along, llvm::SmallVectorImpl<UnbrokenRemainder> &remainders,
                           llvm::SmallVectorImpl<mlir::Value> &recomputed);

  // Movement.cpp, ScalarRegion.cpp, Atomic.cpp, Report.cpp
  mlir::LogicalResult lowerJoin(tensor::JoinOp join);
  /// Writes both elements of a pair along the last dimension of `buffer`, next to each other where they belong there.
  void writePair(const Buffer &buffer, llvm::ArrayRef<Coordinate> at, mlir::Value left, mlir::Value right);
  mlir::LogicalResult lowerCat(tensor::CatOp cat);
  mlir::LogicalResult lowerHistogram(tensor::HistogramOp histogram);
  mlir::LogicalResult lowerMap(tensor::MapElementwiseOp map);
  mlir::LogicalResult lowerInlineAssembly(tensor::ElementwiseInlineAsmOp assembly);
  mlir::LogicalResult lowerAtomicUpdate(tensor::AtomicRMWOp atomic);
  mlir::LogicalResult lowerAtomicSwap(tensor::AtomicCASOp atomic);
  mlir::LogicalResult lowerPrint(tensor::PrintOp print);
  mlir::LogicalResult lowerAccess(tensor::PrintOp report);
  mlir::LogicalResult lowerAssert(tensor::AssertOp check);
  mlir::LogicalResult lowerRecord(record::RecordOp record);
  void emitCheck(mlir::Location loc, llvm::StringRef message, mlir::Value condition);
  void emitPoll(mlir::Location loc);
  /// Asserts of combine regions, which lie where elements are combined by now, on scalars.
  void lowerCombinedAsserts();
  /// Emits a loop over every element of `shape`, one at a time.
  void forEachElement(llvm::ArrayRef<int64_t> shape, mlir::Location loc, llvm::function_ref<void(Coordinates &)> body);

  // Buffers.cpp
  /// Scratch memory of `bytes` bytes, 64-byte aligned, for as long as the program runs.
  mlir::Value allocate(int64_t bytes, mlir::Location loc);
  Buffer &bufferFor(mlir::Value tensor);
  Buffer makeBuffer(mlir::RankedTensorType type, mlir::Location loc);
  /// The same for what is needed no longer once the code for one operation, all of it emitted between these, has run.
  mlir::Value borrow(int64_t bytes, mlir::Location loc);
  void giveBack(mlir::Value scratch, int64_t bytes) { spare[bytes].push_back(scratch); }
  Buffer borrowBuffer(mlir::RankedTensorType type, mlir::Location loc);
  void giveBack(const Buffer &buffer, mlir::RankedTensorType type);
  /// Lets `tensor` use the memory of `other`, of the same type.
  void shareBuffer(mlir::Value tensor, const Buffer &other) { buffers[tensor] = other; }

  mlir::LogicalResult checked() { return mlir::failure(evaluator.failed()); }

  tensor::FuncOp function;
  const HostTarget &target;
  mlir::OpBuilder builder;
  tensor::AccessAnalysis accesses;
  Plan plan;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  Evaluator evaluator;

  mlir::Block *entry = nullptr; // of the new function
  mlir::Value arena;
  Waiting waiting;
  int64_t stackBytes = 0, arenaBytes = 0;
  llvm::DenseMap<int64_t, llvm::SmallVector<mlir::Value, 2>> spare; // scratch memory that was given back, by its size
  mlir::Value programId[3], programCount[3];                        // i32
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> staged; // operands of products, staged before the loop around them
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks;   // of the function's graph, to where they are emitted
};

} // namespace triton::cpu
