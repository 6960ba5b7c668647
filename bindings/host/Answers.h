// What a kernel asked the program around it while it was compiled, with the answers: the proof that a stored kernel is still the right one.
//
// The frontend is a function of the kernel's source, the types and constants of its arguments, and the answers of the host. So a kernel compiled earlier is what a
// compile would give now if the same questions, asked in the same order, get the same answers. Example:
//
//   import conf                                   0  lookup kernel "conf"         module conf
//   @triton.jit                                   1  attribute #0 "G"             int 3
//   def kernel(out):                              2  lookup kernel "scale"        constexpr_function m.scale
//       tl.store(out, scale(conf.G))              3  call #2 (3,) {}              int 6
//
// Operands are earlier answers (#0) or plain values. An answer is compared by its Fingerprint.
// While kernels run in one process, most questions need not be asked again: where an answer is kept (a dict of globals, a module, a class) is watched. The rest (a
// function of the user's that reads the environment, an attribute of an object that can change) is asked at every launch.
#pragma once

#include "bindings/host/HostQuestion.h"
#include "bindings/host/RecordedGlobals.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nanobind {
class module_;
}

namespace triton::python {

void addAnswers(nanobind::module_ &module);

class Answers {
public:
  /// A question whose answer is not what it was.
  struct Change {
    std::string expression;  // "conf.G"
    std::string before, now; // the answers, as users know them; "<deleted>" if there is none
    bool isVariable = false; // a global, captured or module variable that holds a plain value
  };

  /// `constants`: dict of paths (tuples) to the compile-time arguments of `function`. Null members with an exception set if it is no such dict.
  Answers(PyObject *function, PyObject *constants);
  Answers(const Answers &) = delete;

  /// The one that records the compile of this thread; null outside of one.
  static Answers *&recording();

  /// Adds a question. One whose operands come from code that runs only while a kernel is compiled is left out: that code is a question of its own.
  /// False with an exception set.
  bool add(const HostQuestion &question, PyObject *answer);

  /// As JSON has it: one list for each question.
  PyObject *toJson() const;
  /// Asks all of `steps` (as `toJson` gave them) anew. Null without an exception if an answer has changed, which `change` then names.
  static std::unique_ptr<Answers> replay(PyObject *function, PyObject *constants, PyObject *steps,
                                         std::optional<Change> &change);
  /// Whether the answers still hold for these constants; nullopt: they do. Exceptions count as changes.
  std::optional<Change> findChange(PyObject *constants);
  /// Adds the places that answers are kept in; false if some question has to be asked at every launch.
  bool addWatched(std::vector<RecordedGlobal> &out);

  int traverse(visitproc visit, void *arg) const;
  void clear();

private:
  struct Step {
    HostQuestion::Kind kind;
    Reference name;
    std::vector<Reference> operands;
    Reference encoded; // the operands as JSON has them
    Reference answer;  // null: there is none
    std::string fingerprint;
  };

  bool addArguments(PyObject *constants);
  bool append(const HostQuestion &question, Reference encoded, PyObject *answer);
  void registerParts(PyObject *object, Reference path);
  Reference encode(PyObject *object) const;
  Reference decode(PyObject *encoded) const;
  std::string expressionOf(const Step &step) const;
  std::string expressionOf(PyObject *object) const;
  bool watch(const Step &step, std::vector<RecordedGlobal> &out) const;

  Reference function;
  std::vector<Step> steps;
  std::unordered_map<std::string, size_t> known;      // a question's text -> its step
  std::unordered_map<PyObject *, Reference> origins;  // object -> ["ref", step, part, ...]
  std::vector<Reference> kept;                        // the objects in `origins`
  std::optional<std::vector<RecordedGlobal>> watched; // where answers are kept; empty optional: not looked for yet
  bool isVolatile = false;
};

/// The native half of a Python object `Answers`; null if it is something else.
Answers *findAnswers(PyObject *object);

/// Makes `answers` those that record on this thread, while it lives.
class RecordingScope {
public:
  explicit RecordingScope(Answers *answers) : previous(std::exchange(Answers::recording(), answers)) {}
  RecordingScope(const RecordingScope &) = delete;
  ~RecordingScope() { Answers::recording() = previous; }

private:
  Answers *previous;
};

/// Answers, and records if a compile is being recorded. A new reference; null without an exception if there is none.
PyObject *ask(const HostQuestion &question);

} // namespace triton::python
