#include "simulator/machine/Decoder.h"

#include "simulator/machine/Addresses.h"
#include "simulator/ptx/Parser.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace triton::simulator {

using ptx::Operand;
using ptx::Space;

std::optional<Type> typeOf(std::string_view name) {
  using Kind = Type::Kind;
  if (name == "pred")
    return Type{Kind::Predicate, 1, false};
  if (name == "tf32")
    return Type{Kind::Tensor, 32, false};
  Kind kind;
  size_t letters = 1;
  if (name.starts_with("bf"))
    kind = Kind::Brain, letters = 2;
  else if (name.starts_with("b"))
    kind = Kind::Bits;
  else if (name.starts_with("u"))
    kind = Kind::Unsigned;
  else if (name.starts_with("s"))
    kind = Kind::Signed;
  else if (name.starts_with("f"))
    kind = Kind::Float;
  else
    return std::nullopt;
  std::string_view digits = name.substr(letters);
  bool isPacked = digits.ends_with("x2");
  if (isPacked)
    digits.remove_suffix(2);
  unsigned bits = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
    return std::nullopt;
  if (isPacked && bits > 32)
    return std::nullopt;
  return Type{kind, bits, isPacked};
}

const char *nameOf(Family family) {
  static constexpr const char *names[] = {"moves",       "integers", "floats",      "special functions",
                                          "conversions", "control",  "lanes",       "memory",
                                          "cp.async",    "TMA",      "tensor core", "synchronisation"};
  return names[size_t(family)];
}

static Family familyOf(const ptx::Statement &statement, const std::vector<Type> &types) {
  static const std::unordered_map<std::string_view, Family> families = [] {
    std::unordered_map<std::string_view, Family> made;
    auto add = [&](Family family, std::initializer_list<std::string_view> names) {
      for (std::string_view name : names)
        made[name] = family;
    };
    add(Family::Move, {"mov"});
    add(Family::Special, {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"});
    add(Family::Conversion, {"cvt", "cvta"});
    add(Family::Control, {"bra", "brx", "call", "ret", "exit", "trap", "nanosleep", "setmaxnreg"});
    add(Family::Warp, {"shfl", "vote", "match", "redux", "elect", "activemask"});
    add(Family::Memory, {"ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "prefetch", "multimem"});
    add(Family::Tensor, {"mma", "wgmma", "tcgen05"});
    add(Family::Synchronisation,
        {"bar", "barrier", "mbarrier", "fence", "membar", "griddepcontrol", "clusterlaunchcontrol"});
    return made;
  }();
  const auto &opcode = statement.opcode;
  auto has = [&](std::string_view part) { return std::find(opcode.begin(), opcode.end(), part) != opcode.end(); };
  if (opcode[0] == "cp")
    return has("bulk") || has("reduce") ? Family::CopyEngine : Family::AsyncCopy;
  if (auto found = families.find(opcode[0]); found != families.end())
    return found->second;
  return !types.empty() && types.front().isFloat() ? Family::Float : Family::Integer;
}

static const DecodeTable &table() {
  static const DecodeTable table = [] {
    DecodeTable made;
    for (auto add : {addArithmetic, addComparisons, addFloats,  addApproximations, addConversions,
                     addControl,    addCalls,       addMemory,  addAtomics,        addWarpOperations,
                     addCopies,     addMatrixMoves, addMma,     addMbarriers,      addTensorCopies,
                     addTensorMaps, addWgmma,       addTcgen05, addLaunchControl,  addVideo})
      add(made);
    return made;
  }();
  return table;
}

bool Decoder::fail(const std::string &message) {
  if (problem.empty())
    problem = (current ? "line " + std::to_string(current->line) + ": " : "") + message;
  return false;
}

std::string Decoder::opcodeText() const {
  std::string text;
  for (std::string_view part : opcode())
    text += (text.empty() ? "" : ".") + std::string(part);
  return text;
}

bool Decoder::unknown() { return fail("'" + opcodeText() + "' is not simulated"); }

bool Decoder::has(std::string_view part) const {
  return std::find(opcode().begin() + 1, opcode().end(), part) != opcode().end();
}

const Operand &Decoder::operand(size_t index) {
  static const Operand none;
  if (index < operandCount())
    return current->operands[index];
  fail("'" + opcodeText() + "' lacks operands");
  return none;
}

Type Decoder::type(size_t index) {
  if (index < typesOfOpcode.size())
    return typesOfOpcode[index];
  fail("'" + opcodeText() + "' lacks a type");
  return {Type::Kind::Bits, 32, false};
}

uint32_t Decoder::allocate(unsigned bytes) {
  constexpr uint32_t most = 1u << 30; // of a warp; offsets have a bit less than a word (`Slot`)
  uint32_t offset = program.registerBytes;
  program.registerBytes += (bytes * laneCount + 63) / 64 * 64;
  if (program.registerBytes > most) {
    fail("the registers of a warp take more than " + std::to_string(most) + " bytes");
    program.registerBytes = 0;
  }
  return offset;
}

Slot Decoder::temporary(unsigned bytes) { return {allocate(bytes)}; }

Slot Decoder::constant(uint64_t bits, unsigned bytes) {
  if (bytes < 8)
    bits &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [found, isNew] = constantSlots.try_emplace({bytes, bits});
  if (isNew) {
    size_t offset = program.constants.size() * sizeof(Program::Line);
    program.constants.resize(program.constants.size() + (bytes * laneCount + 63) / 64);
    auto *begin = reinterpret_cast<uint8_t *>(program.constants.data()) + offset;
    for (unsigned lane = 0; lane < laneCount; ++lane)
      std::memcpy(begin + lane * bytes, &bits, std::min(bytes, 8u));
    found->second = {uint32_t(offset) | Slot::constantBit};
  }
  return found->second;
}

Slot Decoder::special(Special which) {
  auto [found, isNew] = specialSlots.try_emplace(which);
  if (isNew) {
    found->second = {allocate(4)};
    program.specials.emplace_back(which, found->second);
  }
  return found->second;
}

static std::optional<Special> specialOf(std::string_view name) {
  static const std::map<std::string_view, Special> known = {
      {"%tid.x", Special::ThreadX},
      {"%tid.y", Special::ThreadY},
      {"%tid.z", Special::ThreadZ},
      {"%ntid.x", Special::ThreadsX},
      {"%ntid.y", Special::ThreadsY},
      {"%ntid.z", Special::ThreadsZ},
      {"%ctaid.x", Special::BlockX},
      {"%ctaid.y", Special::BlockY},
      {"%ctaid.z", Special::BlockZ},
      {"%nctaid.x", Special::BlocksX},
      {"%nctaid.y", Special::BlocksY},
      {"%nctaid.z", Special::BlocksZ},
      {"%laneid", Special::Lane},
      {"%warpid", Special::Warp},
      {"%nwarpid", Special::Warps},
      {"%lanemask_eq", Special::MaskEqual},
      {"%lanemask_lt", Special::MaskLess},
      {"%lanemask_le", Special::MaskLessEqual},
      {"%lanemask_gt", Special::MaskGreater},
      {"%lanemask_ge", Special::MaskGreaterEqual},
      {"%smid", Special::Multiprocessor},
      {"%nsmid", Special::Multiprocessors},
      {"%clusterid.x", Special::ClusterX},
      {"%clusterid.y", Special::ClusterY},
      {"%clusterid.z", Special::ClusterZ},
      {"%nclusterid.x", Special::ClustersX},
      {"%nclusterid.y", Special::ClustersY},
      {"%nclusterid.z", Special::ClustersZ},
      {"%cluster_ctaid.x", Special::ClusterBlockX},
      {"%cluster_ctaid.y", Special::ClusterBlockY},
      {"%cluster_ctaid.z", Special::ClusterBlockZ},
      {"%cluster_nctaid.x", Special::ClusterBlocksX},
      {"%cluster_nctaid.y", Special::ClusterBlocksY},
      {"%cluster_nctaid.z", Special::ClusterBlocksZ},
      {"%cluster_ctarank", Special::ClusterRank},
      {"%cluster_nctarank", Special::ClusterRanks},
      {"%is_explicit_cluster", Special::IsExplicitCluster},
      {"%gridid", Special::GridNumber},
      {"%dynamic_smem_size", Special::SharedBytes},
      {"%total_smem_size", Special::TotalSharedBytes},
      {"%WARP_SZ", Special::WarpSize},
  };
  auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

unsigned Decoder::registerBytes(const Operand &operand) const {
  return isRegister(operand) ? ptx::bytesOf(function->registers[size_t(operand.number)]) : 0;
}

bool Decoder::isPredicate(const Operand &operand) const {
  return isRegister(operand) && function->registers[size_t(operand.number)] == ptx::Storage::Predicate;
}

std::optional<int64_t> Decoder::symbol(std::string_view name) const {
  if (auto found = localSymbols.find(name); found != localSymbols.end())
    return found->second;
  if (auto found = entryParameters.find(name); found != entryParameters.end())
    return found->second;
  if (auto found = moduleSymbols.find(name); found != moduleSymbols.end())
    return found->second;
  return std::nullopt;
}

std::optional<uint32_t> Decoder::localOffset(std::string_view name) const {
  auto found = localSymbols.find(name);
  return found == localSymbols.end() ? std::nullopt : std::optional(uint32_t(found->second));
}

Slot Decoder::anyWidth(const Operand &operand, unsigned &bytes) {
  if (isRegister(operand)) {
    if (isPredicate(operand)) {
      fail("'" + opcodeText() + "' takes no predicate here");
      return {};
    }
    bytes = registerBytes(operand);
    return registerSlots[size_t(operand.number)];
  }
  return bits(operand, bytes);
}

Slot Decoder::source(const Operand &operand, Type type) {
  unsigned bytes = std::max(type.bytes(), 1u);
  uint64_t number = uint64_t(operand.number);
  if (type.isFloat() && !type.isPacked) {
    if (operand.kind == Operand::Kind::Float64 && type.bits == 32)
      return constant(std::bit_cast<uint32_t>(float(std::bit_cast<double>(number))), 4);
    if (operand.kind == Operand::Kind::Float32 && type.bits == 64)
      return constant(std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(number)))), 8);
    if (operand.kind == Operand::Kind::Float32 && type.kind == Type::Kind::Brain)
      return constant(number >> 16, 2);
  }
  return bits(operand, bytes);
}

/// What a register can have, and a handler can be for.
bool Decoder::isWidth(unsigned bytes) {
  return (std::has_single_bit(bytes) && bytes <= 16) ||
         fail("'" + opcodeText() + "' has no operands of " + std::to_string(8 * bytes) + " bits");
}

Slot Decoder::bits(const Operand &operand, unsigned bytes) {
  if (!isWidth(bytes))
    return {};
  switch (operand.kind) {
  case Operand::Kind::Register:
    if (isPredicate(operand) || registerBytes(operand) != bytes) {
      fail("'" + opcodeText() + "' needs a register of " + std::to_string(8 * bytes) + " bits, got '" +
           std::string(operand.text) + "' of " + std::to_string(8 * registerBytes(operand)));
      return {};
    }
    return registerSlots[size_t(operand.number)];
  case Operand::Kind::Special:
    if (auto known = specialOf(operand.text); known && bytes == 4)
      return special(*known);
    fail("'" + std::string(operand.text) + "' is not simulated");
    return {};
  case Operand::Kind::Integer:
  case Operand::Kind::Float32:
  case Operand::Kind::Float64:
    return constant(uint64_t(operand.number), bytes);
  case Operand::Kind::Symbol:
    if (auto value = symbol(operand.text))
      return constant(uint64_t(*value + operand.number), bytes);
    fail("'" + std::string(operand.text) + "' is not declared");
    return {};
  default:
    fail("'" + opcodeText() + "' needs a register or a number here");
    return {};
  }
}

Slot Decoder::destination(const Operand &operand, unsigned bytes) {
  if (operand.kind == Operand::Kind::Discarded)
    return isWidth(bytes) ? temporary(bytes) : Slot{};
  if (!isRegister(operand)) {
    fail("'" + opcodeText() + "' needs a register to write to");
    return {};
  }
  return bits(operand, bytes);
}

PredicateSlot Decoder::predicate(const Operand &operand) {
  if (operand.kind == Operand::Kind::Integer)
    return {operand.number != 0 ? 1u : 0u, operand.isNegated};
  if (isPredicate(operand))
    return {predicateIndices[size_t(operand.number)], operand.isNegated};
  fail("'" + opcodeText() + "' needs a predicate");
  return {};
}

uint32_t Decoder::destinationPredicate(const Operand &operand) {
  if (operand.kind == Operand::Kind::Discarded)
    return program.predicateCount++;
  if (!isPredicate(operand)) {
    fail("'" + opcodeText() + "' needs a predicate to write to");
    return 0;
  }
  return predicateIndices[size_t(operand.number)];
}

std::optional<uint32_t> Decoder::secondPredicate(const Operand &operand) {
  if (operand.second < 0)
    return std::nullopt;
  if (function->registers[size_t(operand.second)] != ptx::Storage::Predicate) {
    fail("'" + opcodeText() + "' needs a predicate behind '|'");
    return std::nullopt;
  }
  return predicateIndices[size_t(operand.second)];
}

int64_t Decoder::integer(const Operand &operand) {
  if (operand.kind != Operand::Kind::Integer)
    fail("'" + opcodeText() + "' needs a number");
  return operand.number;
}

std::vector<Slot> Decoder::vector(const Operand &operand, unsigned bytes, bool isDestination) {
  auto one = [&](const Operand &element) { return isDestination ? destination(element, bytes) : bits(element, bytes); };
  std::vector<Slot> slots;
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand &element : operand.elements)
      slots.push_back(one(element));
  else
    slots.push_back(one(operand));
  return slots;
}

void Decoder::address(const Operand &operand, Instruction &into, Space &space) {
  if (operand.kind != Operand::Kind::Address || operand.elements.empty()) {
    fail("'" + opcodeText() + "' needs an address");
    return;
  }
  const Operand &base = operand.elements[0];
  into.immediate = operand.number;
  if (base.kind == Operand::Kind::Symbol) {
    if (space == Space::Parameter && localSymbols.count(base.text))
      space = Space::Local;
    if (auto value = symbol(base.text))
      into.immediate += *value;
    else
      fail("'" + std::string(base.text) + "' is not declared");
    into.a = constant(0, 8);
    into.small[3] = 8;
    return;
  }
  if (base.kind == Operand::Kind::Integer) {
    into.immediate += base.number;
    into.a = constant(0, 8);
    into.small[3] = 8;
    return;
  }
  unsigned bytes = 8;
  into.a = anyWidth(base, bytes);
  into.small[3] = uint8_t(bytes);
}

const Slot *Decoder::keep(std::vector<Slot> list, Instruction &into) {
  into.listSize = uint32_t(list.size());
  into.list = program.lists.emplace_back(std::move(list)).data();
  return into.list;
}

Instruction &Decoder::emit(Handler handler) {
  Instruction &made = program.code.emplace_back();
  made.execute = handler;
  if (current) {
    made.line = current->line;
    made.place = current->place;
    made.family = familyOf(*current, typesOfOpcode);
    if (current->guard >= 0) {
      if (function->registers[size_t(current->guard)] != ptx::Storage::Predicate)
        fail("a guard must be a predicate");
      else
        made.guard = {predicateIndices[size_t(current->guard)], current->isGuardNegated};
    }
  }
  return made;
}

void Decoder::jumpTo(uint32_t pc, const Operand &label) {
  jumps.push_back({pc, label.text, current->scope, current->line});
}

std::vector<const Operand *> Decoder::targetsOf(std::string_view table) {
  std::vector<const Operand *> targets;
  bool isNext = false;
  for (const ptx::Statement &statement : function->statements) {
    if (isNext)
      for (const Operand &target : statement.operands)
        targets.push_back(&target);
    isNext = statement.label == table;
    if (!targets.empty())
      break;
  }
  return targets;
}

static uint64_t align(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

/// Shared, global and constant variables of the module and its functions get their places.
void Decoder::layoutVariables() {
  constexpr uint64_t mostShared = sharedOffsetMask, mostGlobal = uint64_t(1) << 30;
  uint64_t shared = 0, global = 0;
  auto place = [&](const ptx::Variable &variable) {
    const bool isGlobal = variable.space == Space::Global || variable.space == Space::Constant;
    const bool isShared = variable.space == Space::Shared;
    if ((isGlobal || isShared) && moduleSymbols.contains(variable.name)) {
      fail("variable '" + std::string(variable.name) + "' is declared twice");
      return;
    }
    if (isShared && !variable.isExtern) {
      shared = align(shared, variable.alignment);
      moduleSymbols[variable.name] = int64_t(shared);
      shared += variable.bytes;
      if (shared > mostShared)
        fail("variables in shared memory take " + std::to_string(shared) + " bytes");
    } else if (isGlobal) {
      const uint64_t bytes = std::max<uint64_t>(variable.bytes, 1),
                     alignment = std::max<uint64_t>(variable.alignment, 256);
      if ((global += bytes) > mostGlobal) {
        fail("variables in global memory take more than " + std::to_string(mostGlobal) + " bytes");
        return;
      }
      auto storage = std::make_unique<std::byte[]>(bytes + alignment);
      auto *begin = reinterpret_cast<std::byte *>(align(reinterpret_cast<uint64_t>(storage.get()), alignment));
      if (!variable.initialiser.empty())
        std::memcpy(begin, variable.initialiser.data(), variable.initialiser.size());
      moduleSymbols[variable.name] = reinterpret_cast<int64_t>(begin);
      program.variables[variable.name] = {std::move(storage), begin, bytes};
    }
  };
  for (const ptx::Variable &variable : module.variables)
    place(variable);
  for (const ptx::Function &each : module.functions)
    for (const ptx::Variable &variable : each.variables)
      place(variable);
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == Space::Shared && variable.isExtern)
      program.dynamicSharedAlignment = std::max(program.dynamicSharedAlignment, uint32_t(variable.alignment));
  if (failed())
    return;
  program.staticSharedBytes = uint32_t(shared);
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == Space::Shared && variable.isExtern)
      moduleSymbols[variable.name] = int64_t(align(shared, program.dynamicSharedAlignment));
  for (const ptx::Variable &variable : module.variables)
    for (const ptx::Variable::Reference &reference : variable.references) {
      auto found = moduleSymbols.find(reference.symbol);
      auto into = program.variables.find(variable.name);
      if (found == moduleSymbols.end() || into == program.variables.end()) {
        fail("'" + std::string(reference.symbol) + "', of which '" + std::string(variable.name) +
             "' holds the address, is not declared");
        return;
      }
      int64_t value = found->second + reference.addend;
      std::memcpy(into->second.begin + reference.offset, &value, 8);
    }
}

uint32_t Decoder::allocateLocal(const ptx::Variable &variable) {
  constexpr uint64_t most = 512 << 10; // of a thread, as GPUs have it
  const uint64_t offset = align(localCursor, std::max<uint64_t>(variable.alignment, 8)), end = offset + variable.bytes;
  if (end > most) {
    fail("the variables of a thread in local memory take more than " + std::to_string(most) + " bytes");
    return 0;
  }
  localCursor = uint32_t(end);
  return uint32_t(offset);
}

/// Nothing recurses (`checkCalls`), so every function has its local memory to itself.
void Decoder::placeLocal(const ptx::Function &each) {
  localSymbols.clear();
  DecodedFunction &decoded = *find(each.name);
  if (!each.isEntry)
    for (size_t index = 0; index < each.parameters.size(); ++index)
      localSymbols[each.parameters[index].name] = decoded.parameters[index];
  for (size_t index = 0; index < each.results.size(); ++index)
    localSymbols[each.results[index].name] = decoded.results[index];
  // Sequences of calls declare the same names again and again, each in its block: they share the place of the largest.
  std::unordered_map<std::string_view, ptx::Variable> largest;
  for (const ptx::Variable &variable : each.variables)
    if (variable.space == Space::Local || variable.space == Space::Parameter) {
      ptx::Variable &known = largest.try_emplace(variable.name, variable).first->second;
      known.bytes = std::max(known.bytes, variable.bytes);
      known.alignment = std::max(known.alignment, variable.alignment);
    }
  for (auto &[name, variable] : largest)
    localSymbols[name] = allocateLocal(variable);
}

Decoder::DecodedFunction *Decoder::find(std::string_view name) {
  for (DecodedFunction &each : functions)
    if (each.syntax->name == name)
      return &each;
  return nullptr;
}

void Decoder::noteRegisters(const ptx::Statement &statement) {
  auto begin = uint32_t(program.registerUses.size());
  auto note = [&](auto &self, const Operand &operand, bool isWritten) -> void {
    if (operand.kind == Operand::Kind::Register && !isPredicate(operand))
      program.registerUses.push_back({registerSlots[size_t(operand.number)].code, isWritten});
    for (const Operand &element : operand.elements)
      self(self, element, isWritten && operand.kind != Operand::Kind::Address);
  };
  for (size_t index = 0; index < statement.operands.size(); ++index)
    note(note, statement.operands[index], index == 0);
  program.usesOf.resize(program.code.size(), {begin, uint32_t(program.registerUses.size())});
}

void Decoder::decodeFunction(DecodedFunction &decoded) {
  function = decoded.syntax;
  placeLocal(*function);
  entryParameters.clear();
  if (function->isEntry) {
    Kernel kernel{.name = std::string(function->name),
                  .entry = here(),
                  .requiredThreads = function->requiredThreads,
                  .maxThreads = function->maxThreads,
                  .clusterSize = function->clusterSize,
                  .maxRegisters = function->maxRegisters};
    for (const ptx::Variable &parameter : function->parameters) {
      constexpr uint64_t most = 32764; // as on GPUs
      const auto offset = uint32_t(align(kernel.parameterBytes, parameter.alignment));
      if (parameter.bytes > most || offset + parameter.bytes > most) {
        fail("the parameters of '" + kernel.name + "' take more than " + std::to_string(most) + " bytes");
        return;
      }
      kernel.parameters.push_back({offset, uint32_t(parameter.bytes)});
      kernel.parameterBytes = offset + uint32_t(parameter.bytes);
      entryParameters[parameter.name] = offset;
    }
    for (ptx::Storage storage : function->registers)
      kernel.registers32 += (ptx::bytesOf(storage) + 3) / 4;
    program.kernels.push_back(std::move(kernel));
  }
  registerSlots.clear();
  predicateIndices.clear();
  for (ptx::Storage storage : function->registers) {
    bool isPredicate = storage == ptx::Storage::Predicate;
    predicateIndices.push_back(isPredicate ? program.predicateCount++ : 0);
    registerSlots.push_back({isPredicate ? 0 : allocate(ptx::bytesOf(storage))});
  }
  jumps.clear();
  indexedBranches.clear();
  decoded.entry = here();
  watchesRegisters =
      std::any_of(function->statements.begin(), function->statements.end(), [](const ptx::Statement &statement) {
        return !statement.opcode.empty() && (statement.opcode[0] == "wgmma" || statement.opcode[0] == "tcgen05");
      });
  if (watchesRegisters)
    program.usesOf.resize(program.code.size());
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> labels;
  for (const ptx::Statement &statement : function->statements) {
    current = &statement;
    if (!statement.label.empty()) {
      labels[{statement.scope, statement.label}] = here();
      continue;
    }
    typesOfOpcode.clear();
    for (size_t index = 1; index < statement.opcode.size(); ++index)
      if (auto type = typeOf(statement.opcode[index]))
        typesOfOpcode.push_back(*type);
    auto found = table().find(statement.opcode[0]);
    if (found == table().end())
      unknown();
    else
      found->second(*this);
    if (failed())
      return;
    if (watchesRegisters)
      noteRegisters(statement);
  }
  current = nullptr;
  // Where a function ends without a return, and where paths that never meet before the end do.
  ptx::Statement end{.opcode = {"ret"}};
  end.line = function->statements.empty() ? function->line : function->statements.back().line;
  end.place = function->statements.empty() ? ptx::Place{} : function->statements.back().place;
  current = &end;
  table().at("ret")(*this);
  current = nullptr;
  if (!program.usesOf.empty() || watchesRegisters)
    program.usesOf.resize(program.code.size());
  decoded.end = here();
  auto resolve = [&](std::string_view label, uint32_t scope) -> std::optional<uint32_t> {
    for (;;) {
      if (auto found = labels.find({scope, label}); found != labels.end())
        return found->second;
      if (scope == 0)
        return std::nullopt;
      scope = function->scopes[scope];
    }
  };
  for (const Jump &jump : jumps) {
    auto found = resolve(jump.label, jump.scope);
    if (!found) {
      problem = "line " + std::to_string(jump.line) + ": there is no label '" + std::string(jump.label) + "'";
      return;
    }
    program.code[jump.pc].target = *found;
  }
  for (auto &[pc, targets] : indexedBranches) {
    auto labelsOf = static_cast<const std::vector<const Operand *> *>(program.code[pc].details);
    for (const Operand *label : *labelsOf)
      if (auto found = resolve(label->text, 0))
        targets.push_back(*found);
      else
        fail("there is no label '" + std::string(label->text) + "'");
    program.code[pc].details = keepDetails(targets);
  }
  findJoins(program.code, decoded.entry, decoded.end, indexedBranches);
}

/// A function that calls itself, through others too, would need its local memory more than once.
void Decoder::checkCalls() {
  std::map<const DecodedFunction *, std::vector<DecodedFunction *>> calledBy;
  std::map<const DecodedFunction *, unsigned> callers;
  for (auto &[pc, name] : calls)
    for (DecodedFunction &caller : functions)
      if (pc >= caller.entry && pc < caller.end) {
        calledBy[&caller].push_back(find(name));
        ++callers[find(name)];
      }
  std::vector<const DecodedFunction *> ready;
  for (DecodedFunction &each : functions)
    if (!callers[&each])
      ready.push_back(&each);
  for (size_t index = 0; index < ready.size(); ++index)
    for (DecodedFunction *called : calledBy[ready[index]])
      if (--callers[called] == 0)
        ready.push_back(called);
  for (DecodedFunction &each : functions)
    if (callers[&each]) {
      fail("function '" + std::string(each.syntax->name) + "' is called in a circle, which is not simulated");
      return;
    }
}

std::string Decoder::run() {
  layoutVariables();
  for (const ptx::Function &each : module.functions) {
    if (each.isDeclaration)
      continue;
    if (find(each.name))
      return "line " + std::to_string(each.line) + ": function '" + std::string(each.name) + "' is defined twice";
    constexpr uint32_t mostCtas = 16; // of a cluster
    if (each.clusterSize > mostCtas)
      return "line " + std::to_string(each.line) + ": a cluster has at most " + std::to_string(mostCtas) +
             " CTAs, got " + std::to_string(each.clusterSize);
    DecodedFunction decoded{.syntax = &each};
    if (!each.isEntry)
      for (const ptx::Variable &parameter : each.parameters)
        decoded.parameters.push_back(allocateLocal(parameter));
    for (const ptx::Variable &result : each.results)
      decoded.results.push_back(allocateLocal(result));
    functions.push_back(std::move(decoded));
  }
  for (DecodedFunction &each : functions) {
    if (failed())
      break;
    decodeFunction(each);
  }
  for (auto &[pc, name] : calls)
    if (DecodedFunction *called = find(name)) {
      program.code[pc].target = called->entry;
      program.code[pc].join = called->end - 1;
    }
  if (!failed())
    checkCalls();
  program.localBytes = (localCursor + 15) / 16 * 16;
  return problem;
}

const Kernel *Program::find(std::string_view name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::string Program::describe(const Instruction &instruction) const {
  const ptx::Place &place = instruction.place;
  if (place.line && place.file < files.size())
    return files[place.file] + ":" + std::to_string(place.line);
  return "line " + std::to_string(instruction.line) + (syntax ? " of the PTX" : " of the decoded LLVM IR");
}

Loaded load(std::string text) {
  ptx::Parsed parsed = ptx::parse(std::move(text));
  if (!parsed.module)
    return {nullptr, parsed.problem};
  auto program = std::make_unique<Program>();
  program->files = parsed.module->files;
  program->syntax = std::move(parsed.module);
  std::string_view target = program->syntax->target;
  if (target.starts_with("sm_"))
    std::from_chars(target.data() + 3, target.data() + target.size(), program->capability);
  std::string problem = Decoder(*program, *program->syntax).run();
  if (!problem.empty())
    return {nullptr, problem};
  return {std::move(program), ""};
}

} // namespace triton::simulator
