#include "compiler/frontend/emitter/AssignedNames.h"

#include "compiler/syntax/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace triton;
using namespace triton::frontend;
using llvm::ArrayRef;
using llvm::dyn_cast;
using llvm::StringRef;

void triton::frontend::collectTargets(const syntax::Expr *target, std::vector<StringRef> &names) {
  if (auto *name = dyn_cast<syntax::Name>(target))
    names.push_back(name->id);
  else if (auto *tuple = dyn_cast<syntax::Tuple>(target))
    for (const syntax::Expr *element : tuple->elts)
      collectTargets(element, names);
}

void triton::frontend::collectNamed(const syntax::Node *expr, std::vector<StringRef> &names) {
  if (auto *named = dyn_cast<syntax::NamedExpr>(expr))
    collectTargets(named->target, names);
  syntax::forEachChild(*expr, [&](const syntax::Node *child) {
    if (!llvm::isa<syntax::Stmt>(child))
      collectNamed(child, names);
  });
}

/// In the order of their first occurrence.
using NameSet = llvm::SetVector<StringRef, std::vector<StringRef>, llvm::DenseSet<StringRef>>;

std::vector<StringRef> AssignedNames::of(const syntax::Stmt *statement) {
  std::vector<StringRef> names;
  collectNamed(statement, names);
  if (auto *assign = dyn_cast<syntax::Assign>(statement)) {
    for (const syntax::Expr *target : assign->targets)
      collectTargets(target, names);
  } else if (auto *assign = dyn_cast<syntax::AugAssign>(statement)) {
    collectTargets(assign->target, names);
  } else if (auto *assign = dyn_cast<syntax::AnnAssign>(statement)) {
    collectTargets(assign->target, names);
  } else if (auto *loop = dyn_cast<syntax::ForLoop>(statement)) {
    collectTargets(loop->target, names);
    llvm::append_range(names, of(loop->body));
  } else if (auto *loop = dyn_cast<syntax::While>(statement)) {
    llvm::append_range(names, of(loop->body));
  } else if (auto *branch = dyn_cast<syntax::If>(statement)) {
    llvm::append_range(names, of(branch->body));
    llvm::append_range(names, of(branch->orelse));
  } else if (auto *with = dyn_cast<syntax::WithBlock>(statement)) {
    for (const syntax::WithItem *item : with->items)
      if (item->optionalVars)
        collectTargets(item->optionalVars, names);
    llvm::append_range(names, of(with->body));
  } else if (auto *definition = dyn_cast<syntax::ClassDef>(statement)) {
    names.push_back(definition->name);
  } else if (auto *definition = dyn_cast<syntax::Function>(statement)) {
    names.push_back(definition->name);
  } else if (auto *import = dyn_cast<syntax::Import>(statement)) {
    for (const syntax::Alias *alias : import->names)
      names.push_back(alias->asname.empty() ? alias->name.split('.').first : alias->asname);
  } else if (auto *import = dyn_cast<syntax::ImportFrom>(statement)) {
    for (const syntax::Alias *alias : import->names)
      names.push_back(alias->asname.empty() ? alias->name : alias->asname);
  }
  return NameSet(names.begin(), names.end()).takeVector();
}

ArrayRef<StringRef> AssignedNames::of(ArrayRef<syntax::Stmt *> body) {
  if (body.empty())
    return {};
  const Part part{body.data(), body.size()};
  if (auto known = cache.find(part); known != cache.end())
    return *known->second;
  NameSet names;
  for (const syntax::Stmt *statement : body)
    names.insert_range(of(statement));
  return *(cache[part] = std::make_unique<std::vector<StringRef>>(names.takeVector()));
}

static void collectReceivers(const syntax::Node &node, NameSet &names) {
  if (auto *call = dyn_cast<syntax::Call>(&node)) {
    const syntax::Expr *base = call->func;
    while (auto *attribute = dyn_cast<syntax::Attribute>(base))
      base = attribute->value;
    if (auto *name = dyn_cast<syntax::Name>(base); name && base != call->func)
      names.insert(name->id);
  }
  syntax::forEachChild(node, [&](const syntax::Node *child) { collectReceivers(*child, names); });
}

ArrayRef<StringRef> AssignedNames::receivers(ArrayRef<syntax::Stmt *> body) {
  if (body.empty())
    return {};
  std::unique_ptr<std::vector<StringRef>> &names = receiverCache[{body.data(), body.size()}];
  if (!names) {
    NameSet found;
    for (const syntax::Stmt *statement : body)
      collectReceivers(*statement, found);
    names = std::make_unique<std::vector<StringRef>>(found.takeVector());
  }
  return *names;
}

const syntax::Return *triton::frontend::findReturn(ArrayRef<syntax::Stmt *> body) {
  for (const syntax::Stmt *statement : body) {
    const syntax::Return *found = nullptr;
    if (auto *result = dyn_cast<syntax::Return>(statement))
      found = result;
    else if (auto *branch = dyn_cast<syntax::If>(statement))
      found = (found = findReturn(branch->body)) ? found : findReturn(branch->orelse);
    else if (auto *loop = dyn_cast<syntax::ForLoop>(statement))
      found = findReturn(loop->body);
    else if (auto *loop = dyn_cast<syntax::While>(statement))
      found = findReturn(loop->body);
    else if (auto *with = dyn_cast<syntax::WithBlock>(statement))
      found = findReturn(with->body);
    if (found)
      return found;
  }
  return nullptr;
}
