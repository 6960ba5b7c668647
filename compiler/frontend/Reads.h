// What a kernel read of the program around it, in words that every host understands: the proof that a kernel stored by one surface is the right one for another.
//
//   import triton.language as tl                  0  tl      module triton.language
//   SCALE = tl.constexpr(3)                       0  SCALE   i3
//   import conf                                   0  conf.N  i8
//   @triton.jit                                   0  twice   function <digest of its own text>
//   def twice(x): return x * FACTOR               1  FACTOR  i2
//   @triton.jit
//   def kernel(out): tl.store(out + conf.N, twice(SCALE))
//
// The frontend is a function of the kernel's text, the types and constants of its arguments and the values of outer names. So a stored kernel is right for a program
// in which the same names, looked up anew, have equal values. Constants count by their value, jitted functions by their text and what they read in turn, names
// of the language by their name, modules of the program by what is read of them. What only its host understands (an object of Python's, a class of a file) has no such words: a kernel that reads it is not portable.
#pragma once

#include "compiler/frontend/Host.h"
#include "compiler/frontend/emitter/Function.h"

#include "llvm/ADT/DenseMap.h"

namespace triton::frontend {

struct Reads {
  struct Read {
    unsigned function = 0; // 0: the kernel; 1: the first jitted function that is an answer below; and so on
    std::string name, answer;
    bool operator==(const Read &) const = default;
  };
  std::vector<Read> all;
  bool isPortable = false;
};

/// The module of the program that a value is, a file or what Python imported; null for anything else.
const HostObject *programModuleOf(const std::optional<Value> &value);
/// The value of every outer name, `SCALE`, or path into a module of the program, `conf.SCALE`, that was looked up; nullopt: there is none.
using LookedUp = llvm::DenseMap<std::pair<const Function *, llvm::StringRef>, std::optional<Value>>;

/// What a function is, whoever parsed it: its name, place, flags, text, and the defaults of its parameters.
std::string identityOf(const Function &function);
/// Nullopt for what only its host understands. `host` is that of the kernel, whose functions count by their text.
std::optional<std::string> fingerprint(const Value &value, const Host *host);

Reads readsOf(const Function &kernel, const LookedUp &names);
/// Whether the program that `kernel` is part of answers the same now.
bool confirm(const std::shared_ptr<const Function> &kernel, const Reads &reads);

} // namespace triton::frontend
