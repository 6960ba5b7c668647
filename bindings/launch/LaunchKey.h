// The key under which a kernel remembers how to launch: one part per argument and option, compared without running any Python code.
//   In:  arguments, classified.
//   Out: equal keys only if the arguments lead to the same compiled kernel; equal arguments may still give different keys.
// Objects that could change while keeping their identity have no key: such launches take the general path.
#pragma once

#include "bindings/launch/Argument.h"
#include "bindings/launch/InlineVector.h"

#include <cstdint>

namespace triton::python {

struct KeyPart {
  uint64_t tag;
  PyObject *object; // borrowed while looking up, owned once stored; null if the tag says it all
  uint64_t value;   // of exact ints and floats (their bits), hash of strings
  bool matches(const KeyPart &other) const;
};

class LaunchKey {
public:
  void clear() { parts.clear(), hash = 0x9e3779b97f4a7c15; }
  void addTag(uint64_t tag) { append({tag, nullptr, 0}); }
  /// An object by identity; it must be one that never changes.
  void addIdentity(PyObject *object) { append({1, object, reinterpret_cast<uint64_t>(object)}); }
  /// A compile-time value; false if it may change, or has no hash.
  bool addConstant(PyObject *object);
  /// A run-time argument by the rules of specialisation; false if it has no key.
  bool addArgument(PyObject *object, const Argument &argument, bool specializeValue, bool align);

  bool matches(const LaunchKey &other) const;
  uint64_t hashValue() const { return hash; }
  /// Takes references to the objects; call once, when the key is stored.
  void own();
  void disown();
  int traverse(visitproc visit, void *argument) const;

private:
  void append(KeyPart part) {
    hash = (hash ^ part.tag ^ (part.value * 0xff51afd7ed558ccd)) * 0xc4ceb9fe1a85ec53;
    hash ^= hash >> 32;
    parts.push_back(part);
  }
  InlineVector<KeyPart, 32> parts;
  uint64_t hash = 0x9e3779b97f4a7c15;
};

} // namespace triton::python
