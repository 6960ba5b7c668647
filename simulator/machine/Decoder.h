// Syntax to decoded instructions. Each family of instructions decodes itself, in the file that executes it, and enters its names here.
//   In:  a statement, whose opcode and operands the family reads through the Decoder.
//   Out: one or more instructions; what is not understood is a problem at the line of the PTX.
#pragma once

#include "simulator/machine/Program.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace triton::simulator {

/// A type as instructions name it: f32, u8, bf16x2.
struct Type {
  enum class Kind : uint8_t { Bits, Unsigned, Signed, Float, Brain, Tensor, Predicate };
  Kind kind = Kind::Bits;
  unsigned bits = 0;     // of an element
  bool isPacked = false; // two of them
  unsigned bytes() const { return bits / 8 * (isPacked ? 2 : 1); }
  bool isSigned() const { return kind == Kind::Signed; }
  bool isFloat() const { return kind == Kind::Float || kind == Kind::Brain || kind == Kind::Tensor; }
};
std::optional<Type> typeOf(std::string_view name);

class Decoder {
public:
  Decoder(Program &program, const ptx::Module &module) : program(program), module(module) {}
  std::string run();

  // What is being decoded.
  const ptx::Statement &statement() const { return *current; }
  const std::vector<std::string_view> &opcode() const { return current->opcode; }
  size_t operandCount() const { return current->operands.size(); }
  /// Operand `index`; a problem, and something empty, where there is none.
  const ptx::Operand &operand(size_t index);
  /// Whether the opcode has this part.
  bool has(std::string_view part) const;
  /// Parts of the opcode that are types, in order.
  const std::vector<Type> &types() const { return typesOfOpcode; }
  Type type(size_t index);
  std::string opcodeText() const;

  bool fail(const std::string &message);
  bool failed() const { return !problem.empty(); }
  /// "is not simulated", with the opcode.
  bool unknown();

  // Operands.
  Slot source(const ptx::Operand &operand, Type type);
  Slot source(size_t index, Type type) { return source(operand(index), type); }
  /// A register of `bytes`, or an immediate of as many.
  Slot bits(const ptx::Operand &operand, unsigned bytes);
  Slot bits(size_t index, unsigned bytes) { return bits(operand(index), bytes); }
  /// A register of any width, which comes back too; immediates take `bytes`.
  Slot anyWidth(const ptx::Operand &operand, unsigned &bytes);
  Slot destination(const ptx::Operand &operand, unsigned bytes);
  Slot destination(size_t index, unsigned bytes) { return destination(operand(index), bytes); }
  PredicateSlot predicate(const ptx::Operand &operand);
  PredicateSlot predicate(size_t index) { return predicate(operand(index)); }
  uint32_t destinationPredicate(const ptx::Operand &operand);
  /// %r|%p.
  std::optional<uint32_t> secondPredicate(const ptx::Operand &operand);
  int64_t integer(const ptx::Operand &operand);
  bool isRegister(const ptx::Operand &operand) const { return operand.kind == ptx::Operand::Kind::Register; }
  unsigned registerBytes(const ptx::Operand &operand) const;
  bool isPredicate(const ptx::Operand &operand) const;
  /// {a, b, …} or a single register, as slots of `bytes` each; `_` is a register that nobody reads.
  std::vector<Slot> vector(const ptx::Operand &operand, unsigned bytes, bool isDestination);

  /// The address of an instruction in `into.a` and `into.immediate`, and how many bytes its register has in small[3]. Symbols decide the space of
  /// `.param`, which lies in local memory but for the kernel's own.
  void address(const ptx::Operand &operand, Instruction &into, ptx::Space &space);

  Slot constant(uint64_t bits, unsigned bytes);
  Slot temporary(unsigned bytes);
  Slot special(Special which);
  const Slot *keep(std::vector<Slot> list, Instruction &into);
  template <typename T> const T *keepDetails(T details) {
    auto kept = std::make_shared<const T>(std::move(details));
    program.details.push_back(kept);
    return kept.get();
  }

  /// An instruction with the statement's guard and place; valid until the next one.
  Instruction &emit(Handler handler);
  uint32_t here() const { return uint32_t(program.code.size()); }
  void jumpTo(uint32_t pc, const ptx::Operand &label);
  /// Offset in local memory of a .param or .local variable.
  std::optional<uint32_t> localOffset(std::string_view name) const;

  struct DecodedFunction {
    const ptx::Function *syntax;
    uint32_t entry = 0, end = 0;
    std::vector<uint32_t> parameters, results; // offsets in local memory
  };
  DecodedFunction *find(std::string_view name);
  void callLater(uint32_t pc, std::string_view name) { calls.emplace_back(pc, name); }
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> indexedBranches; // pc of brx.idx, and its targets
  std::vector<const ptx::Operand *> targetsOf(std::string_view table);

  Program &program;
  const ptx::Module &module;

private:
  void layoutVariables();
  void placeLocal(const ptx::Function &function);
  void decodeFunction(DecodedFunction &function);
  void noteRegisters(const ptx::Statement &statement);
  std::optional<int64_t> symbol(std::string_view name) const;
  bool isWidth(unsigned bytes);
  uint32_t allocate(unsigned bytes);
  /// In local memory, which all functions share.
  uint32_t allocateLocal(const ptx::Variable &variable);
  void checkCalls();

  struct Jump {
    uint32_t pc;
    std::string_view label;
    uint32_t scope, line;
  };
  const ptx::Statement *current = nullptr;
  const ptx::Function *function = nullptr;
  std::vector<Type> typesOfOpcode;
  std::string problem;
  bool watchesRegisters = false; // the function has instructions that go on by themselves
  std::vector<Slot> registerSlots;
  std::vector<uint32_t> predicateIndices;
  std::map<std::pair<unsigned, uint64_t>, Slot> constantSlots;
  std::map<Special, Slot> specialSlots;
  std::unordered_map<std::string_view, int64_t> moduleSymbols, localSymbols; // addresses, offsets
  std::unordered_map<std::string_view, uint32_t> entryParameters;
  std::vector<Jump> jumps;
  std::vector<DecodedFunction> functions;
  std::vector<std::pair<uint32_t, std::string_view>> calls;
  uint32_t localCursor = 0;
};

using DecodeFunction = bool (*)(Decoder &);
/// By the first part of the opcode.
using DecodeTable = std::unordered_map<std::string_view, DecodeFunction>;

/// Arithmetic on floats, for names that integers have too: add, mul, min…
bool decodeFloat(Decoder &decoder);

/// atom and red, and multimem.red, which is one.
bool decodeAtomic(Decoder &decoder);

/// mov of a special register to a predicate.
bool decodeIsNotZero(Decoder &decoder);
/// cp.async.bulk and cp.reduce.async.bulk, and the arrival of cp.async at an mbarrier, which begin as cp.async does.
bool decodeBulkCopy(Decoder &decoder);
bool decodeCopyArrival(Decoder &decoder);
/// cp.async of a warp that has not landed does, but for so many of the newest groups.
void landCopies(Warp &warp, uint64_t pending, bool withOpenGroup);

// One per file that executes instructions.
void addArithmetic(DecodeTable &table);
void addComparisons(DecodeTable &table);
void addFloats(DecodeTable &table);
void addApproximations(DecodeTable &table);
void addConversions(DecodeTable &table);
void addControl(DecodeTable &table);
void addCalls(DecodeTable &table);
void addMemory(DecodeTable &table);
void addAtomics(DecodeTable &table);
void addWarpOperations(DecodeTable &table);
void addCopies(DecodeTable &table);
void addMatrixMoves(DecodeTable &table);
void addMma(DecodeTable &table);
void addMbarriers(DecodeTable &table);
void addTensorCopies(DecodeTable &table);
void addTensorMaps(DecodeTable &table);
void addWgmma(DecodeTable &table);
void addTcgen05(DecodeTable &table);
void addLaunchControl(DecodeTable &table);
void addVideo(DecodeTable &table);

/// The space that the opcode names; generic where it names none.
ptx::Space spaceOf(const Decoder &decoder);
/// Semantics and scope that the opcode names. Volatile accesses order as acquire and release do: kernels poll by them.
Ordering orderingOf(const Decoder &decoder);

/// Sets `join` of all branches in [begin, end) to where their paths meet again: the immediate post-dominator; `end - 1` is the function's last return.
void findJoins(std::vector<Instruction> &code, uint32_t begin, uint32_t end,
               const std::vector<std::pair<uint32_t, std::vector<uint32_t>>> &indexedBranches);

/// How control flow sees an instruction.
bool isBranch(const Instruction &instruction);
bool isIndexedBranch(const Instruction &instruction);
bool isReturn(const Instruction &instruction);

} // namespace triton::simulator
