// What the analysis claims is true: random kernels are analysed, then run on numbers, and every value ever computed is held against the
// facts about it.
#include "compiler/tensor/AccessAnalysis.h"

#include "compiler/tensor/AccessTransfer.h"
#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/TypeSwitch.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace triton;
using namespace triton::tensor;

namespace {

using Elements = std::vector<int64_t>;
constexpr int64_t rows = 8, columns = 32;

/// Emits a random kernel on tensors of 8 x 32 and on scalars; some in a loop.
class Generator {
public:
  Generator(MLIRContext &context, unsigned seed) : builder(&context), random(seed) {}

  OwningOpRef<ModuleOp> generate() {
    Location location = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(location);
    builder.setInsertionPointToEnd(module->getBody());
    Type pointer = tensor::PointerType::get(builder.getF16Type());
    auto type = builder.getFunctionType({pointer, builder.getI32Type(), builder.getI32Type()}, {});
    auto function = tensor::FuncOp::create(builder, location, "kernel", type);
    function.setPublic();
    for (unsigned index = 0; index < 3; ++index)
      if (index != 2)
        function.setArgAttr(index, tensor::divisibilityName, builder.getI32IntegerAttr(16));
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    scalars = {entry->getArgument(1), entry->getArgument(2), constant(pick(20)), constant(1 << pick(6)),
               tensor::GetProgramIdOp::create(builder, location, 0)};
    tensors = {range(rows, 1), range(columns, 0), splat(scalars[0])};
    tensors.push_back(arith::SubIOp::create(builder, location, tensors[1], splat(constant(16))));
    Value base = tensor::SplatOp::create(builder, location, entry->getArgument(0), ArrayRef<int64_t>{rows, columns});
    steps(6);
    if (pick(2)) {
      Value zero = constant(0), count = constant(3), step = constant(1 << pick(5));
      Value upper = arith::MulIOp::create(builder, location, count, step);
      Value initial = tensors[pick(tensors.size())];
      // A counter, often one that starts a step early.
      Value stride = scalars[pick(scalars.size())], start = scalars[pick(scalars.size())];
      if (pick(2))
        start = arith::SubIOp::create(builder, location, start, stride);
      auto loop = scf::ForOp::create(builder, location, zero, upper, step, ValueRange{initial, start});
      auto outside = std::make_pair(scalars, tensors);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(loop.getBody());
        scalars.push_back(loop.getInductionVar());
        tensors.push_back(loop.getRegionIterArg(0));
        Value counter = loop.getRegionIterArg(1);
        scalars.push_back(counter);
        if (unsigned kind = pick(4); kind < 2)
          scalars.push_back(arith::AddIOp::create(builder, location, kind ? counter : stride, kind ? stride : counter));
        else if (kind == 2)
          scalars.push_back(arith::SubIOp::create(builder, location, counter, stride));
        Value next = scalars.back();
        steps(4);
        scf::YieldOp::create(builder, location, ValueRange{tensors.back(), pick(4) ? next : scalars.back()});
      }
      std::tie(scalars, tensors) = outside;
      tensors.push_back(loop.getResult(0));
      scalars.push_back(loop.getResult(1));
    }
    steps(4);
    for (Value offset : tensors)
      tensor::AddPtrOp::create(builder, location, base.getType(), base, offset);
    tensor::ReturnOp::create(builder, location);
    return module;
  }

private:
  unsigned pick(unsigned count) { return random() % count; }
  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getUnknownLoc(), builder.getI32IntegerAttr(value));
  }
  Value splat(Value scalar) {
    return tensor::SplatOp::create(builder, builder.getUnknownLoc(), scalar, ArrayRef<int64_t>{rows, columns});
  }
  Value range(int64_t size, int axis) {
    Location location = builder.getUnknownLoc();
    const int32_t start = pick(3) * 4;
    Value line = tensor::MakeRangeOp::create(builder, location, start, start + size);
    Value expanded = tensor::ExpandDimsOp::create(builder, location, line, axis);
    return tensor::BroadcastOp::create(builder, location, expanded, ArrayRef<int64_t>{rows, columns});
  }

  void steps(unsigned count) {
    for (unsigned step = 0; step < count; ++step) {
      const bool isTensor = pick(3) != 0;
      auto &pool = isTensor ? tensors : scalars;
      Value lhs = pool[pick(pool.size())];
      Value rhs = isTensor && pick(2) ? splat(scalars[pick(scalars.size())]) : pool[pick(pool.size())];
      pool.push_back(combine(lhs, rhs));
      if (isTensor && pick(4) == 0)
        pool.push_back(shuffle(pool.back()));
    }
  }

  Value combine(Value lhs, Value rhs) {
    Location location = builder.getUnknownLoc();
    const unsigned kind = pick(17);
    // Divisors and masks are small powers of two, about.
    if (kind >= 6 && kind <= 12 && pick(2)) {
      rhs = constant((1 << pick(5)) - pick(2));
      if (isa<RankedTensorType>(lhs.getType()))
        rhs = splat(rhs);
    }
    switch (kind) {
    case 0:
    case 1:
    case 2:
      return arith::AddIOp::create(builder, location, lhs, rhs);
    case 3:
      return arith::SubIOp::create(builder, location, lhs, rhs);
    case 4:
    case 5:
      return arith::MulIOp::create(builder, location, lhs, rhs);
    case 6:
      return arith::DivSIOp::create(builder, location, lhs, rhs);
    case 7:
      return arith::DivUIOp::create(builder, location, lhs, rhs);
    case 8:
      return arith::RemSIOp::create(builder, location, lhs, rhs);
    case 9:
      return arith::RemUIOp::create(builder, location, lhs, rhs);
    case 10:
      return arith::AndIOp::create(builder, location, lhs, rhs);
    case 11:
      return arith::OrIOp::create(builder, location, lhs, rhs);
    case 12:
      return arith::XOrIOp::create(builder, location, lhs, rhs);
    case 13:
      return arith::MinSIOp::create(builder, location, lhs, rhs);
    case 14: {
      Value shift = constant(pick(4));
      if (isa<RankedTensorType>(lhs.getType()))
        shift = splat(shift);
      return arith::ShRSIOp::create(builder, location, lhs, shift);
    }
    case 15: {
      Value shift = constant(pick(4));
      if (isa<RankedTensorType>(lhs.getType()))
        shift = splat(shift);
      return arith::ShLIOp::create(builder, location, lhs, shift);
    }
    default: {
      auto predicate = static_cast<arith::CmpIPredicate>(pick(10));
      Value condition = arith::CmpIOp::create(builder, location, predicate, lhs, rhs);
      return arith::SelectOp::create(builder, location, condition, lhs, rhs);
    }
    }
  }

  // There and back, so that the shape stays: the facts of what lies between are checked too.
  Value shuffle(Value value) {
    Location location = builder.getUnknownLoc();
    if (pick(2)) {
      Value turned = tensor::TransOp::create(builder, location, value, ArrayRef<int32_t>{1, 0});
      return tensor::TransOp::create(builder, location, turned, ArrayRef<int32_t>{1, 0});
    }
    SmallVector<SmallVector<int64_t>> shapes = {{256}, {2, 4, 32}, {8, 4, 8}, {32, 8}, {64, 1, 4}, {1, 8, 32}};
    Value cut = tensor::ReshapeOp::create(builder, location, value, shapes[pick(shapes.size())]);
    return tensor::ReshapeOp::create(builder, location, cut, ArrayRef<int64_t>{rows, columns});
  }

  OpBuilder builder;
  std::mt19937 random;
  std::vector<Value> scalars, tensors;
};

/// Runs the ops of a kernel on numbers, and checks each.
class Checker {
public:
  Checker(AccessAnalysis &analysis, unsigned seed) : analysis(analysis), random(seed) {}

  void run(tensor::FuncOp function) {
    define(function.getArgument(0), {int64_t(16 * (random() % 100))});
    define(function.getArgument(1), {int64_t(16 * (1 + random() % 40))});
    define(function.getArgument(2), {int64_t(random() % 60) - 20});
    for (Operation &op : function.getBody().front())
      if (!execute(&op))
        return;
  }
  unsigned checked = 0;
  std::array<unsigned, 4> steps = {}; // how often one of each kind was checked

private:
  /// False when a number has no meaning: a division by zero or of an index by a negative number, or an overflow. The rest of the kernel is then not run.
  bool execute(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::vector<Elements> carried;
      for (Value init : loop.getInitArgs())
        carried.push_back(values[init]);
      for (int64_t i = values[loop.getLowerBound()][0]; i < values[loop.getUpperBound()][0];
           i += values[loop.getStep()][0]) {
        define(loop.getInductionVar(), {i});
        for (auto [argument, elements] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
          define(argument, elements);
        for (Operation &inner : loop.getBody()->without_terminator())
          if (!execute(&inner))
            return false;
        for (auto [elements, yielded] : llvm::zip_equal(carried, loop.getBody()->getTerminator()->getOperands()))
          elements = values[yielded];
      }
      for (auto [result, elements] : llvm::zip_equal(loop.getResults(), carried))
        define(result, elements);
      return true;
    }
    if (op->getNumResults() == 0)
      return true;
    std::optional<Elements> result = compute(op);
    return result && define(op->getResult(0), *result);
  }

  std::optional<Elements> compute(Operation *op) {
    ArrayRef<int64_t> shape = tensor::getShape(op->getResult(0).getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return Elements{cast<IntegerAttr>(constant.getValue()).getInt()};
    if (isa<tensor::GetProgramIdOp>(op))
      return Elements{int64_t(random() % 50)};
    if (auto range = dyn_cast<tensor::MakeRangeOp>(op)) {
      Elements result;
      for (int64_t i = range.getStart(); i < range.getEnd(); ++i)
        result.push_back(i);
      return result;
    }
    const Elements &first = values[op->getOperand(0)];
    if (isa<tensor::SplatOp>(op))
      return Elements(ShapedType::getNumElements(shape), first[0]);
    if (isa<tensor::ExpandDimsOp, tensor::ReshapeOp>(op))
      return first;
    if (isa<tensor::BroadcastOp>(op)) {
      Elements result;
      for (int64_t i = 0; i < rows * columns; ++i)
        result.push_back(first[tensor::getShape(op->getOperand(0).getType())[0] == 1 ? i % columns : i / columns]);
      return result;
    }
    if (isa<tensor::TransOp>(op)) {
      Elements result(first.size());
      for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j)
          result[i * shape[1] + j] = first[j * shape[0] + i];
      return result;
    }
    Elements result;
    for (size_t i = 0; i < first.size(); ++i) {
      int64_t third = op->getNumOperands() > 2 ? values[op->getOperand(2)][i] : 0;
      if (isa<arith::RemSIOp>(op) && first[i] < 0 && isTakenForOffsets(op->getOperand(0)))
        return std::nullopt;
      std::optional<int64_t> element = scalar(op, first[i], values[op->getOperand(1)][i], third);
      if (!element || !llvm::isInt<32>(*element))
        return std::nullopt;
      result.push_back(*element);
    }
    return result;
  }

  /// What is wrapped around and fills a dimension with one run is taken not to be negative.
  bool isTakenForOffsets(Value value) {
    ArrayRef<int64_t> shape = tensor::getShape(value.getType());
    return llvm::any_of(llvm::zip(analysis.of(value).dimensions, shape), [](auto pair) {
      const auto &[facts, size] = pair;
      return size > 1 && facts.contiguity >= size;
    });
  }

  static std::optional<int64_t> scalar(Operation *op, int64_t a, int64_t b, int64_t c) {
    const uint64_t ua = uint32_t(a), ub = uint32_t(b);
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) && b == 0)
      return std::nullopt;
    if (isa<arith::DivSIOp>(op) && a >= 0 && b < 0)
      return std::nullopt;
    return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
        .Case<arith::AddIOp>([&](auto) { return a + b; })
        .Case<arith::SubIOp>([&](auto) { return a - b; })
        .Case<arith::MulIOp>([&](auto) { return a * b; })
        .Case<arith::DivSIOp>([&](auto) { return a / b; })
        .Case<arith::DivUIOp>([&](auto) { return ua / ub; })
        .Case<arith::RemSIOp>([&](auto) { return a % b; })
        .Case<arith::RemUIOp>([&](auto) { return int64_t(int32_t(ua % ub)); })
        .Case<arith::AndIOp>([&](auto) { return a & b; })
        .Case<arith::OrIOp>([&](auto) { return a | b; })
        .Case<arith::XOrIOp>([&](auto) { return a ^ b; })
        .Case<arith::MinSIOp>([&](auto) { return std::min(a, b); })
        .Case<arith::ShRSIOp>([&](auto) { return a >> b; })
        .Case<arith::ShLIOp>([&](auto) { return a << b; })
        .Case<arith::CmpIOp>([&](auto compare) {
          return arith::applyCmpPredicate(compare.getPredicate(), APInt(32, ua), APInt(32, ub));
        })
        .Case<arith::SelectOp>([&](auto) { return a ? b : c; })
        .Case<tensor::AddPtrOp>([&](auto) { return a + 2 * b; });
  }

  bool define(Value value, const Elements &elements) {
    check(value, elements);
    values[value] = elements;
    ++checked;
    return !testing::Test::HasFailure();
  }

  void check(Value value, const Elements &elements) {
    const AccessFacts &facts = analysis.of(value);
    auto text = [&] {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << value << ": ";
      facts.print(os);
      return text;
    };
    SmallVector<int64_t> shape(tensor::getShape(value.getType()));
    if (shape.empty())
      shape = {1};
    int64_t stride = 1;
    for (int64_t d = shape.size() - 1; d >= 0; stride *= shape[d], --d) {
      const auto &[contiguity, divisibility, constancy, step] = facts.dimensions[d];
      for (int64_t i = 0; i < int64_t(elements.size()); ++i) {
        const int64_t position = i / stride % shape[d];
        if (position % contiguity == 0)
          ASSERT_EQ(elements[i] % divisibility, 0) << text() << " at " << i;
        else
          ASSERT_EQ(elements[i], elements[i - stride] + unitOf(value.getType())) << text() << " at " << i;
        if (position > 0 && step.kind == Step::Constant)
          ASSERT_EQ(elements[i], elements[i - stride] + step.value * unitOf(value.getType())) << text() << " at " << i;
        if (position > 1 && step.kind == Step::Runtime)
          ASSERT_EQ(elements[i] - elements[i - stride], elements[i - stride] - elements[i - 2 * stride])
              << text() << " at " << i;
        if (position > 0)
          steps[step.kind] += 1;
        if (position % constancy != 0)
          ASSERT_EQ(elements[i], elements[i - stride]) << text() << " at " << i;
        if (facts.constant && !value.getType().isInteger(1))
          ASSERT_EQ(elements[i], *facts.constant) << text() << " at " << i;
        if (facts.bound)
          ASSERT_GE(elements[i], facts.bound->value) << text() << " at " << i;
      }
    }
  }

  AccessAnalysis &analysis;
  std::mt19937 random;
  DenseMap<Value, Elements> values;
};

TEST(AccessAnalysis, claimsHoldForRandomKernels) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tensor::TensorDialect, arith::ArithDialect, scf::SCFDialect>();
  unsigned checked = 0;
  std::array<unsigned, 4> steps = {};
  for (unsigned seed = 0; seed < 1500; ++seed) {
    OwningOpRef<ModuleOp> module = Generator(context, seed).generate();
    AccessAnalysis flow(*module), onDemand;
    for (unsigned trial = 0; trial < 2; ++trial) {
      Checker checker(trial ? onDemand : flow, seed * 2 + trial);
      checker.run(*module->getOps<tensor::FuncOp>().begin());
      checked += checker.checked;
      for (Step::Kind kind : {Step::Constant, Step::Runtime})
        steps[kind] += checker.steps[kind];
    }
    if (HasFailure()) {
      module->dump();
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(checked, 20000u) << "most kernels must run to their end, or this checks little";
  EXPECT_GT(steps[Step::Constant], 100000u);
  EXPECT_GT(steps[Step::Runtime], 10000u);
}

} // namespace
