#include "simulator/amdgcn/Decoder.h"

#include "simulator/machine/Addresses.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstring>

namespace triton::simulator::amdgcn {

using SimInstruction = simulator::Instruction;

// Code that the decoder itself needs.

template <typename T> static Step copy(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  return map<[](T value) { return value; }, T, T>(warp, instruction, mask);
}
static Handler copyOf(unsigned bytes) {
  return bytes == 1   ? copy<uint8_t>
         : bytes == 2 ? copy<uint16_t>
         : bytes == 4 ? copy<uint32_t>
         : bytes == 8 ? copy<uint64_t>
                      : copy<Wide128>;
}

static Step jumpTo(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  warp.branch(instruction, mask);
  return Step::Jumped;
}
static Step branchTo(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint8_t *condition = warp.in<uint8_t>(instruction.a);
  LaneMask taken = 0;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    taken |= LaneMask(condition[lane] & 1) << lane;
  warp.branch(instruction, taken & mask);
  return Step::Jumped;
}
static Step leave(Warp &warp, const SimInstruction &, LaneMask mask) {
  warp.leave(mask, /*isExit=*/true);
  ++warp.cta.cluster.events;
  return Step::Jumped;
}
static Step trap(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Trap, "trap", /*isFatal=*/true);
  return Step::Blocked;
}
/// `details`: what is said to have failed.
static Step assertionFailed(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const auto &message = *static_cast<const std::string *>(instruction.details);
  warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Assertion, "assertion failed" + message,
                         /*isFatal=*/true);
  return Step::Blocked;
}
/// A kernel's argument, the same for all lanes: `immediate` its offset, `small[0]` its bytes.
static Step loadArgument(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const std::byte *from = warp.cta.grid().parameterBegin + instruction.immediate;
  const unsigned bytes = instruction.small[0];
  eachLane(mask, [&](unsigned lane) { std::memcpy(warp.out<std::byte>(instruction.d) + lane * bytes, from, bytes); });
  return Step::Next;
}

// Types

/// How many scalars a value of this type has; no more than one above `most` is counted.
static uint64_t countLeaves(llvm::Type *type, uint64_t most) {
  uint64_t count = 1, each = 1;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    count = vector->getNumElements();
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    count = array->getNumElements();
    each = countLeaves(array->getElementType(), most);
  } else if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    each = 0;
    for (llvm::Type *element : structure->elements())
      if ((each += countLeaves(element, most)) > most)
        break;
  }
  return each && count > most / each ? most + 1 : count * each;
}

bool Decoder::isTooLarge(llvm::Type *type) {
  constexpr uint64_t most = 1 << 16;
  if (countLeaves(type, most) <= most)
    return false;
  fail("a value of more than " + llvm::Twine(most) + " numbers is not simulated");
  return true;
}

void Decoder::addLeaves(llvm::Type *type, uint64_t offset, Leaves &into) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    const uint64_t bits = layout.getTypeSizeInBits(vector->getElementType());
    for (unsigned index = 0; index < vector->getNumElements(); ++index)
      addLeaves(vector->getElementType(), offset + index * bits / 8, into), into.back().bit = index * bits % 8;
  } else if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout *places = layout.getStructLayout(structure);
    for (unsigned index = 0; index < structure->getNumElements(); ++index)
      addLeaves(structure->getElementType(index), offset + places->getElementOffset(index).getFixedValue(), into);
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const uint64_t bytes = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t index = 0; index < array->getNumElements(); ++index)
      addLeaves(array->getElementType(), offset + index * bytes, into);
  } else if (type->isPointerTy() && type->getPointerAddressSpace() == 8) {
    into.push_back({Leaf::Kind::Integer, 64, offset}); // a buffer: where it is, and how many bytes it has
    into.push_back({Leaf::Kind::Integer, 64, offset + 8});
  } else if (type->isIntegerTy() || type->isPointerTy()) {
    const auto bits = unsigned(layout.getTypeSizeInBits(type).getFixedValue());
    if (bits > 128)
      fail("integers of " + llvm::Twine(bits) + " bits are not simulated");
    into.push_back({Leaf::Kind::Integer, bits, offset});
  } else if (type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy()) {
    into.push_back({type->isHalfTy()     ? Leaf::Kind::Half
                    : type->isBFloatTy() ? Leaf::Kind::Brain
                    : type->isFloatTy()  ? Leaf::Kind::Float
                                         : Leaf::Kind::Double,
                    type->getScalarSizeInBits(), offset});
  } else if (!type->isVoidTy()) {
    std::string name;
    llvm::raw_string_ostream(name) << *type;
    fail("values of type " + name + " are not simulated");
    into.push_back({Leaf::Kind::Integer, 32, offset});
  }
}

Leaves Decoder::leavesOf(llvm::Type *type) {
  Leaves leaves;
  if (!isTooLarge(type))
    addLeaves(type, 0, leaves);
  return leaves;
}
Leaf Decoder::leafOf(llvm::Type *type) {
  Leaves leaves = leavesOf(type->getScalarType());
  if (leaves.empty()) {
    fail("a value of no size is not simulated");
    return {Leaf::Kind::Integer, 32, 0};
  }
  return leaves[0];
}

// Slots

uint32_t Decoder::allocate(unsigned bytes) {
  unsigned size = (bytes * program.lanes + 63) / 64 * 64;
  std::vector<uint32_t> &ready = freeSlots[size];
  if (!ready.empty()) {
    uint32_t offset = ready.back();
    ready.pop_back();
    return offset;
  }
  return allocateNew(size);
}
uint32_t Decoder::allocateNew(unsigned size) {
  constexpr uint32_t most = 1u << 30; // of a wave; offsets have a bit less than a word (`Slot`)
  uint32_t offset = program.registerBytes;
  program.registerBytes += size;
  if (program.registerBytes > most) {
    fail("the registers of a wave take more than " + llvm::Twine(most) + " bytes");
    program.registerBytes = 0;
  }
  widths[offset] = size;
  return offset;
}
void Decoder::hold(llvm::ArrayRef<Slot> slots) {
  for (Slot slot : slots)
    if (!slot.isConstant())
      ++holders[slot.offset()];
}
void Decoder::release(llvm::ArrayRef<Slot> slots) {
  for (Slot slot : slots)
    if (!slot.isConstant() && --holders[slot.offset()] == 0)
      freeSlots[widths[slot.offset()]].push_back(slot.offset());
}

Slot Decoder::temporary(unsigned bytes) {
  temporaries.push_back({allocate(bytes)});
  hold(temporaries.back());
  return temporaries.back();
}

Slot Decoder::constant(uint64_t bits, unsigned bytes, uint64_t upper) {
  if (bytes < 8)
    bits &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [found, isNew] = constants.try_emplace({bytes, bits, upper});
  if (isNew) {
    const size_t offset = program.constants.size() * sizeof(Program::Line);
    program.constants.resize(program.constants.size() + (bytes * program.lanes + 63) / 64);
    auto *begin = reinterpret_cast<uint8_t *>(program.constants.data()) + offset;
    for (unsigned lane = 0; lane < program.lanes; ++lane)
      std::memcpy(begin + lane * bytes, std::array{bits, upper}.data(), bytes);
    found->second = {uint32_t(offset) | Slot::constantBit};
  }
  return found->second;
}

Slot Decoder::special(Special which) {
  auto [found, isNew] = specials.try_emplace(which);
  if (isNew) {
    found->second = {allocateNew(4 * program.lanes)}; // holds its value from the beginning
    hold(found->second);
    program.specials.emplace_back(which, found->second);
  }
  return found->second;
}

/// Bits of a constant; of an address, by where its variable lies.
static std::optional<uint64_t> bitsOf(const llvm::Constant &constant, const llvm::DataLayout &layout,
                                      const llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> &addresses) {
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(&constant))
    return integer->getBitWidth() <= 64 ? std::optional(integer->getZExtValue()) : std::nullopt;
  if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(&constant))
    return number->getValueAPF().bitcastToAPInt().getZExtValue();
  if (constant.isNullValue())
    return 0;
  if (llvm::isa<llvm::UndefValue>(constant)) // something that is noticed where it matters
    return 0xA5A5A5A5A5A5A5A5;
  if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
      expression && (expression->getOpcode() == llvm::Instruction::PtrToInt ||
                     expression->getOpcode() == llvm::Instruction::IntToPtr ||
                     expression->getOpcode() == llvm::Instruction::PtrToAddr))
    return bitsOf(*expression->getOperand(0), layout, addresses);
  if (!constant.getType()->isPointerTy())
    return std::nullopt;
  llvm::APInt offset(layout.getIndexTypeSizeInBits(constant.getType()), 0);
  const llvm::Value *base = constant.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(base))
    if (auto found = addresses.find(variable); found != addresses.end()) {
      uint64_t address = found->second + uint64_t(offset.getSExtValue());
      // A generic address of LDS carries a tag.
      return variable->getAddressSpace() == 3 && constant.getType()->getPointerAddressSpace() == 0
                 ? address | uint64_t(0xFFFE) << 48
                 : address;
    }
  if (base != &constant)
    if (auto *inner = llvm::dyn_cast<llvm::Constant>(base))
      if (std::optional<uint64_t> bits = bitsOf(*inner, layout, addresses))
        return *bits + uint64_t(offset.getSExtValue());
  return std::nullopt;
}

Slots Decoder::unknownConstant(const llvm::Constant &given) {
  std::string text;
  llvm::raw_string_ostream(text) << given;
  fail("the constant " + text + " is not simulated");
  return Slots(std::max<size_t>(1, leavesOf(given.getType()).size()), Slot{});
}

Slots Decoder::constantSlots(const llvm::Constant &given) {
  llvm::Type *type = given.getType();
  if (isTooLarge(type))
    return {Slot{}};
  if (llvm::isa<llvm::FixedVectorType>(type) || type->isAggregateType()) {
    Slots slots;
    const unsigned count = llvm::isa<llvm::FixedVectorType>(type)
                               ? llvm::cast<llvm::FixedVectorType>(type)->getNumElements()
                           : type->isStructTy() ? type->getStructNumElements()
                                                : unsigned(type->getArrayNumElements());
    for (unsigned index = 0; index < count; ++index)
      if (const llvm::Constant *element = given.getAggregateElement(index))
        slots.append(constantSlots(*element));
      else
        slots.append(unknownConstant(given));
    return slots;
  }
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(&given); integer && integer->getBitWidth() > 64) {
    llvm::APInt value = integer->getValue().zext(128);
    return {constant(value.getRawData()[0], 16, value.getRawData()[1])};
  }
  Slots slots;
  std::optional<uint64_t> bits = bitsOf(given, layout, addresses);
  if (!bits)
    return unknownConstant(given);
  for (const Leaf &leaf : leavesOf(type))
    slots.push_back(constant(leaf.isOdd() ? *bits & ((uint64_t(1) << leaf.bits) - 1) : *bits, leaf.bytes()));
  return slots;
}

Slots Decoder::use(const llvm::Value *value) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value)) {
    Slots slots = constantSlots(*constant);
    return slots.empty() ? unknownConstant(*constant) : slots; // {} has none
  }
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  fail("a value is used that nothing defines");
  return Slots(std::max<size_t>(1, leavesOf(value->getType()).size()), Slot{});
}

Slots Decoder::define(const llvm::Instruction &instruction) {
  Slots slots;
  for (const Leaf &leaf : leavesOf(instruction.getType()))
    slots.push_back({allocate(leaf.bytes())});
  if (slots.empty()) {
    fail("a result of no size is not simulated");
    slots.push_back(temporary(8));
  }
  alias(instruction, slots);
  return slots;
}
void Decoder::alias(const llvm::Instruction &instruction, Slots slots) {
  hold(slots);
  values[&instruction] = std::move(slots);
}

int64_t Decoder::immediate(const llvm::Value *value) {
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(value))
    return integer->getBitWidth() == 1 ? int64_t(integer->getZExtValue()) : integer->getSExtValue();
  fail("an operand that must be a constant is none");
  return 0;
}

// Code

bool Decoder::fail(const llvm::Twine &message) {
  if (!problem.empty())
    return false;
  problem = message.str();
  if (current) {
    std::string text;
    llvm::raw_string_ostream(text) << *current;
    problem += " (" + llvm::StringRef(text).trim().str() + ")";
  }
  return false;
}

SimInstruction &Decoder::emit(Handler handler, Family family) {
  SimInstruction &made = program.code.emplace_back();
  made.execute = handler;
  made.family = family;
  made.line = uint32_t(program.code.size());
  if (current)
    if (const llvm::DILocation *location = current->getDebugLoc().get()) {
      llvm::StringRef directory = location->getDirectory(), name = location->getFilename();
      std::string path = directory.empty() || name.starts_with("/") ? name.str() : (directory + "/" + name).str();
      auto [file, isNew] = files.try_emplace(path, uint32_t(program.files.size()));
      if (isNew)
        program.files.push_back(path);
      made.place = {file->second, location->getLine(), location->getColumn()};
      return made;
    }
  if (program.code.size() > 1)
    made.place = program.code[program.code.size() - 2].place;
  return made;
}

void Decoder::keep(SimInstruction &into, llvm::ArrayRef<Slot> list) {
  program.lists.emplace_back(list.begin(), list.end());
  into.list = program.lists.back().data();
  into.listSize = uint32_t(list.size());
}

void Decoder::clearUpper(Slot slot, const Leaf &leaf) {
  if (leaf.isOdd())
    emit(binaryInteger<[](auto a, auto b) { return a & b; }>(leaf.bytes()), Family::Integer, slot, slot,
         leaf.bits > 64 ? constant(~uint64_t(0), 16, (uint64_t(1) << (leaf.bits - 64)) - 1)
                        : constant((uint64_t(1) << leaf.bits) - 1, leaf.bytes()));
}
Slot Decoder::signExtended(Slot slot, const Leaf &leaf) {
  if (!leaf.isOdd())
    return slot;
  Slot extended = temporary(leaf.bytes());
  auto operation = [](auto value, auto shift) {
    using S = Signed<decltype(value)>;
    return S(S(decltype(value)(value << shift)) >> shift);
  };
  emit(binaryInteger<operation>(leaf.bytes()), Family::Integer, extended, slot,
       constant(8 * leaf.bytes() - leaf.bits, leaf.bytes()));
  return extended;
}

// Control flow

void Decoder::jump(const llvm::BasicBlock *target) {
  emit(jumpTo, Family::Control);
  jumps.push_back({uint32_t(program.code.size() - 1), target, nullptr});
}
void Decoder::branchIf(Slot condition, const llvm::BasicBlock *target, const llvm::BasicBlock *from) {
  emit(branchTo, Family::Control).a = condition;
  jumps.push_back({uint32_t(program.code.size() - 1), target, from});
}

/// What successors' phis take from this block goes where they look for it. All lanes may do so, whichever way they go: nobody reads it before it is written again.
void Decoder::copyPhis(const llvm::BasicBlock &from) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> seen;
  for (const llvm::BasicBlock *successor : llvm::successors(&from))
    if (seen.insert(successor).second)
      for (const llvm::PHINode &phi : successor->phis()) {
        Slots sources = use(phi.getIncomingValueForBlock(&from)), targets = incoming[&phi];
        Leaves leaves = leavesOf(phi.getType());
        for (size_t index = 0; index < leaves.size(); ++index)
          emit(copyOf(leaves[index].bytes()), Family::Move, targets[index], sources[index]);
      }
}

void Decoder::decodeTerminator(const llvm::Instruction &instruction) {
  const llvm::BasicBlock *block = instruction.getParent();
  copyPhis(*block);
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    if (branch->isConditional())
      branchIf(scalar(branch->getCondition()), branch->getSuccessor(0), block);
    jump(branch->getSuccessor(branch->isConditional() ? 1 : 0));
  } else if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    Leaf leaf = leafOf(choice->getCondition()->getType());
    Slot value = scalar(choice->getCondition()), isEqual = temporary(1);
    for (auto each : choice->cases()) {
      emit(binaryInteger<[](auto a, auto b) { return a == b; }, uint8_t>(leaf.bytes()), Family::Integer, isEqual, value,
           scalar(each.getCaseValue()));
      branchIf(isEqual, each.getCaseSuccessor(), block);
    }
    jump(choice->getDefaultDest());
  } else if (llvm::isa<llvm::ReturnInst>(instruction)) {
    jump(nullptr);
  } else if (llvm::isa<llvm::UnreachableInst>(instruction)) {
    emit(trap, Family::Control);
    jump(nullptr);
  } else {
    fail("this end of a block is not simulated");
  }
}

/// What an assertion is about; LLVM may have dropped it where it made one of two.
static std::string messageOf(const llvm::CallInst &call) {
  const llvm::MDNode *note = call.getMetadata("triton.assertion");
  auto *text = note && note->getNumOperands() ? llvm::dyn_cast<llvm::MDString>(note->getOperand(0)) : nullptr;
  return text ? ": " + text->getString().str() : std::string();
}

void Decoder::decodeCall(const llvm::CallInst &call) {
  static const IntrinsicTable table = [] {
    IntrinsicTable made;
    addArithmetic(made);
    addMath(made);
    addConversions(made);
    addWaveOperations(made);
    addBuffers(made);
    addPackedDots(made);
    return made;
  }();
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    const llvm::StringRef text = llvm::StringRef(assembly->getAsmString()).trim();
    if (text == "s_trap 2")
      emit(trap, Family::Control);
    else if (text == "s_endpgm") // which kernels end with where an assertion fails
      emit(assertionFailed, Family::Control).details = keepDetails(messageOf(call));
    else
      fail("the inline assembly '" + assembly->getAsmString() + "' is not simulated");
    return;
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isIntrinsic()) {
    fail(callee ? "'" + callee->getName() + "' is called and not defined"
                : llvm::Twine("a call of an address is not simulated"));
    return;
  }
  if (callee->getName().starts_with("llvm.amdgcn.mfma.") || callee->getName().starts_with("llvm.amdgcn.wmma.")) {
    decodeMatrixProduct(*this, call);
    return;
  }
  if (auto found = table.find(callee->getIntrinsicID()); found != table.end())
    found->second(*this, call);
  else
    fail("'" + callee->getName() + "' is not simulated");
}

void Decoder::decode(const llvm::Instruction &instruction) {
  if (instruction.isTerminator())
    return decodeTerminator(instruction);
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    Slots sources = incoming[phi], targets = define(instruction);
    Leaves leaves = leavesOf(phi->getType());
    for (size_t index = 0; index < leaves.size(); ++index)
      emit(copyOf(leaves[index].bytes()), Family::Move, targets[index], sources[index]);
    return;
  }
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return decodeCall(*call);
  if (!decodeArithmetic(*this, instruction) && !failed() && !decodeMemory(*this, instruction))
    fail("this instruction is not simulated");
}

bool Decoder::isLocal(const llvm::Instruction &instruction) const {
  return llvm::all_of(instruction.users(), [&](const llvm::User *user) {
    auto *by = llvm::cast<llvm::Instruction>(user);
    if (by->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(by))
      return false;
    return true;
  });
}

void Decoder::decodeBlock(llvm::BasicBlock &block) {
  begins[&block] = uint32_t(program.code.size());
  for (llvm::Instruction &instruction : block) {
    if (failed())
      return;
    current = &instruction;
    if (!instruction.getType()->isVoidTy() && isLocal(instruction))
      usesLeft[&instruction] = instruction.getNumUses();
    decode(instruction);
    release(temporaries);
    temporaries.clear();
    auto releaseIfDone = [&](const llvm::Value *value) {
      auto left = usesLeft.find(value);
      if (left == usesLeft.end() || left->second > 0)
        return;
      usesLeft.erase(left);
      if (auto found = values.find(value); found != values.end()) {
        release(found->second);
        values.erase(found);
      }
    };
    releaseIfDone(&instruction);
    if (!llvm::isa<llvm::PHINode>(instruction))
      for (const llvm::Use &operand : instruction.operands())
        if (auto left = usesLeft.find(operand.get()); left != usesLeft.end() && left->second > 0) {
          --left->second;
          releaseIfDone(operand.get());
        }
  }
  current = nullptr;
}

void Decoder::decodeKernel(llvm::Function &function) {
  values.clear();
  incoming.clear();
  usesLeft.clear();
  begins.clear();
  jumps.clear();
  Kernel kernel;
  kernel.name = function.getName().str();
  kernel.entry = uint32_t(program.code.size());
  llvm::StringRef sizes = function.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString();
  auto [smallest, largest] = sizes.split(',');
  uint32_t least = 0, most = 0;
  if (!smallest.trim().getAsInteger(10, least) && !largest.trim().getAsInteger(10, most)) {
    kernel.maxThreads = most;
    kernel.requiredThreads = least == most ? most : 0;
  }
  for (llvm::Argument &argument : function.args()) {
    const uint64_t alignment = layout.getABITypeAlign(argument.getType()).value();
    const uint32_t offset = uint32_t(llvm::alignTo(kernel.parameterBytes, alignment));
    const auto bytes = uint32_t(layout.getTypeAllocSize(argument.getType()).getFixedValue());
    kernel.parameters.push_back({offset, bytes});
    kernel.parameterBytes = offset + bytes;
    Slots slots;
    for (const Leaf &leaf : leavesOf(argument.getType())) {
      slots.push_back({allocate(leaf.bytes())});
      SimInstruction &made = emit(loadArgument, Family::Memory);
      made.d = slots.back();
      made.immediate = offset + leaf.offset;
      made.small[0] = uint8_t(leaf.bytes());
    }
    hold(slots);
    values[&argument] = std::move(slots);
  }
  llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
  for (llvm::BasicBlock *block : order)
    for (llvm::PHINode &phi : block->phis())
      for (const Leaf &leaf : leavesOf(phi.getType())) {
        incoming[&phi].push_back({allocate(leaf.bytes())});
        hold(incoming[&phi].back());
      }
  for (llvm::BasicBlock *block : order)
    if (!failed())
      decodeBlock(*block);
  if (failed())
    return;
  const auto end = uint32_t(program.code.size());
  emit(leave, Family::Control);
  llvm::PostDominatorTree meetings(function);
  for (const Jump &each : jumps) {
    program.code[each.pc].target = each.target ? begins.lookup(each.target) : end;
    if (!each.from)
      continue;
    const llvm::DomTreeNode *above = meetings.getNode(each.from) ? meetings.getNode(each.from)->getIDom() : nullptr;
    program.code[each.pc].join = above && above->getBlock() ? begins.lookup(above->getBlock()) : end;
  }
  for (auto &[value, slots] : values)
    release(slots);
  for (auto &[phi, slots] : incoming)
    release(slots);
  program.kernels.push_back(std::move(kernel));
}

// Variables

static void write(const llvm::Constant &constant, const llvm::DataLayout &layout,
                  const llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> &addresses, std::byte *to) {
  llvm::Type *type = constant.getType();
  if (type->isAggregateType() || type->isVectorTy()) {
    if (constant.isNullValue())
      return;
    for (unsigned index = 0;; ++index) {
      const llvm::Constant *element = constant.getAggregateElement(index);
      if (!element)
        return;
      uint64_t offset =
          type->isStructTy()
              ? layout.getStructLayout(llvm::cast<llvm::StructType>(type))->getElementOffset(index).getFixedValue()
              : index * layout.getTypeAllocSize(element->getType()).getFixedValue();
      write(*element, layout, addresses, to + offset);
    }
  }
  uint64_t bits = bitsOf(constant, layout, addresses).value_or(0);
  std::memcpy(to, &bits, std::min<uint64_t>(8, layout.getTypeStoreSize(type)));
}

void Decoder::placeVariables() {
  constexpr uint64_t mostShared = sharedOffsetMask, mostGlobal = uint64_t(1) << 30;
  uint64_t global = 0;
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != 3 || variable.isDeclaration())
      continue;
    const uint64_t offset = llvm::alignTo(program.staticSharedBytes, variable.getAlign().valueOrOne().value());
    const uint64_t bytes = layout.getTypeAllocSize(variable.getValueType()).getKnownMinValue();
    if (offset > mostShared || bytes > mostShared - offset) {
      fail("variables in shared memory take more than " + llvm::Twine(mostShared) + " bytes");
      return;
    }
    addresses[&variable] = offset;
    program.staticSharedBytes = uint32_t(offset + bytes);
  }
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() == 3) {
      if (variable.isDeclaration()) // as large as the launch says
        addresses[&variable] = llvm::alignTo(program.staticSharedBytes, program.dynamicSharedAlignment);
      continue;
    }
    if (!variable.hasInitializer())
      continue;
    const uint64_t bytes = layout.getTypeAllocSize(variable.getValueType()).getKnownMinValue();
    if (bytes > mostGlobal || (global += bytes) > mostGlobal) {
      fail("variables in global memory take more than " + llvm::Twine(mostGlobal) + " bytes");
      return;
    }
    const auto *name = keepDetails(variable.getName().str());
    Program::Memory &memory = program.variables[*name];
    memory.storage = std::make_unique<std::byte[]>(bytes + 256);
    memory.begin = reinterpret_cast<std::byte *>(llvm::alignTo(reinterpret_cast<uintptr_t>(memory.storage.get()), 256));
    memory.bytes = bytes;
    addresses[&variable] = reinterpret_cast<uint64_t>(memory.begin);
  }
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() != 3 && variable.hasInitializer())
      write(*variable.getInitializer(), layout, addresses, reinterpret_cast<std::byte *>(addresses[&variable]));
}

std::string Decoder::run() {
  placeVariables();
  for (llvm::Function &function : module)
    if (!failed() && !function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      decodeKernel(function);
  return problem;
}

/// A function that calls itself, through others too; null if there is none.
static const llvm::Function *findRecursion(llvm::Module &module) {
  const llvm::CallGraph graph(module);
  for (auto group = llvm::scc_begin(&graph); !group.isAtEnd(); ++group)
    if (group.hasCycle())
      for (const llvm::CallGraphNode *node : *group)
        if (const llvm::Function *function = node->getFunction())
          return function;
  return nullptr;
}

/// Kernels call nothing but intrinsics afterwards, and what is not defined.
static void inlineCalls(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL)
      continue;
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (llvm::BasicBlock &block : function) {
        for (llvm::Instruction &instruction : block)
          if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
            if (llvm::Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration()) {
              llvm::InlineFunctionInfo info;
              hasChanged = llvm::InlineFunction(*call, info).isSuccess();
              break;
            }
        if (hasChanged)
          break;
      }
    }
  }
}

Loaded load(std::string_view text, const Architecture &architecture) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(llvm::StringRef(text.data(), text.size()), diagnostic, context);
  if (!module)
    return {nullptr, "line " + std::to_string(diagnostic.getLineNo()) + ": " + diagnostic.getMessage().str()};
  std::string mistake;
  llvm::raw_string_ostream mistakes(mistake);
  if (llvm::verifyModule(*module, &mistakes))
    return {nullptr, llvm::StringRef(mistake).trim().str()};
  if (const llvm::Function *function = findRecursion(*module))
    return {nullptr, "function '" + function->getName().str() + "' is called in a circle, which is not simulated"};
  inlineCalls(*module);
  auto program = std::make_unique<Program>();
  program->lanes = architecture.lanes;
  std::string problem = Decoder(*program, *module, architecture).run();
  if (!problem.empty())
    return {nullptr, problem};
  return {std::move(program), ""};
}

void appendHiddenArguments(Launch &launch, uint32_t explicitBytes) {
  const size_t begin = llvm::alignTo(explicitBytes, 8);
  launch.parameters.resize(begin + hiddenArgumentBytes);
  auto write = [&](size_t offset, auto value) {
    std::memcpy(launch.parameters.data() + begin + offset, &value, sizeof(value));
  };
  for (size_t axis = 0; axis < 3; ++axis) {
    write(4 * axis, launch.grid[axis]);
    write(12 + 2 * axis, uint16_t(launch.block[axis]));
  }
  write(64, uint16_t(3));                   // dimensions of the grid
  write(120, uint32_t(launch.sharedBytes)); // dynamic
}

} // namespace triton::simulator::amdgcn
