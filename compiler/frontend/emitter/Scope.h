// The local names of a function while it is emitted.
#pragma once

#include "compiler/frontend/values/Value.h"
#include "compiler/support/Source.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace triton::frontend {

struct LocalBinding {
  enum class State : uint8_t {
    Bound,
    Unknown,      // an error stands where it would get its value: reading it fails without a second error
    LoopVariable, // of a loop that has ended: reading it gives an undefined value of this type
  };
  Value value;
  SourceRange range;        // where it was bound
  bool isConstexpr = false; // bound by a constexpr annotation
  State state = State::Bound;
};

class Scope {
public:
  using Saved = std::vector<std::pair<llvm::StringRef, std::optional<LocalBinding>>>;

  const LocalBinding *find(llvm::StringRef name) const {
    auto it = bindings.find(name);
    return it == bindings.end() ? nullptr : &it->second;
  }
  void bind(llvm::StringRef name, LocalBinding binding) {
    if (bindings.insert_or_assign(name, std::move(binding)).second)
      numbers[name] = next++;
  }
  void erase(llvm::StringRef name) { bindings.erase(name); }
  void set(llvm::StringRef name, const std::optional<LocalBinding> &binding) {
    if (binding)
      bind(name, *binding);
    else
      bindings.erase(name);
  }

  /// Names that are bound come first, in the order in which they came to be; the others stay as they are.
  void sortByFirstBinding(std::vector<llvm::StringRef> &names) const {
    auto number = [&](llvm::StringRef name) { return bindings.contains(name) ? numbers.lookup(name) : next; };
    llvm::stable_sort(names, [&](llvm::StringRef a, llvm::StringRef b) { return number(a) < number(b); });
  }

  /// What `names` are bound to now.
  Saved save(llvm::ArrayRef<llvm::StringRef> names) const {
    Saved saved;
    for (llvm::StringRef name : names) {
      const LocalBinding *binding = find(name);
      saved.emplace_back(name, binding ? std::optional(*binding) : std::nullopt);
    }
    return saved;
  }
  void restore(const Saved &saved) {
    for (const auto &[name, binding] : saved)
      set(name, binding);
  }

  /// A name went out of scope with the branch or loop that bound it; `why` is the note for whoever reads it later.
  void vanish(llvm::StringRef name, SourceRange range, llvm::StringRef why) {
    bindings.erase(name);
    vanished[name] = {range, why};
  }
  std::optional<std::pair<SourceRange, llvm::StringRef>> whyVanished(llvm::StringRef name) const {
    auto it = vanished.find(name);
    return it == vanished.end() ? std::nullopt : std::optional(it->second);
  }

  llvm::DenseMap<llvm::StringRef, LocalBinding> bindings;
  llvm::DenseSet<llvm::StringRef>
      awaited; // annotated as constexpr, without a value yet: their next assignment keeps it

private:
  llvm::DenseMap<llvm::StringRef, unsigned> numbers; // of those that are bound: later ones have higher numbers
  unsigned next = 0;
  llvm::DenseMap<llvm::StringRef, std::pair<SourceRange, llvm::StringRef>> vanished;
};

} // namespace triton::frontend
