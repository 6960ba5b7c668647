// Reading the values that layouts and their functions are given; details of LayoutClasses.
#pragma once

#include "compiler/gluon/LayoutClasses.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::gluon {

using Numbers = std::vector<int64_t>;

/// Nullopt if the value is something else; True and False are numbers.
std::optional<int64_t> numberIn(const frontend::Value &value);
std::optional<Numbers> numbersIn(const frontend::Value &value);
std::optional<std::vector<Numbers>> basesIn(const frontend::Value &value);
frontend::Value listOf(llvm::ArrayRef<int64_t> numbers);
frontend::Value listOf(llvm::ArrayRef<Numbers> bases);
/// As Python prints it: lists in brackets, a pair in parentheses.
std::string written(const frontend::Value &value, bool isPair = false);

/// Null if the value is no layout.
const LayoutClass *classOf(const frontend::Value &value);
/// `layout.name`, wherever the layout lives.
llvm::Expected<frontend::Value> ask(const frontend::Value &layout, llvm::StringRef name);
/// The value as its kind is kept, or a TypeError; `owner` names the class or function in it.
llvm::Expected<frontend::Value> asKind(const LayoutField &field, const frontend::Value &value, llvm::StringRef owner);

/// A layout that cannot be.
inline llvm::Error broken(const llvm::Twine &message) { return frontend::hostError("AssertionError", message.str()); }

inline bool isPowerOfTwo(int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

/// The fields of one layout by name, each of its kind.
class Fields {
public:
  Fields(const LayoutClass &type, llvm::ArrayRef<frontend::Value> values) : type(type), values(values) {
    assert(values.size() == type.fields.size() && "a layout has a value for each field");
  }
  const frontend::Value &operator[](llvm::StringRef name) const {
    const frontend::Value *value = find(name);
    assert(value && "the class has the field");
    return *value;
  }
  const frontend::Value *find(llvm::StringRef name) const {
    for (auto [field, value] : llvm::zip(type.fields, values))
      if (field.name == name)
        return &value;
    return nullptr;
  }
  int64_t integer(llvm::StringRef name) const { return *numberIn((*this)[name]); }
  Numbers integers(llvm::StringRef name) const { return *numbersIn((*this)[name]); }
  std::vector<Numbers> bases(llvm::StringRef name) const { return *basesIn((*this)[name]); }
  std::string text(llvm::StringRef name) const { return written((*this)[name]); }

  const LayoutClass &type;

private:
  llvm::ArrayRef<frontend::Value> values;
};

} // namespace triton::gluon
