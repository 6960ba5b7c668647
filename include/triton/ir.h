// The compiler's IR for those who look at it: a module as the frontend leaves it, or read from text, and a walk over what is in it. Handles keep their module alive;
// passes run on it (`runPasses`) make handles to what they remove stale.
#pragma once

#include <triton/embed.h>

#include <functional>

namespace triton::ir {

struct Block;
class Module;
struct Region;

/// Identifies what is pointed to while its module lives.
struct TRITON_EXPORT Handle {
  std::shared_ptr<void> module;
  void *pointer = nullptr;
  uint64_t id() const { return reinterpret_cast<uint64_t>(pointer); }
};

/// An attribute to be set, in any context.
struct Attribute {
  enum class Kind { Unit, Bool, Integer, String } kind = Kind::Unit;
  int64_t integer = 0;
  unsigned width = 32; // of an integer
  std::string text;
};

struct TRITON_EXPORT Value : Handle {
  std::string type() const;
};

struct TRITON_EXPORT Operation : Handle {
  std::string name() const; // "tt.load"
  std::string str() const;
  unsigned operandCount() const;
  Value operand(unsigned index) const;
  unsigned resultCount() const;
  Value result(unsigned index) const;
  unsigned regionCount() const;
  Region region(unsigned index) const;
  std::optional<Block> block() const; // nullopt for the module itself
  std::optional<std::string> stringAttribute(std::string_view name) const;
  std::optional<bool> boolAttribute(std::string_view name) const;
  std::optional<int64_t> integerAttribute(std::string_view name) const;
  std::optional<std::string> symbolAttribute(std::string_view name) const;
  void setAttribute(std::string_view name, const Attribute &attribute) const;
};

struct TRITON_EXPORT Block : Handle {
  unsigned argumentCount() const;
  Value argument(unsigned index) const;
  std::optional<Region> parent() const;
};

struct TRITON_EXPORT Region : Handle {
  unsigned size() const;
  std::optional<Operation> parent() const;
};

class TRITON_EXPORT Module {
public:
  /// A kernel before any pass has seen it; nullopt after adding to `diagnostics`.
  static std::optional<Module> emit(embed::Host &host, const embed::CompileRequest &request,
                                    embed::Diagnostics &diagnostics);
  static std::optional<Module> parse(std::string text, std::string fileName, embed::Diagnostics &diagnostics);

  std::string str(bool withLocations) const;
  /// What is wrong with it; empty if nothing is.
  std::string verify() const;
  Operation operation() const;
  /// Every operation, those inside an operation before itself.
  void walk(const std::function<void(Operation)> &visit) const;
  /// Operation with this symbol at the top of the module.
  std::optional<Operation> function(std::string_view name) const;
  /// "kernel": the one public function; empty if there is none or several.
  std::string entryName() const;
  /// The types of a function's parameters and results, as text.
  std::pair<std::vector<std::string>, std::vector<std::string>> signature(std::string_view function) const;
  /// Every layout that a tensor of the module has, once each, in order, as JSON: objects with `type` and `layout` as text, `shape`, and `inputs`, the bases of a map that
  /// is linear over bits, one per bit of register, lane, warp and block, lowest first.
  std::string layouts() const;
  /// Writes the module to a file and makes the file's lines what it comes from; what went wrong, or empty.
  std::string takeLocationsFrom(const std::string &path) const;
  /// Runs passes written as MLIR writes them, "canonicalize,cse"; what went wrong, or empty.
  std::string runPasses(std::string_view pipeline) const;

  std::shared_ptr<void> state;
};

} // namespace triton::ir
