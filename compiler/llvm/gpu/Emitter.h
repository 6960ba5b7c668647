// From GPU IR to LLVM IR: each value becomes the registers that one thread holds of it.
//   In:  a module in which every tensor has a layout, shared memory has offsets, and barriers are in place.
//   Out: an LLVM module for the GPU of `Machine`. An op without a lowering is a diagnostic at its location.
// LLVM IR is written directly: a tensor is a list of llvm::Value, one per register of its layout, so nothing is packed into structs and
// unpacked again, and what a call does to other lanes (convergent, side effects) is said where the call is made.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/layout/LinearLayout.h"
#include "compiler/llvm/gpu/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace triton::gpu {
class AccessAnalysis;
}

namespace triton::nvidia {
class WorkerWarps;
}

namespace triton::simt {

/// One i32 per dimension of a tensor.
using Indices = llvm::SmallVector<llvm::Value *, 4>;

struct EmitOptions {
  gpu::Target target;
  bool fuseMultiplyAdd = true; // a * b + c may become one fma
  bool debug = false;          // keep asserts
  bool lineInfo = true;        // say which lines of the source code belongs to
  bool variableInfo = false;   // say in which registers the source's variables are
  bool flushDenormals = true;  // in f32 approximations such as exp2, and in libdevice
  bool waitAtEntry = false;    // kernels begin with `waitAtEntryText`
  unsigned maxRegisters = 0;   // of a thread; 0: ptxas decides
  unsigned wavesPerEu = 0;     // AMD: that a SIMD is to have room for; 0: as the code comes out
};

/// What an inline assembly call does beyond computing its results.
enum class AsmEffects {
  None,       // pure: may be merged, moved, dropped
  Reads,      // reads memory, else pure
  SideEffect, // must stay, in order with memory
  Convergent  // also takes part in something the other lanes do
};

class DebugScopes;

class Emitter {
public:
  Emitter(llvm::Module &module, mlir::ModuleOp source, const EmitOptions &options, const Machine &machine);
  ~Emitter();

  /// Every function of the module.
  llvm::LogicalResult emitModule();
  /// One op, of any family.
  llvm::LogicalResult emit(mlir::Operation *op);
  /// The ops of a block but its terminator.
  llvm::LogicalResult emitBody(mlir::Block &block);
  /// The LLVM function of a function of the source, declared when first asked for.
  llvm::Function *callee(mlir::FunctionOpInterface op);
  /// A region of one block on single registers, such as the combination of a reduction: its arguments are `arguments`, the results are
  /// the operands of its terminator. Empty if it failed.
  Registers emitScalarRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);

  // Values
  llvm::ArrayRef<llvm::Value *> registers(mlir::Value value);
  llvm::Value *scalar(mlir::Value value); // of a value with one register
  void define(mlir::Value value, Registers registers);
  void define(mlir::Value value, llvm::Value *scalar) { define(value, Registers{scalar}); }
  /// The LLVM type of a scalar or of an element: 8-bit and smaller floats are i8, pointers are global.
  llvm::Type *type(mlir::Type type);
  /// The types of the registers that a thread holds of a value of this type: a tensor's elements, one for each register of its layout; a buffer
  /// in shared memory is its address and an i32 that is XORed into every offset (in elements) within it, one in tensor memory an i32; a
  /// token is nothing.
  llvm::SmallVector<llvm::Type *> registerTypes(mlir::Type type);

  // Layouts
  /// register, lane, warp, block -> dim0, …; made once for each type.
  const layout::LinearLayout &layout(mlir::RankedTensorType type);
  const layout::LinearLayout &layout(mlir::Value value) {
    return layout(llvm::cast<mlir::RankedTensorType>(value.getType()));
  }
  /// The outputs of `map` for a register of this thread: the part of lane, warp and block is computed once for each map and XORed with the
  /// register's constant.
  Indices apply(const layout::LinearLayout &map, unsigned reg);
  /// The part of the outputs of `map` that comes from lane, warp and block.
  Indices applyThread(const layout::LinearLayout &map);
  /// Linear combination: the outputs of `map` for run-time inputs by name (missing ones are 0).
  Indices apply(const layout::LinearLayout &map, llvm::ArrayRef<std::pair<llvm::StringRef, llvm::Value *>> inputs);
  /// Coordinates in the tensor of each register.
  llvm::SmallVector<Indices> coordinates(mlir::RankedTensorType type);
  /// Whether this thread is the one, of those that hold copies of the same elements, that writes them; null if there are no copies. Copies
  /// inside a thread: `isCopy(type, register)`.
  llvm::Value *writesElements(mlir::RankedTensorType type);
  bool isCopy(mlir::RankedTensorType type, unsigned reg);

  // The thread's place: i32
  llvm::Value *threadId(); // in the CTA, or in the partition of warps being emitted
  llvm::Value *laneId();
  llvm::Value *warpId();
  llvm::Value *ctaRank();                                   // in the cluster
  unsigned lanes() const { return options.target.lanes(); } // of a warp
  unsigned numWarps() const { return place.warps; }
  unsigned totalNumWarps() const { return totalWarps; } // of the CTA, all partitions included
  bool isPartition() const { return place.first != 0; } // not the kernel's own warps
  unsigned numCtas() const { return ctas; }

  // Shared memory
  /// ptr addrspace(3) to the bytes that allocation gave to `op` (`allocation.offset`).
  llvm::Value *sharedAddress(mlir::Operation *op);
  /// The start of all of it.
  llvm::Value *sharedBase();
  /// Waits for all threads of the CTA (of the partition).
  void barrier();
  /// The same, for what they wrote to shared memory: other accesses may still be under way.
  void sharedBarrier();
  /// Waits for all threads of the CTA, those of other partitions included.
  void ctaBarrier();
  llvm::Value *loadShared(llvm::Type *type, llvm::Value *address, unsigned alignment);
  void storeShared(llvm::Value *value, llvm::Value *address, unsigned alignment);

  // Tensor memory
  /// The address of the kernel's columns; null if it has none.
  llvm::Value *tensorMemory = nullptr;
  /// Whether the kernel has some.
  bool usesTensorMemory = false;

  // Between lanes: any type of up to 64 bits, smaller than 32 included
  llvm::Value *shuffleXor(llvm::Value *value, unsigned mask);
  llvm::Value *shuffleIndex(llvm::Value *value, llvm::Value *lane);

  // Calls
  llvm::Value *inlineAsm(llvm::StringRef text, llvm::StringRef constraints, llvm::Type *result,
                         llvm::ArrayRef<llvm::Value *> arguments, AsmEffects effects = AsmEffects::None);
  llvm::CallInst *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments,
                            llvm::ArrayRef<llvm::Type *> overloads = {});
  /// A function of libdevice or of another external library, declared when first named; pure.
  llvm::Value *callExternal(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments,
                            bool pure = true);

  // Constants
  llvm::ConstantInt *i1(bool value) { return builder.getInt1(value); }
  llvm::ConstantInt *i32(int64_t value) { return builder.getInt32(static_cast<uint32_t>(value)); }
  llvm::ConstantInt *i64(int64_t value) { return builder.getInt64(value); }

  /// Makes a value where the warps' code starts, where every block can use it.
  llvm::Value *atEntry(llvm::function_ref<llvm::Value *()> make);
  /// Ends the current block if `condition` fails to hold, runs `body`, and goes on in a new block.
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> body);

  llvm::LLVMContext &context() { return module.getContext(); }
  const gpu::Target &target() const { return options.target; }
  /// Of the whole module, made when first asked for.
  gpu::AccessAnalysis &access();
  /// Likewise, without the runs that only hints speak of.
  gpu::AccessAnalysis &provenAccess();
  /// Emits `body` for `count` warps from `first` on, which have a barrier of their own. What they compute once stands in the current block, which ends
  /// here.
  llvm::LogicalResult emitForWarps(unsigned first, unsigned count, unsigned barrier,
                                   llvm::function_ref<llvm::LogicalResult()> body);
  /// The warps beside those of the kernel being emitted; null: there are none.
  std::shared_ptr<nvidia::WorkerWarps> workers;
  /// The LLVM block in which a block of the source begins.
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;

  llvm::IRBuilder<> builder;
  llvm::Module &module;
  mlir::ModuleOp source;
  const EmitOptions options;
  const Machine &machine;
  llvm::Function *function = nullptr; // being emitted
  DebugScopes &debug() { return *debugScopes; }

private:
  llvm::LogicalResult emitFunction(mlir::FunctionOpInterface op);
  /// Tells debuggers that from here on the variable that `value` is named for is in its registers.
  void nameRegisters(mlir::Value value);
  void nameArguments(mlir::Block &block);
  /// The run-time input of that name: register, lane, warp, block.
  llvm::Value *input(llvm::StringRef name);
  llvm::Value *shuffle(llvm::Value *value, llvm::function_ref<llvm::Value *(llvm::Value *)> move);

  llvm::DenseMap<mlir::Value, Registers> values;
  llvm::DenseMap<mlir::Type, std::unique_ptr<layout::LinearLayout>> layouts;
  struct ThreadPart {
    layout::LinearLayout map;
    Indices indices;
  };
  /// The warps that code is being emitted for, and what they compute where their code starts.
  struct Place {
    llvm::BasicBlock *entry = nullptr;
    unsigned first = 0, warps = 4, barrier = 0;
    llvm::Value *thread = nullptr, *lane = nullptr, *warp = nullptr, *rank = nullptr;
    std::vector<ThreadPart> threadParts = {};
  };
  Place place;
  unsigned ctas = 1, totalWarps = 4;
  bool lacksMemory = false; // an op that needs shared memory has been given none
  std::shared_ptr<gpu::AccessAnalysis> accessAnalysis, provenAccessAnalysis;
  std::shared_ptr<DebugScopes> debugScopes;
};

} // namespace triton::simt
