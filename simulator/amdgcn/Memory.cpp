// Loads, stores, atomics, private memory; accesses of buffers, which are bounded by themselves.
#include "simulator/machine/Memory.h"
#include "simulator/amdgcn/Decoder.h"
#include "simulator/watch/GlobalRaces.h"
#include "simulator/watch/Groups.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cmath>
#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using llvm::dyn_cast;
using ptx::Space;
using SimInstruction = simulator::Instruction;

/// What an access moves: scalars at offsets behind an address.
struct Form {
  Space space = Space::Generic;
  unsigned bytes = 0, alignment = 1, addressBytes = 8;
  struct Part {
    uint64_t offset;
    unsigned bits, bit, memoryBytes, slotBytes; // bit: of the first byte
  };
  std::vector<Part> parts;
  bool isPacked = false; // elements are not whole bytes
};

Space spaceOf(unsigned addressSpace) {
  switch (addressSpace) {
  case 0:
    return Space::Generic;
  case 3:
    return Space::Shared;
  case 5:
    return Space::Local;
  default: // global, constant
    return Space::Global;
  }
}

Form formOf(Decoder &decoder, llvm::Type *type, unsigned addressSpace, llvm::Align alignment) {
  Form form;
  form.space = spaceOf(addressSpace);
  form.bytes = unsigned(decoder.layout.getTypeStoreSize(type));
  form.alignment = unsigned(std::min<uint64_t>(alignment.value(), 1u << 31)); // LLVM has twice that
  form.addressBytes = form.space == Space::Shared || form.space == Space::Local ? 4 : 8;
  for (const Leaf &leaf : decoder.leavesOf(type))
    form.parts.push_back({leaf.offset, leaf.bits, leaf.bit, (leaf.bits + 7) / 8, leaf.bytes()});
  form.isPacked = type->isVectorTy() && type->getScalarSizeInBits() % 8;
  return form;
}

uint64_t bitsAt(const std::byte *from, unsigned first, unsigned count) {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < count; ++bit)
    value |= uint64_t(uint8_t(from[(first + bit) / 8]) >> (first + bit) % 8 & 1) << bit;
  return value;
}
void putBits(std::byte *to, unsigned first, unsigned count, const std::byte *value) {
  for (unsigned bit = 0; bit < count; ++bit) {
    std::byte &at = to[(first + bit) / 8];
    const auto one = std::byte(1u << (first + bit) % 8);
    at = (uint8_t(value[bit / 8]) >> bit % 8 & 1) ? at | one : at & ~one;
  }
}

void readParts(Warp &warp, const SimInstruction &instruction, const Form &form, const std::byte *from, unsigned lane) {
  for (size_t index = 0; index < form.parts.size(); ++index) {
    const Form::Part &part = form.parts[index];
    Wide128 value = 0;
    if (from && form.isPacked)
      value = bitsAt(from + part.offset, part.bit, part.bits);
    else if (from)
      std::memcpy(&value, from + part.offset, part.memoryBytes);
    std::memcpy(warp.out<std::byte>(instruction.list[index]) + lane * part.slotBytes, &value, part.slotBytes);
  }
}
void writeParts(Warp &warp, const SimInstruction &instruction, const Form &form, std::byte *to, unsigned lane) {
  for (size_t index = 0; index < form.parts.size(); ++index) {
    const Form::Part &part = form.parts[index];
    const std::byte *value = warp.in<std::byte>(instruction.list[index]) + lane * part.slotBytes;
    if (form.isPacked)
      putBits(to + part.offset, part.bit, part.bits, value);
    else
      std::memcpy(to + part.offset, value, part.memoryBytes);
  }
}

template <Access kind> Step access(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  constexpr bool isLoad = kind != Access::Write;
  auto &form = *static_cast<const Form *>(instruction.details);
  bool isFine = true;
  eachLane(mask, [&](unsigned lane) {
    if (!isFine)
      return;
    std::byte *at = locate(warp, instruction, form.space, addressIn(warp, instruction.a, form.addressBytes, lane),
                           form.bytes, form.alignment, lane, kind);
    isFine = at;
    if (!at)
      return;
    if constexpr (isLoad)
      readParts(warp, instruction, form, at, lane);
    else
      writeParts(warp, instruction, form, at, lane);
  });
  if (!isFine)
    return Step::Blocked;
  // Other waves come to their loads before this one has its values, as on a GPU.
  return isLoad && form.space == Space::Global ? Step::Switch : Step::Next;
}

Ordering orderingOf(const llvm::Instruction &instruction, llvm::AtomicOrdering order, llvm::SyncScope::ID id) {
  llvm::SmallVector<llvm::StringRef> names;
  instruction.getContext().getSyncScopeNames(names);
  const llvm::StringRef name = id < names.size() ? names[id] : "";
  return {.isStrong = order != llvm::AtomicOrdering::NotAtomic,
          .acquires = llvm::isAcquireOrStronger(order),
          .releases = llvm::isReleaseOrStronger(order),
          .scope = name.starts_with("agent") || name.empty() || name == "one-as" ? Scope::Device : Scope::Cta};
}
/// Volatile accesses order as acquire and release do: kernels poll by them.
template <typename AccessInst> Ordering orderingOf(const AccessInst &access) {
  if (access.isVolatile() && !access.isAtomic())
    return {.isStrong = true, .acquires = true, .releases = true};
  return orderingOf(access, access.getOrdering(), access.getSyncScopeID());
}

bool decodeLoad(Decoder &decoder, const llvm::LoadInst &load) {
  Form form = formOf(decoder, load.getType(), load.getPointerAddressSpace(), load.getAlign());
  Slot address = decoder.scalar(load.getPointerOperand());
  Slots d = decoder.define(load);
  SimInstruction &made = decoder.emit(
      load.isVolatile() || load.isAtomic() ? access<Access::Volatile> : access<Access::Read>, Family::Memory);
  made.a = address;
  made.ordering = orderingOf(load);
  decoder.keep(made, d);
  made.details = decoder.keepDetails(std::move(form));
  return true;
}
bool decodeStore(Decoder &decoder, const llvm::StoreInst &store) {
  Form form = formOf(decoder, store.getValueOperand()->getType(), store.getPointerAddressSpace(), store.getAlign());
  Slot address = decoder.scalar(store.getPointerOperand());
  Slots values = decoder.use(store.getValueOperand());
  SimInstruction &made = decoder.emit(access<Access::Write>, Family::Memory);
  made.a = address;
  made.ordering = orderingOf(store);
  decoder.keep(made, values);
  made.details = decoder.keepDetails(std::move(form));
  return true;
}

// Atomics

using Operation = llvm::AtomicRMWInst::BinOp;

struct AtomicForm {
  Space space;
  unsigned addressBytes, bytes;
  Operation operation = Operation::Add;
  Leaf::Kind kind = Leaf::Kind::Integer;
  unsigned elements = 1; // of a pair of halves: 2
  bool swaps = false;    // compare and swap
};

template <typename T> T combineIntegers(Operation operation, T old, T value) {
  using Signed = std::make_signed_t<T>;
  switch (operation) {
  case Operation::Add:
    return old + value;
  case Operation::Sub:
    return old - value;
  case Operation::And:
    return old & value;
  case Operation::Nand:
    return ~(old & value);
  case Operation::Or:
    return old | value;
  case Operation::Xor:
    return old ^ value;
  case Operation::Max:
    return Signed(old) > Signed(value) ? old : value;
  case Operation::Min:
    return Signed(old) < Signed(value) ? old : value;
  case Operation::UMax:
    return std::max(old, value);
  case Operation::UMin:
    return std::min(old, value);
  default:
    return value;
  }
}
template <typename F> F combineFloats(Operation operation, F old, F value) {
  switch (operation) {
  case Operation::FAdd:
    return old + value;
  case Operation::FSub:
    return old - value;
  case Operation::FMax:
    return std::fmax(old, value);
  case Operation::FMin:
    return std::fmin(old, value);
  default:
    return value;
  }
}
uint64_t combine(const AtomicForm &form, uint64_t old, uint64_t value) {
  switch (form.kind) {
  case Leaf::Kind::Double:
    return std::bit_cast<uint64_t>(
        combineFloats(form.operation, std::bit_cast<double>(old), std::bit_cast<double>(value)));
  case Leaf::Kind::Float:
    return std::bit_cast<uint32_t>(
        combineFloats(form.operation, std::bit_cast<float>(uint32_t(old)), std::bit_cast<float>(uint32_t(value))));
  case Leaf::Kind::Half:
    return floatToHalf(combineFloats(form.operation, halfToFloat(uint16_t(old)), halfToFloat(uint16_t(value))));
  case Leaf::Kind::Brain:
    return floatToBrain(combineFloats(form.operation, brainToFloat(uint16_t(old)), brainToFloat(uint16_t(value))));
  case Leaf::Kind::Integer:
    break;
  }
  return form.bytes == 8   ? combineIntegers<uint64_t>(form.operation, old, value)
         : form.bytes == 4 ? combineIntegers<uint32_t>(form.operation, uint32_t(old), uint32_t(value))
         : form.bytes == 2 ? uint16_t(combineIntegers<uint32_t>(form.operation, uint32_t(old), uint32_t(value)))
                           : uint8_t(combineIntegers<uint32_t>(form.operation, uint32_t(old), uint32_t(value)));
}
uint64_t combineAll(const AtomicForm &form, uint64_t old, uint64_t value) {
  if (form.elements == 1)
    return combine(form, old, value);
  return combine(form, old & 0xFFFF, value & 0xFFFF) | combine(form, old >> 16 & 0xFFFF, value >> 16 & 0xFFFF) << 16;
}

template <typename T> uint64_t change(std::byte *at, const AtomicForm &form, uint64_t expected, uint64_t value) {
  auto *place = reinterpret_cast<T *>(at);
  if (form.swaps) {
    T seen = T(expected);
    __atomic_compare_exchange_n(place, &seen, T(value), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return seen;
  }
  T old = __atomic_load_n(place, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(place, &old, T(combineAll(form, old, value)), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST))
    ;
  return old;
}

/// `list`: results of a pair; d: the result, or the first; b: the value, c: what is expected.
uint64_t changeAt(std::byte *at, const AtomicForm &form, uint64_t expected, uint64_t value) {
  return form.bytes == 8   ? change<uint64_t>(at, form, expected, value)
         : form.bytes == 4 ? change<uint32_t>(at, form, expected, value)
         : form.bytes == 2 ? change<uint16_t>(at, form, expected, value)
                           : change<uint8_t>(at, form, expected, value);
}
uint64_t wordOf(const Warp &warp, const Slot *slots, const AtomicForm &form, unsigned lane) {
  uint64_t value = 0;
  const unsigned bytes = form.bytes / form.elements;
  for (unsigned index = 0; index < form.elements; ++index)
    std::memcpy(reinterpret_cast<std::byte *>(&value) + index * bytes, warp.in<std::byte>(slots[index]) + lane * bytes,
                bytes);
  return value;
}
/// `list`: results (of compare and swap, whether it did behind them), values, and what is expected.
Step atomic(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const AtomicForm *>(instruction.details);
  const Slot *results = instruction.list, *values = results + form.elements + (form.swaps ? 1 : 0),
             *expectations = values + form.elements;
  const unsigned bytes = form.bytes / form.elements;
  bool isFine = true;
  eachLane(mask, [&](unsigned lane) {
    if (!isFine)
      return;
    std::byte *at = locate(warp, instruction, form.space, addressIn(warp, instruction.a, form.addressBytes, lane),
                           form.bytes, lane, Access::Atomic);
    isFine = at;
    if (!at)
      return;
    const uint64_t expected = form.swaps ? wordOf(warp, expectations, form, lane) : 0;
    const uint64_t old = changeAt(at, form, expected, wordOf(warp, values, form, lane));
    for (unsigned index = 0; index < form.elements; ++index)
      std::memcpy(warp.out<std::byte>(results[index]) + lane * bytes,
                  reinterpret_cast<const std::byte *>(&old) + index * bytes, bytes);
    if (form.swaps)
      warp.out<uint8_t>(results[form.elements])[lane] = old == expected;
  });
  ++warp.cta.cluster.events;
  return isFine ? Step::Next : Step::Blocked;
}

bool decodeAtomic(Decoder &decoder, const llvm::Instruction &instruction) {
  auto *update = dyn_cast<llvm::AtomicRMWInst>(&instruction);
  auto *swap = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  const llvm::Value *pointer = update ? update->getPointerOperand() : swap->getPointerOperand();
  const llvm::Value *value = update ? update->getValOperand() : swap->getNewValOperand();
  AtomicForm form;
  form.space = spaceOf(pointer->getType()->getPointerAddressSpace());
  form.addressBytes = form.space == Space::Shared || form.space == Space::Local ? 4 : 8;
  Leaves leaves = decoder.leavesOf(value->getType());
  form.elements = unsigned(leaves.size());
  form.kind = leaves[0].kind;
  form.bytes = leaves[0].bytes() * form.elements;
  form.swaps = swap;
  if (update) {
    form.operation = update->getOperation();
    switch (form.operation) {
    case Operation::Xchg:
    case Operation::Add:
    case Operation::Sub:
    case Operation::And:
    case Operation::Nand:
    case Operation::Or:
    case Operation::Xor:
    case Operation::Max:
    case Operation::Min:
    case Operation::UMax:
    case Operation::UMin:
    case Operation::FAdd:
    case Operation::FSub:
    case Operation::FMax:
    case Operation::FMin:
      break;
    default:
      return decoder.fail("this atomic is not simulated");
    }
  }
  if (form.bytes > 8 || (form.elements == 2 && form.bytes != 4) || form.elements > 2)
    return decoder.fail("atomics of this type are not simulated");
  Slot address = decoder.scalar(pointer);
  Slots values = decoder.use(value), expected;
  if (swap)
    expected = decoder.use(swap->getCompareOperand());
  Slots list = decoder.define(instruction);
  list.append(values);
  list.append(expected);
  SimInstruction &made = decoder.emit(atomic, Family::Memory);
  made.a = address;
  made.ordering = update ? orderingOf(*update, update->getOrdering(), update->getSyncScopeID())
                         : orderingOf(*swap, swap->getSuccessOrdering(), swap->getSyncScopeID());
  decoder.keep(made, list);
  made.details = decoder.keepDetails(form);
  return true;
}

/// What a wave does is seen in order here: a fence is for those who watch.
Step fence(Warp &warp, const SimInstruction &instruction, LaneMask) {
  if (GlobalRaces *races = warp.cta.grid().globalRaces.get())
    races->fence(warp, instruction.ordering.scope);
  return Step::Next;
}

// Buffers: what is outside reads as zero, and is not written.

bool decodeMakeBuffer(Decoder &decoder, const llvm::CallInst &call) {
  Slot base = decoder.scalar(call.getArgOperand(0)), records = decoder.scalar(call.getArgOperand(2));
  if (decoder.leafOf(call.getArgOperand(2)->getType()).bytes() != 8) {
    Slot wide = decoder.temporary(8);
    decoder.emit(map<[](uint32_t value) { return uint64_t(value); }, uint64_t, uint32_t>, Family::Conversion, wide,
                 records);
    records = wide;
  }
  Slots d = decoder.define(call);
  auto copy = map<[](uint64_t value) { return value; }, uint64_t, uint64_t>;
  decoder.emit(copy, Family::Move, d[0], base);
  decoder.emit(copy, Family::Move, d[1], records);
  return true;
}

/// Where a lane's access of a buffer goes: a: base, b: bytes, `list`'s last two: offsets of lane and wave. Null where it is outside.
std::byte *locateInBuffer(Warp &warp, const SimInstruction &instruction, unsigned bytes, unsigned alignment,
                          unsigned lane, Access access, bool &isFine) {
  const Slot *offsets = instruction.list + instruction.listSize - 2;
  const uint64_t base = warp.in<uint64_t>(instruction.a)[lane], records = warp.in<uint64_t>(instruction.b)[lane];
  const uint32_t own = warp.in<uint32_t>(offsets[0])[lane], shared = warp.in<uint32_t>(offsets[1])[lane];
  if (uint64_t(own) + bytes > (records & 0xFFFFFFFF))
    return nullptr;
  std::byte *at = locate(warp, instruction, Space::Global, base + own + shared, bytes, alignment, lane, access);
  isFine = isFine && at;
  return at;
}
template <bool isLoad> Step accessBuffer(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Form *>(instruction.details);
  bool isFine = true;
  eachLane(mask, [&](unsigned lane) {
    std::byte *at = !isFine ? nullptr
                            : locateInBuffer(warp, instruction, form.bytes, form.alignment, lane,
                                             isLoad ? Access::Read : Access::Write, isFine);
    if constexpr (isLoad)
      readParts(warp, instruction, form, at, lane);
    else if (at)
      writeParts(warp, instruction, form, at, lane);
  });
  return !isFine ? Step::Blocked : isLoad ? Step::Switch : Step::Next;
}
template <bool isLoad> bool decodeBufferAccess(Decoder &decoder, const llvm::CallInst &call) {
  const unsigned first = isLoad ? 0 : 1;
  llvm::Type *type = isLoad ? call.getType() : call.getArgOperand(0)->getType();
  Form form = formOf(decoder, type, 1, llvm::Align());
  form.alignment = std::min(form.bytes, 4u); // units of 4 bytes, or the whole
  Slots buffer = decoder.use(call.getArgOperand(first));
  Slots list = isLoad ? Slots() : decoder.use(call.getArgOperand(0));
  Slots offsets = {decoder.scalar(call.getArgOperand(first + 1)), decoder.scalar(call.getArgOperand(first + 2))};
  if (isLoad)
    list = decoder.define(call);
  list.append(offsets);
  SimInstruction &made = decoder.emit(accessBuffer<isLoad>, Family::Memory);
  made.a = buffer[0], made.b = buffer[1];
  decoder.keep(made, list);
  made.details = decoder.keepDetails(std::move(form));
  return true;
}

/// From a buffer to LDS: a: base, b: bytes, c: where the first lane's piece goes, of which lanes have one side by side, `immediate` bytes each. What is outside is zero there. An instruction is a
/// group: waits count instructions.
Step copyToShared(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const auto bytes = unsigned(instruction.immediate);
  const unsigned first = unsigned(std::countr_zero(mask));
  const uint32_t begin = warp.in<uint32_t>(instruction.c)[first];
  bool isFine = true;
  {
    simulator::Operation operation(warp, Proxy::Generic);
    operation.joins(Group::Copies);
    eachLane(mask, [&](unsigned lane) {
      if (!isFine)
        return;
      const std::byte *from = locateInBuffer(warp, instruction, bytes, 4, lane, Access::Read, isFine);
      std::byte *to =
          !isFine ? nullptr
                  : locate(warp, instruction, Space::Shared, begin + lane * bytes, bytes, 4, lane, Access::Write);
      isFine = isFine && to;
      if (!isFine)
        return;
      Warp::LateCopy made{to, from, bytes, from ? bytes : 0, warp.copyGroups};
      warp.lateCopies.push_back(made);
    });
  }
  ++warp.copyGroups;
  commitGroup<Group::Copies>(warp, instruction, mask);
  if (!warp.cta.grid().launch.seed)
    landCopies(warp, 0, /*withOpenGroup=*/true);
  return isFine ? Step::Next : Step::Blocked;
}
bool decodeCopyToShared(Decoder &decoder, const llvm::CallInst &call) {
  Slots buffer = decoder.use(call.getArgOperand(0));
  Slot to = decoder.scalar(call.getArgOperand(1));
  const int64_t bytes = decoder.immediate(call.getArgOperand(2));
  Slots offsets = {decoder.scalar(call.getArgOperand(3)), decoder.scalar(call.getArgOperand(4))};
  if (decoder.immediate(call.getArgOperand(5)) != 0)
    return decoder.fail("copies to LDS with an offset of the instruction are not simulated");
  if (bytes != 4 && !(decoder.architecture.name == "gfx950" && (bytes == 12 || bytes == 16)))
    return decoder.fail("copies of " + llvm::Twine(bytes) + " bytes to LDS are none of " + decoder.architecture.name);
  SimInstruction &made = decoder.emit(copyToShared, Family::AsyncCopy);
  made.a = buffer[0], made.b = buffer[1], made.c = to;
  made.immediate = bytes;
  decoder.keep(made, offsets);
  return true;
}

/// `immediate`: copies of this wave that may be under way. Other accesses of memory, which count too, only make it wait for more.
Step waitForCopies(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  landCopies(warp, uint64_t(instruction.immediate), /*withOpenGroup=*/false);
  return waitGroup<Group::Copies>(warp, instruction, mask);
}
bool decodeWait(Decoder &decoder, const llvm::CallInst &call) {
  const int64_t bits = decoder.immediate(call.getArgOperand(0));
  decoder.emit(waitForCopies, Family::Synchronisation).immediate = (bits & 15) | (bits >> 14 & 3) << 4;
  return true;
}

Step atomicInBuffer(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const AtomicForm *>(instruction.details);
  const Slot *results = instruction.list, *values = results + form.elements, *expectations = values + form.elements;
  const unsigned bytes = form.bytes / form.elements;
  bool isFine = true;
  eachLane(mask, [&](unsigned lane) {
    std::byte *at =
        !isFine ? nullptr : locateInBuffer(warp, instruction, form.bytes, form.bytes, lane, Access::Atomic, isFine);
    const uint64_t old = at ? changeAt(at, form, form.swaps ? wordOf(warp, expectations, form, lane) : 0,
                                       wordOf(warp, values, form, lane))
                            : 0;
    for (unsigned index = 0; index < form.elements; ++index)
      std::memcpy(warp.out<std::byte>(results[index]) + lane * bytes,
                  reinterpret_cast<const std::byte *>(&old) + index * bytes, bytes);
  });
  ++warp.cta.cluster.events;
  return isFine ? Step::Next : Step::Blocked;
}
template <Operation operation, bool swaps> bool decodeBufferAtomic(Decoder &decoder, const llvm::CallInst &call) {
  const unsigned first = swaps ? 2 : 1;
  Leaves leaves = decoder.leavesOf(call.getType());
  AtomicForm form;
  form.space = Space::Global;
  form.addressBytes = 8;
  form.operation = operation;
  form.elements = unsigned(leaves.size());
  form.kind = leaves[0].kind;
  form.bytes = leaves[0].bytes() * form.elements;
  form.swaps = swaps;
  if (form.bytes > 8 || form.elements > 2 || (form.elements == 2 && form.bytes != 4))
    return decoder.fail("atomics of this type are not simulated");
  Slots values = decoder.use(call.getArgOperand(0)), expected, buffer = decoder.use(call.getArgOperand(first));
  if (swaps)
    expected = decoder.use(call.getArgOperand(1));
  Slots offsets = {decoder.scalar(call.getArgOperand(first + 1)), decoder.scalar(call.getArgOperand(first + 2))};
  Slots list = decoder.define(call);
  list.append(values);
  list.append(expected);
  list.append(offsets);
  SimInstruction &made = decoder.emit(atomicInBuffer, Family::Memory);
  made.a = buffer[0], made.b = buffer[1];
  decoder.keep(made, list);
  made.details = decoder.keepDetails(form);
  return true;
}

} // namespace

bool decodeMemory(Decoder &decoder, const llvm::Instruction &instruction) {
  if (auto *load = dyn_cast<llvm::LoadInst>(&instruction))
    return decodeLoad(decoder, *load);
  if (auto *store = dyn_cast<llvm::StoreInst>(&instruction))
    return decodeStore(decoder, *store);
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    return decodeAtomic(decoder, instruction);
  if (auto *order = dyn_cast<llvm::FenceInst>(&instruction)) {
    decoder.emit(fence, Family::Synchronisation).ordering =
        orderingOf(*order, order->getOrdering(), order->getSyncScopeID());
    return true;
  }
  if (auto *place = dyn_cast<llvm::AllocaInst>(&instruction)) {
    Program &program = decoder.program;
    auto bytes = place->getAllocationSize(decoder.layout);
    if (!bytes || place->getAddressSpace() != 5)
      return decoder.fail("this private memory is not simulated");
    constexpr uint64_t most = 512 << 10; // of a thread
    const uint64_t offset = llvm::alignTo(program.localBytes, place->getAlign().value());
    if (offset > most || bytes->getKnownMinValue() > most - offset)
      return decoder.fail("the private memory of a thread takes more than " + llvm::Twine(most) + " bytes");
    program.localBytes = uint32_t(offset + bytes->getKnownMinValue());
    decoder.alias(*place, {decoder.constant(offset, 4)});
    return true;
  }
  return false;
}

void addBuffers(IntrinsicTable &table) {
  using namespace llvm::Intrinsic;
  table[amdgcn_make_buffer_rsrc] = decodeMakeBuffer;
  table[amdgcn_raw_ptr_buffer_load] = decodeBufferAccess<true>;
  table[amdgcn_raw_ptr_buffer_load_lds] = decodeCopyToShared;
  table[amdgcn_s_waitcnt] = decodeWait;
  table[amdgcn_raw_ptr_buffer_store] = decodeBufferAccess<false>;
  table[amdgcn_raw_ptr_buffer_atomic_swap] = decodeBufferAtomic<Operation::Xchg, false>;
  table[amdgcn_raw_ptr_buffer_atomic_add] = decodeBufferAtomic<Operation::Add, false>;
  table[amdgcn_raw_ptr_buffer_atomic_sub] = decodeBufferAtomic<Operation::Sub, false>;
  table[amdgcn_raw_ptr_buffer_atomic_smin] = decodeBufferAtomic<Operation::Min, false>;
  table[amdgcn_raw_ptr_buffer_atomic_umin] = decodeBufferAtomic<Operation::UMin, false>;
  table[amdgcn_raw_ptr_buffer_atomic_smax] = decodeBufferAtomic<Operation::Max, false>;
  table[amdgcn_raw_ptr_buffer_atomic_umax] = decodeBufferAtomic<Operation::UMax, false>;
  table[amdgcn_raw_ptr_buffer_atomic_and] = decodeBufferAtomic<Operation::And, false>;
  table[amdgcn_raw_ptr_buffer_atomic_or] = decodeBufferAtomic<Operation::Or, false>;
  table[amdgcn_raw_ptr_buffer_atomic_xor] = decodeBufferAtomic<Operation::Xor, false>;
  table[amdgcn_raw_ptr_buffer_atomic_fadd] = decodeBufferAtomic<Operation::FAdd, false>;
  table[amdgcn_raw_ptr_buffer_atomic_fmin] = decodeBufferAtomic<Operation::FMin, false>;
  table[amdgcn_raw_ptr_buffer_atomic_fmax] = decodeBufferAtomic<Operation::FMax, false>;
  table[amdgcn_raw_ptr_buffer_atomic_cmpswap] = decodeBufferAtomic<Operation::Xchg, true>;
}

} // namespace triton::simulator::amdgcn
