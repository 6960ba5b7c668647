// One parsed `.py` file as the file host sees it: which statement binds each top-level name, and the objects those statements make.
#pragma once

#include "compiler/frontend/filehost/FileHost.h"
#include "compiler/syntax/Tree.h"

#include "llvm/ADT/StringMap.h"

namespace triton::frontend {

class FileModule;

/// What a HostObject of the file host points to. Identity is the object's address.
struct FileObject {
  enum class Kind {
    Module,            // another file, or a module that is not ours (`path` alone)
    NamedTupleClass,   // fields, with defaults where given
    EnumClass,         // members by name
    EnumMember,        // name, value, class
    PlainClass,        // a class used as a name space: its constants and static functions
    ConstexprFunction, // evaluated while compiling
    PythonFunction,    // an undecorated function: only constexpr functions may call it
    MathFunction,      // of Python's `math`
  };
  Kind kind;
  std::string name;                              // for messages; a module's dotted path
  const FileModule *file = nullptr;              // where it is defined
  const syntax::FunctionDef *function = nullptr; // ConstexprFunction, PythonFunction
  std::vector<std::pair<std::string, std::optional<Value>>>
      members;                                 // fields with defaults; enum members; class attributes
  std::shared_ptr<const FileObject> enumClass; // EnumMember
  Value value;                                 // EnumMember
  bool isIntEnum = false;                      // EnumClass: its members are numbers as text
};

/// A top-level name: the last statement that binds it.
struct Binding {
  const syntax::Stmt *statement = nullptr;
  const syntax::Expr *value = nullptr; // of an assignment
  int tupleIndex = -1;                 // `a, b = …`: which element
};

class FileModule {
public:
  FileModule(std::shared_ptr<const Source> source, std::shared_ptr<const syntax::Tree> tree);

  /// Null if the file does not bind the name.
  const Binding *find(llvm::StringRef name) const;
  /// The dotted path that a name or attribute chain stands for through the file's imports: `tl.constexpr` is
  /// "triton.language.constexpr" after `import triton.language as tl`. Empty if it is not such a chain.
  std::string dottedPath(const syntax::Expr *expression) const;

  const std::shared_ptr<const Source> source;
  const std::shared_ptr<const syntax::Tree> tree;
  /// In the order of the file.
  std::vector<const syntax::FunctionDef *> functions;
  /// What its import statements name, dots of relative ones in front: `a.b` of `import a.b`, `.a.b` of `from .a import b`.
  std::vector<std::string> importedPaths;

private:
  void collect(llvm::ArrayRef<syntax::Stmt *> body);
  void bindTarget(const syntax::Expr *target, Binding binding);

  llvm::StringMap<Binding> bindings;
  llvm::StringMap<std::string> imports; // local name -> dotted path
};

} // namespace triton::frontend
