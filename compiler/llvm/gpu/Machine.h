// What code for one vendor's GPUs is made of, where vendors differ. The emitter does all else, and asks here:
//   where a thread is, how threads wait for each other and pass values between lanes, how memory is accessed under a mask, which numbers hardware converts, and
//   what its matrix instructions are.
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/layout/SharedVectors.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <memory>
#include <optional>

namespace triton::simt {

class Emitter;
struct AccessGroup;
struct SharedPlace;

/// What one thread holds of a value: in the order of the register index of its layout; one for a scalar.
using Registers = llvm::SmallVector<llvm::Value *, 8>;
/// Nullopt: not an op of this family.
using Emitted = std::optional<llvm::LogicalResult>;

/// How one load or store of global memory is done that has a mask or is not plain.
class GlobalAccessor {
public:
  virtual ~GlobalAccessor() = default;
  /// Whether an access without a mask is LLVM's own load or store.
  virtual bool isPlain() const = 0;
  /// `count` words of `bits`; where `mask` (null: always) is false, those of `otherwise`.
  virtual Registers load(const AccessGroup &group, unsigned count, unsigned bits,
                         llvm::ArrayRef<llvm::Value *> otherwise, llvm::Value *mask) = 0;
  virtual void store(const AccessGroup &group, unsigned bits, llvm::ArrayRef<llvm::Value *> words,
                     llvm::Value *mask) = 0;
};

struct AtomicOrder {
  tensor::MemSemantic semantic;
  tensor::MemSyncScope scope;
};

class Machine {
public:
  virtual ~Machine() = default;

  /// "NVIDIA", for messages.
  virtual llvm::StringRef vendor() const = 0;
  /// What the module asks for that no such GPU has.
  virtual llvm::LogicalResult check(mlir::ModuleOp module) const = 0;
  /// Ops that only this machine has.
  virtual Emitted emitOwn(Emitter &emitter, mlir::Operation *op) const = 0;

  // Kernels
  virtual void markKernel(Emitter &emitter, mlir::FunctionOpInterface op, llvm::Function &function) const = 0;
  /// What a kernel does first, in its entry block.
  virtual void beginKernel(Emitter &, mlir::FunctionOpInterface) const {}
  /// The same where what every block may use is computed.
  virtual void enterKernel(Emitter &) const {}
  /// Before a kernel or function returns.
  virtual void leaveFunction(Emitter &) const {}
  /// The barrier of the kernel's own warps, where others run beside them.
  virtual unsigned ownBarrier() const { return 0; }

  // The thread's place: i32
  virtual llvm::CallInst *threadOfCta(Emitter &emitter) const = 0;
  /// A number that is the same in all lanes, where the hardware can know it.
  virtual llvm::CallInst *uniform(Emitter &emitter, llvm::Value *value) const = 0;
  virtual llvm::Value *ctaRank(Emitter &emitter) const = 0;
  /// Of the program in the grid, or the grid's size, along an axis.
  virtual llvm::Value *grid(Emitter &emitter, bool isSize, tensor::ProgramIDDim axis) const = 0;

  // Waiting
  /// Of `warps` warps that have a barrier of that number; of the CTA if it is 0.
  virtual void barrier(Emitter &emitter, unsigned number, unsigned warps) const = 0;
  /// The same, behind which threads need only see what others wrote to shared memory: other memory is not waited for where that costs something.
  virtual void sharedBarrier(Emitter &emitter, unsigned number, unsigned warps) const {
    barrier(emitter, number, warps);
  }
  virtual void clusterBarrier(Emitter &emitter) const = 0;

  // Between lanes, 32 bits
  virtual llvm::Value *shuffleXor(Emitter &emitter, llvm::Value *word, unsigned mask) const = 0;
  virtual llvm::Value *shuffleIndex(Emitter &emitter, llvm::Value *word, llvm::Value *lane) const = 0;
  /// An i32 combined over a warp by one instruction; null if there is none for this combination.
  virtual llvm::Value *reduceWarp(Emitter &, mlir::Operation *, llvm::Value *) const { return nullptr; }

  // Memory
  virtual std::unique_ptr<GlobalAccessor> accessGlobal(Emitter &emitter, mlir::Operation *op,
                                                       tensor::CacheModifier cache, tensor::EvictionPolicy evict,
                                                       bool isVolatile) const = 0;
  /// The name of LLVM's synchronisation scope of a CTA.
  virtual llvm::StringRef ctaScope() const = 0;
  virtual void storeSharedIf(Emitter &emitter, llvm::Value *condition, llvm::Value *value, llvm::Value *address,
                             unsigned bits) const = 0;
  /// By instructions that move matrices; false or nullopt where none does what the plan says.
  virtual bool storeMatrices(Emitter &, const SharedPlace &, const layout::SharedVectors &,
                             llvm::ArrayRef<llvm::Value *>) const {
    return false;
  }
  virtual std::optional<Registers> loadMatrices(Emitter &, const SharedPlace &, const layout::SharedVectors &,
                                                llvm::Type *) const {
    return std::nullopt;
  }
  /// Bytes of the shared memory of another CTA of the cluster, as an integer.
  virtual llvm::Value *loadFromCta(Emitter &emitter, llvm::Value *address, llvm::Value *cta, unsigned bytes) const = 0;

  // Atomics on global memory; only where `guard`, if there is one, is true
  /// How many bytes of neighbouring floats one instruction adds to; 0: none does.
  virtual unsigned floatAddBytes(llvm::Type *element) const = 0;
  virtual Registers addFloats(Emitter &emitter, AtomicOrder order, llvm::Value *pointer,
                              llvm::ArrayRef<llvm::Value *> values, llvm::Value *guard) const = 0;
  /// On an integer of 32 or 64 bits.
  virtual llvm::Value *update(Emitter &emitter, AtomicOrder order, tensor::RMWOp kind, llvm::Value *pointer,
                              llvm::Value *value, llvm::Value *guard) const = 0;
  virtual llvm::Value *compareAndSwap(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                                      llvm::Value *desired, llvm::Value *guard) const = 0;
  /// The same of the 32 bits around a smaller element, tried until nobody came between.
  virtual llvm::Value *compareAndSwapAround(Emitter &emitter, AtomicOrder order, llvm::Value *pointer,
                                            llvm::Value *expected, llvm::Value *desired) const {
    return compareAndSwap(emitter, order, pointer, expected, desired, /*guard=*/nullptr);
  }

  // Numbers
  /// f32, within 2 ulp.
  virtual llvm::Value *divide(Emitter &emitter, llvm::Value *a, llvm::Value *b) const = 0;
  /// An f32 function of `math` that hardware approximates; null if it does not.
  virtual llvm::Value *approximate(Emitter &emitter, mlir::Operation *op, llvm::Value *x) const = 0;
  /// A function of the math library by its C name, without the suffix of f32; null if the machine has none.
  virtual llvm::Value *callMath(Emitter &emitter, llvm::StringRef name,
                                llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// f32 or f64 to an integer of 32 or 64 bits, toward zero, too large ones to the largest.
  virtual llvm::Value *toInteger(Emitter &emitter, llvm::Value *value, bool isWide, bool isSigned) const = 0;
  /// Two f32 toward zero: a vector of two halves or bfloats.
  virtual llvm::Value *truncatePair(Emitter &emitter, llvm::Value *low, llvm::Value *high, bool isHalf) const = 0;
  /// f64 to f32, toward zero.
  virtual llvm::Value *truncateToSingle(Emitter &emitter, llvm::Value *value) const = 0;
  /// Whether hardware rounds two numbers to this 8-bit format, and makes two halves of two such.
  virtual bool convertsToBytes(mlir::Type) const { return false; }
  virtual bool convertsFromBytes(mlir::Type) const { return false; }
  /// Two f32 or f16 as an i16 of two bytes; an i16 of two bytes as two halves.
  virtual llvm::Value *toBytes(Emitter &, mlir::Type, llvm::Value *, llvm::Value *) const { return nullptr; }
  virtual llvm::Value *fromBytes(Emitter &, mlir::Type, llvm::Value *) const { return nullptr; }

  // Inline assembly
  /// What its text is, and the constraints that name registers: "PTX", "b, h, r".
  virtual llvm::StringRef assembly() const = 0;
  virtual llvm::StringRef constraints() const = 0;
  /// The type of a register that a constraint names; null if there is none of that name.
  virtual llvm::Type *registerOf(Emitter &emitter, llvm::StringRef constraint) const = 0;

  // Dots
  /// By a matrix instruction; nullopt for layouts that are none's.
  virtual Emitted emitDot(Emitter &emitter, tensor::DotOp dot) const = 0;

  // To the outside
  virtual llvm::LogicalResult print(Emitter &emitter, mlir::Operation *op, llvm::StringRef format,
                                    llvm::ArrayRef<llvm::Value *> arguments) const = 0;
  /// Ends the kernel with a message.
  virtual void failAssert(Emitter &emitter, llvm::StringRef message, llvm::StringRef file, unsigned line,
                          llvm::StringRef function) const = 0;
};

} // namespace triton::simt
