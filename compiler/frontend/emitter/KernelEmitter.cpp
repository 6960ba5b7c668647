// Kernel arguments, places in the source, errors.
#include "compiler/frontend/emitter/KernelEmitter.h"
#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/EmitLocated.h"
#include "compiler/support/DeepStack.h"
#include "compiler/tensor/Places.h"
#include "compiler/tensor/Record.h"
#include "compiler/tensor/rules/Rules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::failure;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::success;
using mlir::FailureOr;

/// Stack that emission may use, and what it leaves for what it calls, which may be a host such as Python; nested calls and expressions beyond that are an
/// error, not a crash. The stack is the caller's: hosts measure theirs.
static constexpr ptrdiff_t stackLimit = 4 << 20;
static constexpr size_t stackReserve = 160 << 10;
/// Statements and expressions visited in one compile: ends unrolling that would not end.
static constexpr uint64_t workLimit = 1 << 22;
/// Errors behind this one are not reported.
static constexpr unsigned maxErrors = 20;

mlir::OwningOpRef<mlir::ModuleOp> triton::frontend::emitKernel(mlir::MLIRContext &context, const KernelRequest &request,
                                                               Diagnostics &diagnostics) {
  SourceMap sources;
  Reads reads;
  return emitKernel(context, request, diagnostics, sources, reads);
}

mlir::OwningOpRef<mlir::ModuleOp> triton::frontend::emitKernel(mlir::MLIRContext &context, const KernelRequest &request,
                                                               Diagnostics &diagnostics, SourceMap &sources,
                                                               Reads &reads) {
  context.loadDialect<tensor::TensorDialect, record::RecordDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::ub::UBDialect>();
  if (request.layouts)
    request.layouts->loadDialects(context);
  KernelEmitter emitter(context, request.options, diagnostics);
  mlir::OwningOpRef<mlir::ModuleOp> module = emitter.emit(request);
  sources = emitter.takeSources();
  if (module)
    reads = readsOf(*request.function, emitter.lookedUp());
  return module;
}

ErrorStream::~ErrorStream() {
  if (!diagnostic.message.empty())
    emitter.report(std::move(diagnostic));
}

KernelEmitter::KernelEmitter(mlir::MLIRContext &context, const LanguageOptions &options, Diagnostics &diagnostics)
    : moduleOp(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))), opBuilder(&context), languageOptions(options),
      diagnostics(diagnostics) {}

namespace {

/// One kernel parameter, flattened: IR types, names and attributes of its run-time parts.
struct DeclaredArguments {
  SmallVector<mlir::Type> types;
  std::vector<std::string> names;
  SmallVector<mlir::DictionaryAttr> attributes;
  std::vector<SourceRange> ranges; // of the parameter each belongs to
};

} // namespace

/// The type of a parameter as the kernel sees it; its run-time parts are appended to `declared`.
static Type declare(mlir::OpBuilder &builder, const ArgumentSpec &spec, const std::string &name,
                    DeclaredArguments &declared) {
  switch (spec.kind) {
  case ArgumentSpec::Kind::Constant:
    return Type::constant(spec.constant);
  case ArgumentSpec::Kind::Tuple: {
    std::vector<Type> elements;
    for (auto [i, element] : llvm::enumerate(spec.elements))
      elements.push_back(
          declare(builder, element, name + "." + (spec.fields.empty() ? std::to_string(i) : spec.fields[i]), declared));
    return Type::tuple(elements, spec.fields, spec.hostClass);
  }
  case ArgumentSpec::Kind::Runtime:
    break;
  }
  flattenTypes(spec.type, builder.getContext(), declared.types);
  SmallVector<mlir::NamedAttribute> attributes;
  for (const auto &[key, value] : spec.attributes)
    attributes.emplace_back(builder.getStringAttr(key), builder.getI32IntegerAttr(value));
  // A descriptor brings its shape and strides along; what was promised is promised of the first part.
  const size_t rank = spec.type.kind() == Type::Kind::Descriptor ? spec.type.elements().size() / 2 : 0;
  for (size_t i = 0; declared.names.size() < declared.types.size(); ++i) {
    std::string part = i == 0      ? ""
                       : i <= rank ? ".shape." + std::to_string(i - 1)
                       : rank      ? ".stride." + std::to_string(i - 1 - rank)
                                   : "." + std::to_string(i);
    declared.names.push_back(name + part);
    declared.attributes.push_back(
        builder.getDictionaryAttr(i == 0 ? llvm::ArrayRef(attributes) : llvm::ArrayRef<mlir::NamedAttribute>()));
  }
  return spec.type;
}

LogicalResult KernelEmitter::checkArgument(const Parameter &parameter, const ArgumentSpec &spec) {
  if (parameter.isConstexpr && !(parameter.specializesValue && parameter.specializesAlignment))
    return error(parameter.range, "")
           << parameter.name
           << " marked as constexpr and listed in do_not_specialize/"
              "do_not_specialize_on_alignment. Remove constexpr designation or skip designation.";
  for (const ArgumentSpec &element : spec.elements)
    if (failed(checkArgument(parameter, element)))
      return failure();
  if (spec.kind != ArgumentSpec::Kind::Runtime)
    return success();
  if (spec.type == Type::voidType())
    return error(parameter.range, "TypeError") << "argument " << parameter.name << " has no type";
  if (spec.type.kind() != Type::Kind::Descriptor)
    return success();
  At at(*this, parameter.range.isValid() ? parameter.range : currentRange);
  const Type block = spec.type.descriptorBlock();
  return tensor::checkDescriptorBlock(block.shape(), block.bitWidth(), [this] { return ruleError(); });
}

LogicalResult KernelEmitter::addLayouts(SourceRange range, ArgumentSpec &spec) {
  for (ArgumentSpec &element : spec.elements)
    if (failed(addLayouts(range, element)))
      return failure();
  if (spec.kind != ArgumentSpec::Kind::Runtime || spec.type.kind() != Type::Kind::Descriptor)
    return success();
  At at(*this, range);
  FailureOr<Type> type = layoutPolicy->descriptorType(*this, spec.type, spec.constant);
  if (failed(type))
    return failure();
  spec.type = *type;
  return success();
}

mlir::OwningOpRef<mlir::ModuleOp> KernelEmitter::emit(const KernelRequest &request) {
  char here;
  stackBase = &here;
  mlir::ScopedDiagnosticHandler handler(context(), [this](mlir::Diagnostic &diagnostic) {
    reportIrDiagnostic(diagnostic);
    return success();
  });
  if (!request.function || !request.function->definition || !request.function->host || !request.function->source) {
    diagnostics.report({.range = {}, .message = "there is no source to compile", .exception = "ValueError"});
    return {};
  }
  const Function &function = *request.function;
  Frame kernel{.function = function};
  frame = &kernel;
  currentRange = function.definition->range;
  sources.add(function.source);
  moduleOp->getOperation()->setLoc(locationOf(currentRange));
  layoutPolicy = request.layouts;
  if (layoutPolicy)
    layoutPolicy->prepare(*moduleOp, languageOptions);
  if (failed(checkDeclaration(function)))
    return {};
  if (request.arguments.size() != function.parameters.size()) {
    (void)(error("TypeError") << "kernel " << function.name << " has " << function.parameters.size()
                              << " parameters, but " << request.arguments.size() << " arguments are given");
    return {};
  }

  opBuilder.setInsertionPointToEnd(moduleOp->getBody());
  DeclaredArguments declared;
  std::vector<Type> types;
  for (auto [given, parameter] : llvm::zip_equal(request.arguments, function.parameters)) {
    ArgumentSpec spec = given;
    if (failed(checkArgument(parameter, spec)) || (layoutPolicy && failed(addLayouts(parameter.range, spec))))
      return {};
    types.push_back(declare(opBuilder, spec, parameter.name, declared));
    declared.ranges.resize(declared.names.size(), parameter.range);
  }
  const std::string symbol = request.symbol.empty() ? function.name : request.symbol;
  ++symbols[symbol];
  kernel.op = tensor::FuncOp::create(opBuilder, location(), symbol, opBuilder.getFunctionType(declared.types, {}));
  kernel.op->setAttr(mlir::SymbolTable::getVisibilityAttrName(), opBuilder.getStringAttr("public"));
  kernel.op->setAttr("noinline", opBuilder.getBoolAttr(false));
  mlir::Block *entry = kernel.op.addEntryBlock();
  for (auto [i, name] : llvm::enumerate(declared.names)) {
    kernel.op.setArgAttrs(i, declared.attributes[i]);
    At at(*this, declared.ranges[i].isValid() ? declared.ranges[i] : currentRange);
    entry->getArgument(i).setLoc(namedLocation(name));
  }
  mlir::ValueRange received = entry->getArguments();
  for (auto [type, parameter] : llvm::zip_equal(types, function.parameters))
    kernel.scope.bind(parameter.name, {.value = rebuild(type, received), .range = parameter.range});
  opBuilder.setInsertionPointToEnd(entry);
  if (failed(emitBody(kernel)) || diagnostics.hasErrors()) {
    if (!diagnostics.hasErrors())
      (void)(error() << "kernel " << function.name << " could not be compiled");
    return {};
  }
  if (failed(mlir::verify(*moduleOp)) || diagnostics.hasErrors())
    return {};
  return std::move(moduleOp);
}

void KernelEmitter::resume(Frame &outer, mlir::Block *block) {
  char here;
  stackBase = &here;
  frame = &outer;
  nodeCount = 0;
  gaveUp = false;
  // The host may come back from an error and run into the same one again.
  reported.clear();
  for (auto entry = specializations.begin(); entry != specializations.end();)
    entry = entry->second.state == Specialization::State::Failed ? specializations.erase(entry) : std::next(entry);
  opBuilder.setInsertionPointToEnd(block);
}

std::unique_ptr<mlir::ScopedDiagnosticHandler> KernelEmitter::handleDiagnostics() {
  return std::make_unique<mlir::ScopedDiagnosticHandler>(context(), [this](mlir::Diagnostic &diagnostic) {
    reportIrDiagnostic(diagnostic);
    return success();
  });
}

mlir::Location KernelEmitter::locationOf(SourceRange range) {
  if (!range.isValid())
    return opBuilder.getUnknownLoc();
  const LineColumn place = range.source->locate(range.begin);
  return mlir::FileLineColLoc::get(context(), range.source->name(), place.line, place.column + 1);
}

/// Gives IR values that have none yet the name of the variable they are assigned to.
void KernelEmitter::nameValue(const Value &value, const llvm::Twine &name) {
  auto parts = [&](llvm::ArrayRef<Value> elements, llvm::ArrayRef<std::string> fields) {
    for (auto [i, element] : llvm::enumerate(elements))
      nameValue(element, name + "." + (fields.empty() ? std::to_string(i) : fields[i]));
  };
  auto nameIr = [&](mlir::Value ir) {
    if (llvm::isa<mlir::NameLoc>(ir.getLoc()))
      return;
    mlir::Location named = mlir::NameLoc::get(opBuilder.getStringAttr(name), ir.getLoc());
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(ir))
      argument.setLoc(named);
    else if (ir.getDefiningOp()->getNumResults() == 1)
      ir.getDefiningOp()->setLoc(named);
  };
  if (auto *tensor = value.getIf<TensorValue>())
    nameIr(tensor->ir);
  else if (auto *handle = value.getIf<HandleValue>())
    nameIr(handle->ir);
  else if (auto *tuple = value.tuple())
    parts(tuple->elements, tuple->fields);
  else if (auto *aggregate = value.aggregate())
    parts(aggregate->elements, aggregate->fields);
  else if (auto *descriptor = value.descriptor())
    nameIr(descriptor->ir);
}

LogicalResult KernelEmitter::checkDepth() {
  char here;
  if (gaveUp || diagnostics.errors() >= maxErrors)
    return failure();
  gaveUp = std::abs(&here - stackBase) > stackLimit || remainingStack() < stackReserve || ++nodeCount > workLimit;
  if (!gaveUp)
    return success();
  if (nodeCount > workLimit)
    return error("RuntimeError") << "this kernel is too large to compile";
  return error("RecursionError") << "calls and expressions are nested too deeply";
}

ErrorStream KernelEmitter::error(SourceRange range, StringRef exception) {
  return ErrorStream(*this, Diagnostic{.range = range, .message = {}, .exception = exception.str()});
}

void KernelEmitter::warn(StringRef category, const llvm::Twine &message) {
  // The kernel's host knows the user; a library function's does not.
  const Frame *kernel = frame;
  while (kernel->caller)
    kernel = kernel->caller;
  kernel->function.host->warn(category, currentRange, message.str());
}

/// A parameter that the expression at `range` uses and that holds a run-time number; empty if there is none. What stands in a function of the library is the
/// user's where it was called.
std::string KernelEmitter::runtimeParameterIn(SourceRange range) const {
  const Frame *frame = this->frame;
  for (; frame && frame->caller && StringRef(frame->function.qualifiedName).starts_with("triton.language.");
       frame = frame->caller)
    range = frame->callSite;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (StringRef text = range.text(); !text.empty();) {
    text = text.drop_until(isWord);
    const StringRef word = text.take_while(isWord);
    text = text.drop_front(word.size());
    const LocalBinding *binding = frame ? frame->scope.find(word) : nullptr;
    const bool isParameter = binding && llvm::any_of(frame->function.parameters, [&](const Parameter &parameter) {
                               return parameter.name == word;
                             });
    if (isParameter && binding->value.isTensor() && binding->value.type().isScalar())
      return word.str();
  }
  return "";
}

void KernelEmitter::report(Diagnostic diagnostic) {
  const SourceRange &range = diagnostic.range;
  if (!reported.emplace(range.source, range.begin, range.end, diagnostic.message).second)
    return;
  for (const Frame *f = frame; f && f->caller; f = f->caller)
    diagnostic.callers.push_back(f->callSite);
  if (frame && diagnostic.exception == "CompileTimeAssertionFailure")
    frame->stopped = true;
  const StringRef text = diagnostic.message;
  const bool asksForConstant =
      text.contains("constexpr") && (text.contains("must be") || text.contains("must have") || text.contains("non-"));
  if (diagnostic.hint.empty() && asksForConstant)
    if (std::string parameter = runtimeParameterIn(range); !parameter.empty())
      diagnostic.hint = "declare the parameter as `" + parameter +
                        ": tl.constexpr` if its value is known when the kernel is compiled";
  shortenCallers(diagnostic);
  diagnostics.report(std::move(diagnostic));
}

LogicalResult KernelEmitter::fail(llvm::Error failed) {
  llvm::handleAllErrors(
      std::move(failed),
      [&](const HostError &hostFailure) {
        // An empty text means that the error has been reported already, or that Python code raised an exception without one.
        if (hostFailure.message.empty() && diagnostics.hasErrors())
          return;
        const std::string &text = hostFailure.message.empty() ? hostFailure.exception : hostFailure.message;
        report({.range = currentRange, .message = text, .exception = hostFailure.exception});
      },
      [&](const llvm::ErrorInfoBase &other) { report({.range = currentRange, .message = other.message()}); });
  return failure();
}

SourceRange KernelEmitter::rangeOf(mlir::Location location) const {
  for (const FilePlace &place : tensor::placesOf(location))
    if (SourceRange range = sources.find(place); range.isValid())
      return range;
  return {};
}

/// The types a value of this type is made of, itself first.
static void appendParts(const Type &type, llvm::SmallVectorImpl<Type> &parts) {
  switch (type.kind()) {
  case Type::Kind::Scalar:
    return parts.push_back(type);
  case Type::Kind::Pointer:
    parts.push_back(type);
    return appendParts(type.pointee(), parts);
  case Type::Kind::Block:
    parts.push_back(type);
    return appendParts(type.element(), parts);
  case Type::Kind::Descriptor:
    return appendParts(type.descriptorBlock(), parts);
  default:
    return;
  }
}

std::string KernelEmitter::nameOf(mlir::Type type) const {
  SmallVector<Type> known;
  if (builtinArguments)
    for (const Value &argument : builtinArguments->values)
      appendParts(argument.type(), known);
  // Of numbers that no argument is one of, the usual kinds: signed integers.
  for (ScalarKind kind :
       {ScalarKind::Int1, ScalarKind::Int8, ScalarKind::Int16, ScalarKind::Int32, ScalarKind::Int64,
        ScalarKind::Float8E5, ScalarKind::Float8E5B16, ScalarKind::Float8E4NV, ScalarKind::Float8E4B8,
        ScalarKind::Float8E4B15, ScalarKind::Float16, ScalarKind::BFloat16, ScalarKind::Float32, ScalarKind::Float64})
    known.push_back(Type::scalar(kind));
  auto block = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto integer = llvm::dyn_cast<mlir::IntegerType>(block ? block.getElementType() : type);
  for (const Type &candidate : known) {
    if (integer && integer.isUnsigned() && candidate.isSigned())
      continue;
    mlir::Type wanted = block && !candidate.isBlock() ? block.getElementType() : type;
    if (integer && integer.isUnsigned() && wanted == integer)
      wanted = mlir::IntegerType::get(type.getContext(), integer.getWidth());
    if (candidate.toIr(type.getContext()) == wanted)
      return wanted == type || !block ? candidate.str()
                                      : Type::block(candidate, block.getShape(), block.getEncoding()).str();
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

void KernelEmitter::reportIrDiagnostic(mlir::Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
    return;
  // While emitting, the place is the node at hand; the verifier runs when all is emitted.
  const bool isEmitting = opBuilder.getInsertionBlock() != nullptr;
  std::string message;
  llvm::raw_string_ostream stream(message);
  for (mlir::DiagnosticArgument &argument : diagnostic.getArguments()) {
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Type)
      stream << nameOf(argument.getAsType());
    else
      argument.print(stream);
  }
  SourceRange range = isEmitting ? currentRange : rangeOf(diagnostic.getLocation());
  Diagnostic reported{
      .range = range, .message = std::move(message), .exception = isEmitting ? "ValueError" : "RuntimeError"};
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    reported.notes.push_back({.severity = Severity::Note, .message = note.str()});
  report(std::move(reported));
}
