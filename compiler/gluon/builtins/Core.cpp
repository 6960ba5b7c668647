// What of the language's core knows of layouts: creation, conversion, queries.
#include "compiler/frontend/Library.h"
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Fill.h"
#include "compiler/frontend/builtins/Reductions.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/gluon/LayoutHost.h"
#include "compiler/gluon/LibraryText.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/layout/Conversion.h"
#include "compiler/tensor/rules/Rules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

static FailureOr<Value> arange(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> start = readInteger(emitter, arguments[0], "start of arange"),
                     end = readInteger(emitter, arguments[1], "end of arange");
  if (failed(start) || failed(end))
    return failure();
  FailureOr<RankedTensorType> type = tensor::inferRange(emitter.context(), *start, *end, ruleErrors(emitter));
  FailureOr<Attribute> layout =
      failed(type) ? FailureOr<Attribute>() : readTensorLayout(emitter, arguments[2], type->getShape());
  if (failed(layout))
    return failure();
  const Type block = Type::block(Type::int32(), type->getShape(), *layout);
  return Value::tensor(tensor::MakeRangeOp::create(emitter.builder(), emitter.location(), block.toIr(emitter.context()),
                                                   static_cast<int32_t>(*start), static_cast<int32_t>(*end)),
                       block);
}

static FailureOr<Value> full(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<int64_t>> shape = readShapeOf(emitter, arguments[0]);
  FailureOr<Type> dtype = failed(shape) ? FailureOr<Type>() : readType(emitter, arguments[2], "dtype");
  if (failed(dtype))
    return failure();
  FailureOr<Attribute> layout =
      shape->empty() ? FailureOr<Attribute>(Attribute()) : readTensorLayout(emitter, arguments[3], *shape);
  if (failed(layout))
    return failure();
  return fillBlock(emitter, arguments[1], *dtype, *shape, *layout);
}

FailureOr<std::vector<int64_t>> readShapeOf(Emitter &emitter, const Value &value) {
  FailureOr<std::vector<Value>> sizes = readSequence(emitter, value, "shape");
  return failed(sizes) ? FailureOr<std::vector<int64_t>>() : readShape(emitter, *sizes);
}

static bool isTrivial(RankedTensorType from, RankedTensorType to) {
  using Kind = layout::ConversionPlan::Kind;
  Kind kind = layout::planConversion(gpu::toLinear(from), gpu::toLinear(to), 32).kind;
  return kind == Kind::Nothing || kind == Kind::Registers;
}

static FailureOr<Value> convertLayout(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> value = readBlock(emitter, arguments[0], "value of convert_layout");
  FailureOr<bool> mustBeTrivial = readBoolean(emitter, arguments[2], "assert_trivial");
  if (failed(value) || failed(mustBeTrivial))
    return failure();
  const Type type = value->type();
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[1], type.shape());
  if (failed(layout))
    return failure();
  const Type result = Type::block(type.element(), type.shape(), *layout);
  auto resultIr = llvm::cast<RankedTensorType>(result.toIr(emitter.context()));
  if (*mustBeTrivial && type.layout() != *layout &&
      !(gpu::hasLayout(irTypeOf(*value)) && gpu::hasLayout(resultIr) && isTrivial(irTypeOf(*value), resultIr))) {
    FailureOr<Value> from = makeLayoutObject(emitter, type.layout(), type.shape());
    if (failed(from))
      return failure();
    return emitter.error("TypeError") << "layout conversion from " << from->str() << " to " << arguments[1].str()
                                      << " is not trivial";
  }
  return Value::tensor(gpu::ConvertLayoutOp::create(emitter.builder(), emitter.location(), resultIr, irOf(*value)),
                       result);
}

static FailureOr<Value> setAutoLayout(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> value = readBlock(emitter, arguments[0], "value of set_auto_layout");
  if (failed(value))
    return failure();
  const Type type = value->type();
  if (!isa_and_nonnull<AutoEncodingAttr>(type.layout()))
    return emitter.error("ValueError") << "set_auto_layout takes a tensor whose layout is an AutoLayout, got "
                                       << type.str();
  FailureOr<Attribute> named = readLayout(emitter, arguments[1]);
  if (failed(named))
    return failure();
  if (!isa<gpu::DistributedAttr, CoalescedEncodingAttr, AutoEncodingAttr>(*named))
    return emitter.error("ValueError") << "set_auto_layout must set to a distributed layout but got "
                                       << arguments[1].str();
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[1], type.shape());
  if (failed(layout))
    return failure();
  if (isa<AutoEncodingAttr>(*layout))
    return emitter.error("ValueError") << "set_auto_layout needs a layout that says which thread holds what, got "
                                       << arguments[1].str();
  return Value::tensor(layoutPolicy().anchor(emitter, irOf(*value), *layout),
                       Type::block(type.element(), type.shape(), *layout));
}

static FailureOr<Value> numWarps(Emitter &emitter, const BoundArguments &) {
  int partition = emitter.partitionWarps();
  return Value::integer(partition ? partition : emitter.options().numWarps);
}

static FailureOr<Value> numCtas(Emitter &emitter, const BoundArguments &) {
  return Value::integer(emitter.options().numCtas);
}

static FailureOr<Value> threadBarrier(Emitter &emitter, const BoundArguments &) {
  mlir::gpu::BarrierOp::create(emitter.builder(), emitter.location());
  return Value::none();
}

/// All CTAs of the cluster have come to the same place; one CTA alone waits for its own threads.
static FailureOr<Value> syncCluster(Emitter &emitter, bool isRelaxed) {
  if (emitter.options().numCtas == 1) {
    mlir::gpu::BarrierOp::create(emitter.builder(), emitter.location());
    return Value::none();
  }
  gpu::ClusterArriveOp::create(emitter.builder(), emitter.location(), isRelaxed);
  gpu::ClusterWaitOp::create(emitter.builder(), emitter.location());
  return Value::none();
}

static FailureOr<Value> barrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> isOfCluster = readBoolean(emitter, arguments[0], "cluster");
  if (failed(isOfCluster))
    return failure();
  return *isOfCluster ? syncCluster(emitter, /*isRelaxed=*/false) : threadBarrier(emitter, arguments);
}

static FailureOr<Value> clusterBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> isRelaxed = readBoolean(emitter, arguments[0], "relaxed");
  return failed(isRelaxed) ? FailureOr<Value>() : syncCluster(emitter, *isRelaxed);
}

static FailureOr<Value> clusterArrive(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> isRelaxed = readBoolean(emitter, arguments[0], "relaxed");
  if (failed(isRelaxed))
    return failure();
  gpu::ClusterArriveOp::create(emitter.builder(), emitter.location(), *isRelaxed);
  return Value::none();
}

static FailureOr<Value> clusterWait(Emitter &emitter, const BoundArguments &) {
  gpu::ClusterWaitOp::create(emitter.builder(), emitter.location());
  return Value::none();
}

/// Barriers are fenced where they are made: what is left is that all CTAs have made theirs.
static FailureOr<Value> nothing(Emitter &, const BoundArguments &) { return Value::none(); }

static FailureOr<Value> syncInit(Emitter &emitter, const BoundArguments &) {
  return syncCluster(emitter, /*isRelaxed=*/true);
}

static FailureOr<Value> histogram(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<HistogramArguments> read = readHistogram(emitter, arguments);
  if (failed(read))
    return failure();
  if (arguments[3].isNone())
    return emitter.error("ValueError") << "histogram needs the layout of its result";
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[3], {read->bins});
  if (failed(layout))
    return failure();
  const Type result = Type::block(Type::int32(), {read->bins}, *layout);
  return Value::tensor(tensor::HistogramOp::create(emitter.builder(), emitter.location(),
                                                   result.toIr(emitter.context()), irOf(read->input), read->mask),
                       result);
}

/// What a partition's function returns, as values behind the op.
static Value behind(const Value &value, ResultRange results) {
  ValueRange range(results);
  return rebuild(value, range);
}

namespace {
struct PartitionCall {
  Value function;
  std::vector<Value> arguments;
};
} // namespace

static FailureOr<std::vector<PartitionCall>> readPartitions(Emitter &emitter, const Value &list) {
  FailureOr<std::vector<Value>> entries = readSequence(emitter, list, "functions_and_args");
  if (failed(entries))
    return failure();
  std::vector<PartitionCall> calls;
  for (const Value &entry : *entries) {
    const TupleValue *pair = entry.tuple();
    if (!pair || pair->elements.size() != 2)
      return emitter.error("ValueError") << "functions_and_args holds pairs of a function and its arguments, got "
                                         << entry.str();
    const TupleValue *arguments = pair->elements[1].tuple();
    if (!arguments)
      return emitter.error("ValueError") << "function arguments must be a tuple of values, got "
                                         << pair->elements[1].str();
    calls.push_back({pair->elements[0], arguments->elements});
  }
  if (calls.empty())
    return emitter.error("AssertionError") << "expected at least one function for the default partition";
  return calls;
}

static FailureOr<Value> warpSpecialize(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<PartitionCall>> calls = readPartitions(emitter, arguments[0]);
  const bool asksForRegisters = !arguments[2].isNone();
  FailureOr<std::vector<int64_t>> warps = readIntegers(emitter, arguments[1], "worker_num_warps"),
                                  registers = asksForRegisters
                                                  ? readIntegers(emitter, arguments[2], "worker_num_regs")
                                                  : FailureOr<std::vector<int64_t>>(std::vector<int64_t>());
  if (failed(calls) || failed(warps) || failed(registers))
    return failure();
  const size_t workers = calls->size() - 1;
  for (auto [list, name] : {std::pair(&*warps, "worker_num_warps"), std::pair(&*registers, "worker_num_regs")})
    if (list->size() != workers && (asksForRegisters || list == &*warps))
      return emitter.error("AssertionError")
             << name << " needs one number for each of the " << workers << " workers, got " << list->size();
  if (emitter.partitionWarps())
    return emitter.error("ValueError") << "warp_specialize cannot stand within a partition";
  if (emitter.options().capability < 90)
    return emitter.error("ValueError") << "warp_specialize needs sm_90 or newer, this is sm_"
                                       << emitter.options().capability;
  SmallVector<mlir::Value> captures;
  for (const PartitionCall &call : llvm::drop_begin(*calls))
    for (const Value &argument : call.arguments)
      flatten(argument, captures);
  OpBuilder &builder = emitter.builder();
  SmallVector<int32_t> counts(warps->begin(), warps->end()), wanted(registers->begin(), registers->end());
  FailureOr<Value> result = failure();
  SmallVector<mlir::Value> yielded;
  gpu::WarpSpecializeOp op;
  {
    OpBuilder::InsertionGuard guard(builder);
    // What the op gives is known when its default region is emitted: until then it stands without results.
    auto draft = gpu::WarpSpecializeOp::create(builder, emitter.location(), TypeRange(), captures, counts);
    builder.setInsertionPointToStart(&draft.getDefaultRegion().front());
    result = emitter.call((*calls)[0].function, CallArguments{(*calls)[0].arguments, {}});
    if (failed(result)) {
      draft.erase();
      return failure();
    }
    flatten(*result, yielded);
    gpu::WarpYieldOp::create(builder, emitter.location(), yielded);
    size_t next = 0;
    for (size_t index = 0; index < workers; ++index) {
      Region &region = draft.getPartitionRegions()[index];
      builder.setInsertionPointToStart(&region.front());
      ValueRange received(region.getArguments());
      std::vector<Value> inside;
      received = received.drop_front(next);
      for (const Value &argument : (*calls)[index + 1].arguments) {
        size_t left = received.size();
        inside.push_back(rebuild(argument, received));
        next += left - received.size();
      }
      emitter.setPartitionWarps(counts[index]);
      FailureOr<Value> nothing = emitter.call((*calls)[index + 1].function, CallArguments{inside, {}});
      emitter.setPartitionWarps(0);
      if (failed(nothing)) {
        draft.erase();
        return failure();
      }
      if (!nothing->isNone()) {
        draft.erase();
        return emitter.error("ValueError") << "a worker of warp_specialize must not return anything";
      }
      gpu::WarpReturnOp::create(builder, emitter.location());
    }
    builder.setInsertionPoint(draft);
    op = gpu::WarpSpecializeOp::create(builder, emitter.location(), ValueRange(yielded).getTypes(), captures, counts);
    if (asksForRegisters)
      op.setRequestedRegisters(wanted);
    op.getDefaultRegion().takeBody(draft.getDefaultRegion());
    for (size_t index = 0; index < workers; ++index)
      op.getPartitionRegions()[index].takeBody(draft.getPartitionRegions()[index]);
    draft.erase();
  }
  return behind(*result, op->getResults());
}

// Assembly of a whole thread.

/// A type that results may have: a number, or a tensor with a layout.
static FailureOr<Type> readResultType(Emitter &emitter, const Value &value) {
  const auto *object = value.getIf<HostObject>();
  if (!object || !object->host || object->host->className(*object) != "distributed_type")
    return readType(emitter, value, "result_types");
  auto field = [&](StringRef name) {
    FailureOr<std::optional<Value>> found = valueAttribute(emitter, value, name);
    return failed(found) || !*found ? FailureOr<Value>() : FailureOr<Value>(**found);
  };
  FailureOr<Value> element = field("element_ty"), sizes = field("shape"), layoutValue = field("layout");
  if (failed(element) || failed(sizes) || failed(layoutValue))
    return failure();
  FailureOr<Type> dtype = readType(emitter, *element, "result_types");
  FailureOr<std::vector<int64_t>> shape =
      failed(dtype) ? FailureOr<std::vector<int64_t>>() : readShapeOf(emitter, *sizes);
  FailureOr<Attribute> layout =
      failed(shape) ? FailureOr<Attribute>() : readTensorLayout(emitter, *layoutValue, *shape);
  if (failed(layout))
    return failure();
  return Type::block(*dtype, *shape, *layout);
}

/// How many operands of the assembly a value is: what a thread holds of it.
static FailureOr<size_t> countRegisters(Emitter &emitter, mlir::Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 1;
  if (!gpu::hasLayout(tensor))
    return emitter.error("ValueError") << "inline_asm takes and gives tensors whose layouts are named";
  return gpu::toLinear(tensor).inputSize("register");
}

namespace {
/// The operands of inline assembly: one group for each value.
struct AsmOperands {
  std::vector<size_t> outputs, inputs;

  /// `("$0", "$1"), ("$2",)` from number `first` on.
  static Value names(ArrayRef<size_t> groups, size_t &first) {
    std::vector<Value> all;
    for (size_t count : groups) {
      std::vector<Value> group;
      for (size_t index = 0; index < count; ++index)
        group.push_back(Value::string("$" + std::to_string(first++)));
      all.push_back(Value::tuple(std::move(group)));
    }
    return Value::tuple(std::move(all));
  }
};
} // namespace

/// The text itself, or what a function of the operands' names makes.
static FailureOr<std::string> readAssembly(Emitter &emitter, const Value &value, const AsmOperands &operands) {
  if (value.is<std::string>())
    return readString(emitter, value, "asm");
  size_t next = 0;
  Value outputs = AsmOperands::names(operands.outputs, next), inputs = AsmOperands::names(operands.inputs, next);
  FailureOr<Value> text = emitter.call(value, CallArguments{{outputs, inputs}, {}});
  return failed(text) ? FailureOr<std::string>() : readString(emitter, *text, "asm");
}

/// LLVM's list, or one entry for each group, which stands for all of its operands.
static FailureOr<std::string> readConstraints(Emitter &emitter, const Value &value, const AsmOperands &operands) {
  std::string text;
  if (!value.tuple()) {
    FailureOr<std::string> list = readString(emitter, value, "constraints");
    if (succeeded(list))
      llvm::erase_if(*list, llvm::isSpace); // which LLVM would read as letters
    return list;
  }
  std::vector<size_t> groups = operands.outputs;
  llvm::append_range(groups, operands.inputs);
  const std::vector<Value> &entries = value.tuple()->elements;
  if (entries.size() != groups.size())
    return emitter.error("ValueError") << "constraints needs one entry for each of the " << groups.size()
                                       << " results and arguments, got " << entries.size();
  for (auto [entry, count] : llvm::zip_equal(entries, groups)) {
    FailureOr<std::string> constraint = readString(emitter, entry, "constraints");
    if (failed(constraint))
      return failure();
    for (size_t index = 0; index < count; ++index)
      text += (text.empty() ? "" : ",") + *constraint;
  }
  return text;
}

static FailureOr<Value> inlineAsm(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<Value>> given = readSequence(emitter, arguments[2], "args");
  FailureOr<bool> isPure = failed(given) ? FailureOr<bool>() : readBoolean(emitter, arguments[4], "is_pure");
  if (failed(isPure))
    return failure();
  AsmOperands operands;
  const bool hasSeveral = arguments[3].tuple() != nullptr;
  SmallVector<Type> types;
  SmallVector<mlir::Type> results;
  for (const Value &each : hasSeveral ? arguments[3].tuple()->elements : std::vector<Value>{arguments[3]}) {
    FailureOr<Type> type = readResultType(emitter, each);
    if (failed(type))
      return failure();
    types.push_back(*type);
    results.push_back(type->toIr(emitter.context()));
    FailureOr<size_t> count = countRegisters(emitter, results.back());
    if (failed(count))
      return failure();
    operands.outputs.push_back(*count);
  }
  SmallVector<mlir::Value> sources;
  for (const Value &value : *given) {
    const bool isBuffer = value.is<HandleValue>() && isa<gpu::MemDescType>(bufferOf(value).getType());
    FailureOr<Value> tensor = isBuffer ? FailureOr<Value>(value) : toTensor(emitter, value);
    if (failed(tensor))
      return failure();
    if (isBuffer && *isPure)
      return emitter.error("ValueError") << "assembly that is given a buffer is not pure: is_pure must be False";
    sources.push_back(isBuffer ? bufferOf(value) : irOf(*tensor));
    FailureOr<size_t> count = countRegisters(emitter, sources.back().getType());
    if (failed(count))
      return failure();
    operands.inputs.push_back(*count);
  }
  FailureOr<std::string> text = readAssembly(emitter, arguments[0], operands);
  FailureOr<std::string> constraints = failed(text) ? text : readConstraints(emitter, arguments[1], operands);
  if (failed(constraints))
    return failure();
  auto op =
      gpu::InlineAsmOp::create(emitter.builder(), emitter.location(), results, *text, *constraints, *isPure, sources);
  std::vector<Value> tensors;
  for (auto [ir, type] : llvm::zip_equal(op.getResults(), types))
    tensors.push_back(Value::tensor(ir, type));
  return hasSeveral ? Value::tuple(std::move(tensors)) : tensors[0];
}

#define CORE "triton.experimental.gluon.language._core"
#define MBARRIER "triton.experimental.gluon.language.nvidia.hopper.mbarrier"
#define CLUSTER "triton.experimental.gluon.language.nvidia.hopper.cluster"

llvm::ArrayRef<Builtin> coreBuiltins() {
  static const Builtin table[] = {
      {CORE, "arange", "(start, end, layout=None)",
       "A block of the int32 values from `start` to `end` - 1, in `layout`; without one it is inferred.", arange},
      {CORE, "full", "(shape, value, dtype, layout=None)",
       "A block of the given shape and layout, every element being `value` converted to `dtype`.", full},
      {CORE, "convert_layout", "(value, layout, assert_trivial=False)",
       "The same values, held by other threads.\n\nWith `assert_trivial` it is an error if they would move between "
       "threads.",
       convertLayout},
      {CORE, "set_auto_layout", "(value, layout)", "Says the layout of a tensor whose layout is inferred.",
       setAutoLayout},
      {CORE, "num_warps", "()", "The warps that run this: those of the kernel, or of the partition.", numWarps},
      {CORE, "num_ctas", "()", "The CTAs of a program.", numCtas},
      {CORE, "thread_barrier", "()", "All threads of the CTA, or of the partition, have come here.", threadBarrier},
      {CORE, "barrier", "(*, cluster=False)",
       "All threads of the CTA, or of the partition, have come here; with `cluster`, those of all CTAs of the cluster.",
       barrier},
      {CLUSTER, "barrier", "(relaxed=False)", "All threads of all CTAs of the cluster have come here.", clusterBarrier},
      {CLUSTER, "arrive", "(relaxed=False)", "Tells the other CTAs of the cluster that this one has come here.",
       clusterArrive},
      {CLUSTER, "wait", "()", "Waits until all CTAs of the cluster have arrived.", clusterWait},
      {MBARRIER, "fence_init_release_cluster", "()",
       "Barriers made before are seen by the other CTAs of the cluster, which `init` sees to by itself.", nothing},
      {MBARRIER, "sync_cluster_init", "()", "All CTAs of the cluster have made their barriers.", syncInit},
      {CORE, "histogram", "(input, num_bins, mask=None, layout=None)",
       "How often each of the numbers 0 to `num_bins` - 1 occurs in a 1-D integer block, as int32 in `layout`.",
       histogram},
      {CORE, "inline_asm", "(asm, constraints=\"\", args=(), result_types=(), is_pure=False)",
       "Assembly that every thread runs once, on all elements that it holds.\n\n"
       "`asm` is the text, or a constexpr function that makes it from the names of the operands: a tuple for each "
       "result, and one for each argument. `constraints` is LLVM's list, or one entry for each result and argument.",
       inlineAsm},
      {CORE, "warp_specialize", "(functions_and_args, worker_num_warps, worker_num_regs=None)",
       "Runs the first function on the kernel's own warps and, beside it, each other on warps of its own.\n\n"
       "Gives what the first returns.",
       warpSpecialize},
  };
  return table;
}

void registerLanguage() {
  for (llvm::ArrayRef<Builtin> (*family)() :
       {coreBuiltins, queryBuiltins, sharedBuiltins, asyncBuiltins, tmaBuiltins, dotBuiltins, tensorMemoryBuiltins,
        tensorMemoryRegisterBuiltins, amdBufferBuiltins, amdDotBuiltins, gfx1250Builtins, cachePolicyBuiltins})
    registerBuiltins(family);
  registerModules(languageName);
  registerLibrary({"triton.experimental.gluon.language._standard", "gl", CORE, standardLibraryText});
}

} // namespace triton::gluon
