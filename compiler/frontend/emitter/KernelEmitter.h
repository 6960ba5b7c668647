// The emitter: walks the statements of a kernel and of the functions it calls, evaluates what is known while compiling,
// and emits IR for the rest.
//
// An error makes the names of its statement unknown; reading an unknown name fails silently. So one compile reports
// several independent errors, none of them caused by another. Where anything was reported no module comes out, so IR of
// failed parts only has to be safe to build on, not right.
//
// The parts, each in a file of its own: Expressions, Statements, Branches (if, conditional expression, early return),
// Loops, Calls, KernelEmitter (places, errors, kernel arguments).
#pragma once

#include "compiler/frontend/Reads.h"
#include "compiler/frontend/Signature.h"
#include "compiler/frontend/emitter/AssignedNames.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/emitter/Scope.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/support/SourceMap.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

#include <set>

namespace triton::frontend {

/// What running a statement list leads to.
struct Flow {
  enum class Kind : uint8_t { Continues, Returns, MayReturn };
  Kind kind = Kind::Continues;
  mlir::Value returned;                   // MayReturn: whether it did, an i1
  llvm::SmallVector<mlir::Value> results; // Returns, MayReturn: the function's results, meaningful if it returned
};

/// One function being emitted.
struct Frame {
  const Function &function;
  Frame *caller = nullptr;
  SourceRange callSite = {}; // in the caller; none for the kernel
  tensor::FuncOp op = {};
  Scope scope = {};
  unsigned loopDepth = 0; // run-time loops around the statement
  std::optional<Value> result =
      {}; // the first result, as a pattern for the others; none while no `return` was seen, None if it had no value
  Value returned = {}; // the same, with what every `return` so far gave as the same constant still a constant
  std::vector<std::string> returnedTypes = {}; // of each `return`, for messages
  SourceRange resultRange = {};                // that `return`
  bool failed = false;                         // a `return` had an error: the function's type is not known
  bool stopped = false;                        // a static_assert failed: what it guards is not looked at

  llvm::SmallVector<mlir::Type> resultTypes = {};
  llvm::SmallVector<mlir::Operation *> dead = {}; // ops that hold code which cannot run, erased at the end
};

class KernelEmitter final : public Emitter {
public:
  KernelEmitter(mlir::MLIRContext &context, const LanguageOptions &options, Diagnostics &diagnostics);
  mlir::OwningOpRef<mlir::ModuleOp> emit(const KernelRequest &request);
  /// What the IR's locations point into.
  SourceMap takeSources() { return std::move(sources); }
  /// The outer names it read, with their values.
  const LookedUp &lookedUp() const { return hostNames; }

  /// For a host that runs a kernel itself and asks for single operations: what is called from now on is emitted at the end
  /// of `block`, as part of `outer`. To be called anew whenever the host comes back to the emitter.
  void resume(Frame &outer, mlir::Block *block);
  /// IR diagnostics from now on, until the handler dies, are errors of the kernel.
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handleDiagnostics();

  mlir::OpBuilder &builder() override { return opBuilder; }
  mlir::ModuleOp module() override { return moduleOp.get(); }
  const LanguageOptions &options() const override { return languageOptions; }
  const LayoutPolicy *layouts() const override { return layoutPolicy; }
  void setPartitionWarps(int warps) override { currentPartitionWarps = warps; }
  int partitionWarps() const override { return currentPartitionWarps; }
  mlir::Location location() override { return locationOf(currentRange); }
  SourceRange range() const override { return currentRange; }
  using Emitter::error;
  ErrorStream error(SourceRange range, llvm::StringRef exception) override;
  void warn(llvm::StringRef category, const llvm::Twine &message) override;
  void report(Diagnostic diagnostic) override;
  mlir::LogicalResult fail(llvm::Error error) override;
  mlir::InFlightDiagnostic ruleError() override { return mlir::emitError(location()); }
  mlir::FailureOr<Value> call(const Value &callable, const CallArguments &arguments) override;
  mlir::FailureOr<Value> callScalar(const Value &function, llvm::ArrayRef<Value> scalars) override;
  Host &host() override {
    const Frame *kernel = frame; // a function of the language's library has a host that only knows the library
    while (kernel->caller)
      kernel = kernel->caller;
    return *kernel->function.host;
  }
  void changeReceiver(Value value) override { changedReceiver = std::move(value); }

private:
  /// Makes a node the place of errors and of the IR emitted while it lives.
  class At {
  public:
    At(KernelEmitter &emitter, SourceRange range) : emitter(emitter), outer(emitter.currentRange) {
      emitter.currentRange = range;
    }
    ~At() { emitter.currentRange = outer; }

  private:
    KernelEmitter &emitter;
    SourceRange outer;
  };

  // Kernel arguments and places.
  /// That a kernel can be given what `spec` says: signatures are text that anybody may write.
  mlir::LogicalResult checkArgument(const Parameter &parameter, const ArgumentSpec &spec);
  /// Gives descriptors the layouts of their blocks.
  mlir::LogicalResult addLayouts(SourceRange range, ArgumentSpec &spec);
  mlir::Location locationOf(SourceRange range);
  mlir::Location namedLocation(llvm::StringRef name) {
    return mlir::NameLoc::get(opBuilder.getStringAttr(name), location());
  }
  void nameValue(const Value &value, const llvm::Twine &name);
  std::string runtimeParameterIn(SourceRange range) const;
  void reportIrDiagnostic(mlir::Diagnostic &diagnostic);
  /// An IR type in the language's words; its sign is that of an argument of the builtin at hand.
  std::string nameOf(mlir::Type type) const;
  SourceRange rangeOf(mlir::Location location) const;
  /// Fails, with an error, when emission has used up the stack it may use.
  mlir::LogicalResult checkDepth();

  // Expressions.
  mlir::FailureOr<Value> evaluate(const syntax::Expr *expr);
  mlir::FailureOr<Value> evaluateNode(const syntax::Expr *expr);
  mlir::FailureOr<Value> evaluateChain(const syntax::BinOp *last);
  /// Fails, after reporting it, for a value of more parts than can be worked with.
  mlir::LogicalResult checkParts(const Value &value);
  mlir::FailureOr<Value> evaluateName(const syntax::Name *name);
  mlir::FailureOr<Value> evaluateConstant(const syntax::Constant *constant);
  mlir::FailureOr<Value> evaluateAttribute(const syntax::Attribute *attribute);
  /// A module of the program that an expression names: `conf`, `package.conf`.
  struct ProgramModule {
    llvm::StringRef path;
    HostObject object;
  };
  std::optional<ProgramModule> programModule(const syntax::Expr *expr);
  /// What `ask` says of an outer name, or of a path into a module of the program; asked once in each function. Nullopt: there is nothing.
  mlir::FailureOr<std::optional<Value>> outerValue(llvm::StringRef path,
                                                   llvm::function_ref<llvm::Expected<std::optional<Value>>()> ask);
  mlir::FailureOr<Value> evaluateSubscript(const syntax::Subscript *subscript);
  mlir::FailureOr<Value> evaluateSlice(const syntax::Slice *slice);
  mlir::FailureOr<Value> evaluateCompare(const syntax::Compare *compare);
  mlir::FailureOr<Value> evaluateBoolOp(const syntax::BoolOp *operation);
  mlir::FailureOr<Value> evaluateUnary(const syntax::UnaryOp *operation);
  mlir::FailureOr<Value> evaluateConditional(const syntax::IfExp *conditional);
  mlir::FailureOr<Value> evaluateCall(const syntax::Call *call, bool isDiscarded = false);
  mlir::FailureOr<Value> evaluateNamed(const syntax::NamedExpr *named);
  mlir::FailureOr<Value> evaluateComprehension(const syntax::Expr *element,
                                               llvm::ArrayRef<syntax::Comprehension *> generators);
  /// Whether all conditions of a comprehension hold; they are known while compiling.
  mlir::FailureOr<bool> holds(llvm::ArrayRef<syntax::Expr *> conditions);
  mlir::FailureOr<std::string> evaluateField(const syntax::FormattedValue *field);
  mlir::FailureOr<Value> evaluateJoinedString(const syntax::JoinedStr *joined);
  /// The values of expressions in order, `*` unpacked; `what` they are is said of one that cannot be.
  mlir::FailureOr<std::vector<Value>> evaluateAll(llvm::ArrayRef<syntax::Expr *> expressions, llvm::StringRef what);
  mlir::FailureOr<Value> evaluateElements(llvm::ArrayRef<syntax::Expr *> elements);
  mlir::FailureOr<Value> combine(BinaryOperation operation, const Value &lhs, const Value &rhs);
  mlir::FailureOr<Value> compare(syntax::CompareOperator op, const Value &lhs, const Value &rhs);
  /// An operator as a method of an aggregate: nullopt if `object` is none, has none, or leaves it to others.
  mlir::FailureOr<std::optional<Value>> callOperator(const Value &object, llvm::StringRef name,
                                                     llvm::ArrayRef<Value> others);
  /// Of the left side, or else reflected of the right; the right side first if its class inherits from that of the left.
  mlir::FailureOr<std::optional<Value>> combineByMethod(llvm::StringRef forward, llvm::StringRef reflected,
                                                        const Value &lhs, const Value &rhs);
  /// The elements of something that unpacks while compiling; nullopt if it does not.
  mlir::FailureOr<std::optional<std::vector<Value>>> unpack(const Value &value);
  mlir::FailureOr<Value> unsupported(const syntax::Node *node);

  // Statements.
  Flow emitStatements(llvm::ArrayRef<syntax::Stmt *> body, bool isFunctionBody = false);
  Flow emitStatement(const syntax::Stmt *statement);
  mlir::LogicalResult emitSimple(const syntax::Stmt *statement);
  mlir::LogicalResult emitAssign(const syntax::Assign *assign);
  mlir::LogicalResult emitAugAssign(const syntax::AugAssign *assign);
  mlir::LogicalResult emitAnnAssign(const syntax::AnnAssign *assign);
  mlir::LogicalResult emitExpressionStatement(const syntax::ExprStmt *statement);
  mlir::LogicalResult emitAssert(const syntax::Assert *statement);
  mlir::LogicalResult checkTarget(const syntax::Expr *target);
  /// Materialises what it binds, but for names that wait for a constexpr.
  mlir::LogicalResult assign(const syntax::Expr *target, const Value &value);
  /// Calls `bind` for each name of a target with its part of the value.
  using BindName = llvm::function_ref<mlir::LogicalResult(const syntax::Name *, const Value &)>;
  mlir::LogicalResult forEachName(const syntax::Expr *target, const Value &value, BindName bind);
  /// The elements for the names of `targets`, as many as there are names.
  mlir::FailureOr<llvm::ArrayRef<Value>> elementsFor(const syntax::Tuple *targets, const Value &value);
  mlir::LogicalResult assignName(const syntax::Name *target, const Value &value);
  /// `:=` in code that may run in part, or again and again, binds names for that code alone.
  mlir::LogicalResult forgetNamed(const syntax::Expr *expr, const Scope::Saved &before, llvm::StringRef place);
  mlir::FailureOr<bool> isConstexprAnnotation(const syntax::Expr *annotation);
  Flow emitWith(const syntax::With *with);
  Flow emitReturn(const syntax::Return *statement);
  /// The value of a `return`, as the types of the others want it: its run-time parts are materialised.
  mlir::FailureOr<Value> unifyReturn(const Value &value);
  void makeUnknown(llvm::ArrayRef<llvm::StringRef> names);
  /// The names that `body` may change: those it assigns, and aggregates whose methods it calls.
  std::vector<llvm::StringRef> changedBy(llvm::ArrayRef<syntax::Stmt *> body);
  /// Lets the name or field that `target` stands for hold `value`, after a method has changed it.
  void rebind(const syntax::Expr *target, const Value &value);

  // Branches.
  Flow emitIf(const syntax::If *branch);
  Flow emitRuntimeIf(const syntax::If *branch, mlir::Value condition);
  /// A condition decided while compiling, or an i1.
  mlir::FailureOr<std::variant<bool, mlir::Value>> evaluateCondition(const syntax::Expr *test);
  struct Arm;
  struct Merge;
  Merge mergeName(llvm::StringRef name, const std::optional<LocalBinding> &before, const Arm &thenArm,
                  const Arm &elseArm, size_t index);
  /// Gives `op` its results: what each arm yields for them. Returns the op that replaces it.
  mlir::scf::IfOp finishIf(mlir::scf::IfOp op, mlir::ValueRange thenYields, mlir::ValueRange elseYields);
  /// What follows code that may have returned: `rest` runs only if it did not. `names` are those that `rest` may bind.
  Flow emitGuarded(Flow flow, llvm::ArrayRef<llvm::StringRef> names, bool isFunctionBody,
                   llvm::function_ref<Flow()> rest);
  void emitDead(llvm::ArrayRef<syntax::Stmt *> body);
  mlir::Value poison(mlir::Type type);
  llvm::SmallVector<mlir::Value> resultsOrPoison(const Flow &flow);
  mlir::Value constantFlag(bool value);

  // Loops.
  struct LoopRange;
  Flow emitFor(const syntax::For *loop);
  Flow emitWhile(const syntax::While *loop);
  Flow emitStaticRange(const syntax::For *loop, const BoundArguments &arguments, const Signature &signature);
  void emitRange(const syntax::For *loop, const LoopRange &range);
  mlir::FailureOr<CallArguments> asLanguageRange(CallArguments arguments);
  mlir::FailureOr<LoopRange> loopRange(const BoundArguments &arguments, const Signature &signature);
  mlir::FailureOr<Value> loopBound(const Value &value, llvm::StringRef which);
  void countIterations(LoopRange &range, mlir::Value direction);
  mlir::Value placeInRange(const LoopRange &range, mlir::Value counter, mlir::Location named);
  struct Carried;
  Carried beginLoop(llvm::ArrayRef<llvm::StringRef> names);
  void bindCarried(const Carried &carried, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> endLoopBody(const Carried &carried, const syntax::Stmt *loop);
  void endLoop(const Carried &carried, mlir::Operation *op);

  // Calls.
  struct Specialization {
    tensor::FuncOp op;
    Value result;
    enum class State : uint8_t { InProgress, Done, Failed } state = State::InProgress;
  };
  mlir::FailureOr<CallArguments> evaluateArguments(const syntax::Call *call);
  llvm::LogicalResult evaluateKeywords(const syntax::Call *call, std::vector<std::pair<std::string, Value>> &values);
  mlir::FailureOr<Value> callFunction(const Function &function, const CallArguments &arguments);
  mlir::FailureOr<Value> callBuiltin(const Builtin &builtin, const CallArguments &arguments);
  mlir::FailureOr<Specialization *> specialize(const Function &function, llvm::ArrayRef<Value> arguments,
                                               llvm::ArrayRef<bool> isDefault);
  mlir::LogicalResult emitBody(Frame &frame);
  std::string symbolFor(const Function &function, llvm::ArrayRef<Value> arguments, llvm::ArrayRef<bool> isDefault);
  mlir::LogicalResult checkDeclaration(const Function &function);

  mlir::OwningOpRef<mlir::ModuleOp> moduleOp;
  mlir::OpBuilder opBuilder;
  const LanguageOptions &languageOptions;
  Diagnostics &diagnostics;
  const LayoutPolicy *layoutPolicy = nullptr;
  int currentPartitionWarps = 0;
  Frame *frame = nullptr;
  SourceRange currentRange;
  std::optional<Value> changedReceiver;             // by the host's method called last
  const BoundArguments *builtinArguments = nullptr; // of the builtin being emitted
  AssignedNames assigned;
  std::map<std::string, Specialization> specializations;
  llvm::StringMap<unsigned> symbols;
  LookedUp hostNames;
  llvm::DenseMap<std::pair<const Function *, llvm::StringRef>, HostObject>
      programModules; // read through, by their paths
  llvm::BumpPtrAllocator pathStorage;
  std::set<std::tuple<const Source *, uint32_t, uint32_t, std::string>> reported;
  SourceMap sources;
  std::vector<std::shared_ptr<const Function>> keptFunctions;
  const char *stackBase = nullptr;
  uint64_t nodeCount = 0; // statements and expressions visited
  bool gaveUp = false;
};

} // namespace triton::frontend
