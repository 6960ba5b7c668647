#include "compiler/frontend/filehost/FileModule.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::isa;

FileModule::FileModule(std::shared_ptr<const Source> source, std::shared_ptr<const syntax::Tree> tree)
    : source(std::move(source)), tree(std::move(tree)) {
  if (this->tree->module)
    collect(this->tree->module->body);
}

/// `if __name__ == "__main__":` guards what only a script run does.
static bool isMainGuard(const syntax::If *statement) {
  auto *compare = dyn_cast<syntax::Compare>(statement->test);
  auto *name = compare ? dyn_cast<syntax::Name>(compare->left) : nullptr;
  return name && name->id == "__name__";
}

void FileModule::bindTarget(const syntax::Expr *target, Binding binding) {
  if (auto *name = dyn_cast<syntax::Name>(target)) {
    bindings[name->id] = binding;
    imports.erase(name->id);
  } else if (auto *tuple = dyn_cast<syntax::Tuple>(target)) {
    for (auto [index, element] : llvm::enumerate(tuple->elts))
      if (isa<syntax::Name>(element))
        bindTarget(element, {binding.statement, binding.value, static_cast<int>(index)});
  }
}

void FileModule::collect(llvm::ArrayRef<syntax::Stmt *> body) {
  for (const syntax::Stmt *statement : body) {
    if (auto *assign = dyn_cast<syntax::Assign>(statement)) {
      for (const syntax::Expr *target : assign->targets)
        bindTarget(target, {assign, assign->value});
    } else if (auto *annotated = dyn_cast<syntax::AnnAssign>(statement)) {
      if (annotated->value)
        bindTarget(annotated->target, {annotated, annotated->value});
    } else if (auto *augmented = dyn_cast<syntax::AugAssign>(statement)) {
      bindTarget(augmented->target, {augmented, nullptr});
    } else if (auto *function = dyn_cast<syntax::FunctionDef>(statement)) {
      bindings[function->name] = {function};
      imports.erase(function->name);
      functions.push_back(function);
    } else if (auto *classDef = dyn_cast<syntax::ClassDef>(statement)) {
      bindings[classDef->name] = {classDef};
      imports.erase(classDef->name);
    } else if (auto *import = dyn_cast<syntax::Import>(statement)) {
      for (const syntax::Alias *alias : import->names) {
        // `import a.b` binds `a`; `import a.b as c` binds `c` to the inner module.
        llvm::StringRef local = alias->asname.empty() ? alias->name.split('.').first : alias->asname;
        bindings[local] = {import};
        importedPaths.push_back(alias->name.str());
        imports[local] = (alias->asname.empty() ? alias->name.split('.').first : alias->name).str();
      }
    } else if (auto *from = dyn_cast<syntax::ImportFrom>(statement)) {
      for (const syntax::Alias *alias : from->names) {
        llvm::StringRef local = alias->asname.empty() ? alias->name : alias->asname;
        bindings[local] = {from};
        imports[local] =
            (std::string(from->level, '.') + from->module + (from->module.empty() ? "" : ".") + alias->name).str();
        importedPaths.push_back(imports[local]);
      }
    } else if (auto *conditional = dyn_cast<syntax::If>(statement)) {
      if (!isMainGuard(conditional)) {
        collect(conditional->orelse);
        collect(conditional->body);
      }
    } else if (auto *attempt = dyn_cast<syntax::TryBlock>(statement)) {
      for (const syntax::ExceptHandler *handler : attempt->handlers)
        collect(handler->body);
      collect(attempt->body);
      collect(attempt->orelse);
      collect(attempt->finalbody);
    } else if (auto *with = dyn_cast<syntax::WithBlock>(statement)) {
      collect(with->body);
    }
  }
}

const Binding *FileModule::find(llvm::StringRef name) const {
  auto found = bindings.find(name);
  return found == bindings.end() ? nullptr : &found->second;
}

std::string FileModule::dottedPath(const syntax::Expr *expression) const {
  if (auto *name = dyn_cast<syntax::Name>(expression)) {
    auto found = imports.find(name->id);
    return found == imports.end() ? std::string() : found->second;
  }
  if (auto *attribute = dyn_cast<syntax::Attribute>(expression)) {
    std::string path = dottedPath(attribute->value);
    return path.empty() ? path : path + "." + attribute->attr.str();
  }
  if (auto *call = dyn_cast<syntax::Call>(expression))
    return dottedPath(call->func);
  return {};
}
