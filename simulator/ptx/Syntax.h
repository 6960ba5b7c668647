// PTX as text says it: modules, functions, statements. Names of registers are resolved, nothing else is decided.
//   Out of the parser (Parser.h), into the decoder (../machine/Decoder.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triton::simulator::ptx {

/// The width of a register or variable is what storage needs; what its bits mean, instructions say.
enum class Storage : uint8_t { Predicate, Bits8, Bits16, Bits32, Bits64, Bits128 };
constexpr unsigned bytesOf(Storage storage) {
  return storage == Storage::Predicate ? 0 : 1u << (unsigned(storage) - unsigned(Storage::Bits8));
}

enum class Space : uint8_t { Generic, Global, Shared, SharedCluster, Constant, Local, Parameter, Tensor };

struct Operand {
  enum class Kind : uint8_t {
    Register,  // `number` is its index in the function
    Special,   // %tid.x and its like: `text`
    Integer,   // `number`
    Float32,   // 0f…: `number` holds the bits
    Float64,   // 0d… or 1.5: likewise
    Symbol,    // variable, label, function: `text`
    Address,   // [elements[0] + number, elements[1]…]
    Vector,    // {elements…}
    List,      // (elements…), of calls
    Discarded, // _
  };
  Kind kind = Kind::Discarded;
  bool isNegated = false; // !%p
  int32_t second = -1;    // %r|%p: the register behind the bar; -2 where that is `_`
  int64_t number = 0;     // of an address: the offset
  std::string_view text;  // in the module's text
  std::vector<Operand> elements;
};

/// Where the kernel's author reads it: `.loc`.
struct Place {
  uint32_t file = 0, line = 0, column = 0;
};

struct Statement {
  std::string_view label;               // if not empty, nothing else is there
  std::vector<std::string_view> opcode; // ld global v4 b32
  std::vector<Operand> operands;
  int32_t guard = -1; // register of @%p
  bool isGuardNegated = false;
  uint32_t scope = 0; // of labels: index into Function::scopes
  uint32_t line = 0;  // of the PTX
  Place place;
};

struct Variable {
  std::string_view name;
  Space space = Space::Global;
  uint64_t bytes = 0, alignment = 1;
  bool isExtern = false;            // .extern .shared: as large as the launch says
  std::vector<uint8_t> initialiser; // shorter than `bytes`: zeros follow
  struct Reference {                // an address inside the initialiser
    uint64_t offset;
    std::string_view symbol;
    int64_t addend;
    bool isGeneric;
  };
  std::vector<Reference> references;
  uint32_t scope = 0;
};

struct Function {
  std::string_view name;
  bool isEntry = false, isDeclaration = false;
  std::vector<Variable> parameters, results;
  std::vector<Variable> variables; // .local, .shared and .param of the body
  std::vector<Storage> registers;
  std::vector<std::string> registerNames; // for messages
  std::vector<uint32_t> scopes;           // the parent of each; 0 is the body
  std::vector<Statement> statements;
  uint32_t requiredThreads = 0, maxThreads = 0, clusterSize = 0, maxRegisters = 0, line = 0;
};

struct Module {
  std::string text;   // all views point into it
  std::string target; // sm_90a
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::string> files; // by the number that .loc uses
};

} // namespace triton::simulator::ptx
