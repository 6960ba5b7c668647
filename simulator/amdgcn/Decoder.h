// LLVM IR to decoded instructions.
//   In:  a kernel without calls of other functions.
//   Out: its code. A value of LLVM's is one slot for each scalar in it (vectors and structs are lists of slots, so that taking them apart costs nothing); integers of odd widths
//        are kept zero-extended, booleans as bytes of 0 and 1. Values whose uses are all in their own block give their slots back.
#pragma once

#include "simulator/amdgcn/Lanes.h"
#include "simulator/amdgcn/Load.h"
#include "simulator/machine/Machine.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

#include <map>
#include <memory>

namespace triton::simulator::amdgcn {

/// A scalar inside of a value.
struct Leaf {
  enum class Kind : uint8_t { Integer, Half, Brain, Float, Double };
  Kind kind = Kind::Integer;
  unsigned bits = 0;
  uint64_t offset = 0; // in memory
  unsigned bit = 0;    // of the byte there, where elements are smaller than one
  /// Of its slot, for each lane.
  unsigned bytes() const { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : bits <= 64 ? 8 : 16; }
  bool isOdd() const { return bits != 8 * bytes(); }
};
using Leaves = llvm::SmallVector<Leaf, 4>;
using Slots = llvm::SmallVector<Slot, 4>;

class Decoder {
public:
  Decoder(Program &program, llvm::Module &module, const Architecture &architecture)
      : program(program), architecture(architecture), layout(module.getDataLayout()), module(module) {}
  /// Decodes all kernels; what is wrong, or nothing.
  std::string run();

  /// False, with what is wrong.
  bool fail(const llvm::Twine &message);
  bool failed() const { return !problem.empty(); }

  // Values.
  Leaves leavesOf(llvm::Type *type);
  /// Of a type that is, or holds, one scalar.
  Leaf leafOf(llvm::Type *type);
  Slots use(const llvm::Value *value);
  Slot scalar(const llvm::Value *value) { return use(value)[0]; }
  /// New slots for the result of the instruction.
  Slots define(const llvm::Instruction &instruction);
  Slot defineScalar(const llvm::Instruction &instruction) { return define(instruction)[0]; }
  /// The result is made of slots that are there already.
  void alias(const llvm::Instruction &instruction, Slots slots);
  /// Until the end of the instruction that is being decoded.
  Slot temporary(unsigned bytes);
  Slot constant(uint64_t bits, unsigned bytes, uint64_t upper = 0);
  Slot special(Special which);
  /// The value of an operand that must be a constant.
  int64_t immediate(const llvm::Value *value);

  // Code.
  simulator::Instruction &emit(Handler handler, Family family);
  /// d = handler(a, b, c).
  void emit(Handler handler, Family family, Slot d, Slot a, Slot b = {}, Slot c = {}) {
    simulator::Instruction &made = emit(handler, family);
    made.d = d, made.a = a, made.b = b, made.c = c;
  }
  void keep(simulator::Instruction &into, llvm::ArrayRef<Slot> list);
  template <typename T> const T *keepDetails(T details) {
    auto kept = std::make_shared<const T>(std::move(details));
    program.details.push_back(kept);
    return kept.get();
  }
  /// Integers of odd widths: sets the upper bits of a result to zero, or gives an operand with its sign extended.
  void clearUpper(Slot slot, const Leaf &leaf);
  Slot signExtended(Slot slot, const Leaf &leaf);

  Program &program;
  const Architecture &architecture;
  const llvm::DataLayout &layout;

private:
  void addLeaves(llvm::Type *type, uint64_t offset, Leaves &into);
  void decodeKernel(llvm::Function &function);
  void decodeBlock(llvm::BasicBlock &block);
  void decode(const llvm::Instruction &instruction);
  void decodeTerminator(const llvm::Instruction &instruction);
  void decodeCall(const llvm::CallInst &call);
  void copyPhis(const llvm::BasicBlock &from);
  void jump(const llvm::BasicBlock *target);
  void branchIf(Slot condition, const llvm::BasicBlock *target, const llvm::BasicBlock *from);
  void placeVariables();
  /// With an error, more scalars than a kernel can want.
  bool isTooLarge(llvm::Type *type);
  Slots constantSlots(const llvm::Constant &constant);
  Slots unknownConstant(const llvm::Constant &constant);
  bool isLocal(const llvm::Instruction &instruction) const;
  uint32_t allocate(unsigned bytes);
  uint32_t allocateNew(unsigned size);
  void hold(llvm::ArrayRef<Slot> slots);
  void release(llvm::ArrayRef<Slot> slots);

  llvm::Module &module;
  std::string problem;
  const llvm::Instruction *current = nullptr;
  llvm::DenseMap<const llvm::Value *, Slots> values;
  llvm::DenseMap<const llvm::PHINode *, Slots> incoming; // what predecessors leave for it
  llvm::DenseMap<const llvm::Value *, unsigned> usesLeft;
  llvm::DenseMap<uint32_t, unsigned> holders; // of a slot, by its offset
  llvm::DenseMap<uint32_t, unsigned> widths;
  std::map<unsigned, std::vector<uint32_t>> freeSlots; // by bytes of all lanes
  Slots temporaries;
  std::map<std::tuple<unsigned, uint64_t, uint64_t>, Slot> constants;
  std::map<Special, Slot> specials;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> addresses;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> begins;
  struct Jump {
    uint32_t pc;
    const llvm::BasicBlock *target, *from; // from: where the join of a branch is looked for; null of jumps
  };
  std::vector<Jump> jumps;
  std::map<std::string, uint32_t> files;
};

/// False where it failed.
using IntrinsicDecoder = bool (*)(Decoder &, const llvm::CallInst &);
using IntrinsicTable = llvm::DenseMap<llvm::Intrinsic::ID, IntrinsicDecoder>;

// One per file that executes instructions.
bool decodeArithmetic(Decoder &decoder, const llvm::Instruction &instruction);
bool decodeMemory(Decoder &decoder, const llvm::Instruction &instruction);
bool decodeMatrixProduct(Decoder &decoder, const llvm::CallInst &call);
void addArithmetic(IntrinsicTable &table);
void addMath(IntrinsicTable &table);
void addConversions(IntrinsicTable &table);
void addWaveOperations(IntrinsicTable &table);
void addBuffers(IntrinsicTable &table);
void addPackedDots(IntrinsicTable &table);

/// Integers of more than 64 bits, which products of long ones go through.
using Wide128 = unsigned __int128;

/// Which handler of those for 1, 2, 4 and 8 bytes; of two operands, 16 too.
template <auto operation, typename D = void> Handler unaryInteger(unsigned bytes) {
  auto pick = []<typename T>(T) -> Handler { return map<operation, std::conditional_t<std::is_void_v<D>, T, D>, T>; };
  return bytes == 1   ? pick(uint8_t())
         : bytes == 2 ? pick(uint16_t())
         : bytes == 4 ? pick(uint32_t())
                      : pick(uint64_t());
}
template <auto operation, typename D = void> Handler binaryInteger(unsigned bytes) {
  auto pick = []<typename T>(T) -> Handler {
    return map<operation, std::conditional_t<std::is_void_v<D>, T, D>, T, T>;
  };
  return bytes == 1   ? pick(uint8_t())
         : bytes == 2 ? pick(uint16_t())
         : bytes == 4 ? pick(uint32_t())
         : bytes == 8 ? pick(uint64_t())
                      : pick(Wide128());
}
template <auto operation> Handler ternaryInteger(unsigned bytes) {
  auto pick = []<typename T>(T) -> Handler { return map<operation, T, T, T, T>; };
  return bytes == 1   ? pick(uint8_t())
         : bytes == 2 ? pick(uint16_t())
         : bytes == 4 ? pick(uint32_t())
                      : pick(uint64_t());
}
/// Which handler of those for floats.
template <auto operation, typename D = void> Handler unaryFloat(Leaf::Kind kind) {
  auto pick = []<typename T>(T) -> Handler { return map<operation, std::conditional_t<std::is_void_v<D>, T, D>, T>; };
  return kind == Leaf::Kind::Half    ? pick(Half())
         : kind == Leaf::Kind::Brain ? pick(Brain())
         : kind == Leaf::Kind::Float ? pick(float())
                                     : pick(double());
}
template <auto operation, typename D = void> Handler binaryFloat(Leaf::Kind kind) {
  auto pick = []<typename T>(T) -> Handler {
    return map<operation, std::conditional_t<std::is_void_v<D>, T, D>, T, T>;
  };
  return kind == Leaf::Kind::Half    ? pick(Half())
         : kind == Leaf::Kind::Brain ? pick(Brain())
         : kind == Leaf::Kind::Float ? pick(float())
                                     : pick(double());
}
template <auto operation> Handler ternaryFloat(Leaf::Kind kind) {
  auto pick = []<typename T>(T) -> Handler { return map<operation, T, T, T, T>; };
  return kind == Leaf::Kind::Half    ? pick(Half())
         : kind == Leaf::Kind::Brain ? pick(Brain())
         : kind == Leaf::Kind::Float ? pick(float())
                                     : pick(double());
}

} // namespace triton::simulator::amdgcn
