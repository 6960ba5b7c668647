#include "test/differential/RandomKernel.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

namespace {

class Generator {
public:
  Generator(MLIRContext &context, uint64_t seed, const Vocabulary &vocabulary)
      : builder(&context), location(builder.getUnknownLoc()), random(seed), vocabulary(vocabulary) {}

  RandomKernel run();

private:
  void promiseAlignment(RandomKernel &kernel, FuncOp function);

  // Chance.
  uint64_t below(uint64_t bound) { return random() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename RangeT> auto pick(const RangeT &range) { return range[below(range.size())]; }

  // Values.
  template <typename PredicateT> Value find(PredicateT matches);
  Value findInteger() {
    return find(
        [](RankedTensorType type) { return type.getElementType().isInteger() && !type.getElementType().isInteger(1); });
  }
  Value findFloat() {
    return find([](RankedTensorType type) {
      return isa<FloatType>(type.getElementType()) && !isFloat8(type.getElementType());
    });
  }
  /// Another value of the same type, or the same.
  Value findLike(Value value) {
    return find([&](RankedTensorType type) { return type == value.getType(); });
  }
  void keep(Value value) { pool.push_back(value); }
  Value constant(Type type, double value);
  Value splat(Type type, int64_t value) { return constant(type, double(value)); }
  template <typename OpT, typename... ArgumentsT> Value make(ArgumentsT &&...arguments) {
    return OpT::create(builder, location, std::forward<ArgumentsT>(arguments)...)->getResult(0);
  }

  // Steps, each of which adds to the pool or finds nothing to do.
  void step();
  void integerStep();
  void floatStep();
  void castStep();
  void selectStep();
  void reshapeStep();
  void transStep();
  void repeatStep();
  void joinStep();
  void gatherStep();
  void reduceStep();
  void scanStep();
  void histogramStep();
  void dotStep();
  void loopStep();
  void branchStep();
  void narrowStep();
  void windowStep();
  void descriptorStep();
  void mapStep();

  Value combine(Type element, Value lhs, Value rhs, unsigned choice);
  SmallVector<Value> emitBody(ArrayRef<Value> carried);
  Value offsets(int64_t elements);
  void load(BlockArgument pointer, Value mask, Value index);
  void store(BlockArgument pointer, Value value);

  OpBuilder builder;
  Location location;
  std::mt19937_64 random;
  Vocabulary vocabulary;
  std::vector<Value> pool;
  std::vector<Value> inputs; // pointers to what may be read
  int64_t inputElements = 0; // behind each of them
  unsigned depth = 0;
};

template <typename PredicateT> Value Generator::find(PredicateT matches) {
  std::vector<Value> candidates;
  for (Value value : pool)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()); type && matches(type))
      candidates.push_back(value);
  if (candidates.empty())
    return {};
  // Newer values more often: chains grow deep, and what was computed is used.
  size_t back = std::min(below(candidates.size()), below(candidates.size()));
  return candidates[candidates.size() - 1 - back];
}

Value Generator::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, value))
                                                : TypedAttr(builder.getIntegerAttr(element, int64_t(value)));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attribute = SplatElementsAttr::get(tensor, attribute);
  return make<arith::ConstantOp>(attribute);
}

void Generator::integerStep() {
  Value a = findInteger();
  if (!a)
    return;
  Value b = findLike(a);
  Type type = a.getType();
  unsigned bits = getElementBits(type);
  Value positive = make<arith::OrIOp>(make<arith::AndIOp>(b, splat(type, 127)), splat(type, 1));
  Value shift = make<arith::AndIOp>(b, splat(type, bits - 1));
  switch (below(17)) {
  case 0:
    return keep(make<arith::AddIOp>(a, b));
  case 1:
    return keep(make<arith::SubIOp>(a, b));
  case 2:
    return keep(make<arith::MulIOp>(a, b));
  case 3:
    return keep(make<arith::DivSIOp>(a, positive));
  case 4:
    return keep(make<arith::RemSIOp>(a, positive));
  case 5:
    return keep(make<arith::DivUIOp>(a, positive));
  case 6:
    return keep(make<arith::RemUIOp>(a, positive));
  case 7:
    return keep(make<arith::AndIOp>(a, b));
  case 8:
    return keep(make<arith::OrIOp>(a, b));
  case 9:
    return keep(make<arith::XOrIOp>(a, b));
  case 10:
    return keep(make<arith::ShLIOp>(a, shift));
  case 11:
    return keep(make<arith::ShRSIOp>(a, shift));
  case 12:
    return keep(make<arith::ShRUIOp>(a, shift));
  case 13:
    return keep(make<arith::MaxSIOp>(a, b));
  case 14:
    return keep(make<arith::MinUIOp>(a, b));
  case 15:
    return keep(make<math::AbsIOp>(a));
  default:
    if (bits >= 32)
      keep(make<MulhiUIOp>(a, b));
  }
}

void Generator::floatStep() {
  Value a = findFloat();
  if (!a)
    return;
  Value b = findLike(a);
  switch (below(13)) {
  case 0:
    return keep(make<arith::AddFOp>(a, b));
  case 1:
    return keep(make<arith::SubFOp>(a, b));
  case 2:
    return keep(make<arith::MulFOp>(a, b));
  case 3:
    return keep(make<arith::DivFOp>(a, b));
  // Which zero is the greater is open: a sum with +0.0 leaves one zero only.
  case 4:
    return keep(make<arith::AddFOp>(make<arith::MaxNumFOp>(a, b), constant(a.getType(), 0)));
  case 5:
    return keep(make<arith::AddFOp>(make<arith::MinimumFOp>(a, b), constant(a.getType(), 0)));
  case 6:
    return keep(make<arith::NegFOp>(a));
  case 7:
    return keep(make<math::AbsFOp>(a));
  case 8:
    return keep(make<math::FloorOp>(a));
  case 9:
    return keep(make<math::CeilOp>(a));
  case 10:
    return keep(make<math::SqrtOp>(make<math::AbsFOp>(a)));
  case 11:
    return keep(make<math::FmaOp>(a, b, findLike(a)));
  default:
    keep(make<ClampFOp>(a, constant(a.getType(), -2), constant(a.getType(), 3),
                        chance(50) ? PropagateNan::All : PropagateNan::None));
  }
}

void Generator::castStep() {
  if (chance(50)) {
    Value a = findInteger();
    if (!a)
      return;
    Type to = builder.getIntegerType(pick(std::array{8, 16, 32, 64}));
    Type type = withElement(a.getType(), to);
    if (chance(25)) {
      Type floating = pick(std::array<Type, 3>{builder.getF32Type(), builder.getF64Type(), builder.getF32Type()});
      Type target = withElement(a.getType(), floating);
      return keep(chance(50) ? make<arith::SIToFPOp>(target, a) : make<arith::UIToFPOp>(target, a));
    }
    if (getElementBits(type) < getElementBits(a.getType()))
      return keep(make<arith::TruncIOp>(type, a));
    if (getElementBits(type) > getElementBits(a.getType()))
      return keep(chance(50) ? make<arith::ExtSIOp>(type, a) : make<arith::ExtUIOp>(type, a));
    return;
  }
  Value a = findFloat();
  if (!a)
    return;
  if (chance(25)) {
    // Kept in the range of every integer type: what is beyond is open.
    Value tame = make<ClampFOp>(a, constant(a.getType(), -100), constant(a.getType(), 100), PropagateNan::None);
    Type target = withElement(a.getType(), builder.getIntegerType(pick(std::array{8, 32, 64})));
    return keep(make<arith::FPToSIOp>(target, tame));
  }
  Type to = pick(
      std::array<Type, 4>{builder.getF16Type(), builder.getBF16Type(), builder.getF32Type(), builder.getF64Type()});
  Type type = withElement(a.getType(), to);
  if (getElementBits(type) < getElementBits(a.getType()))
    keep(make<arith::TruncFOp>(type, a));
  else if (getElementBits(type) > getElementBits(a.getType()))
    keep(make<arith::ExtFOp>(type, a));
}

void Generator::selectStep() {
  bool isFloat = chance(50);
  Value a = isFloat ? findFloat() : findInteger();
  if (!a)
    return;
  Value b = findLike(a), condition;
  if (isFloat) {
    using Predicate = arith::CmpFPredicate;
    condition = make<arith::CmpFOp>(pick(std::array{Predicate::OLT, Predicate::OGE, Predicate::OEQ, Predicate::UNE,
                                                    Predicate::ULT, Predicate::UNO}),
                                    a, b);
  } else {
    using Predicate = arith::CmpIPredicate;
    condition = make<arith::CmpIOp>(
        pick(std::array{Predicate::slt, Predicate::sge, Predicate::eq, Predicate::ult, Predicate::ugt}), a, b);
  }
  Value x = find([&](RankedTensorType type) { return type.getShape() == getShape(a.getType()); });
  keep(make<arith::SelectOp>(condition, x, findLike(x)));
  if (chance(20))
    keep(make<arith::ExtUIOp>(withElement(a.getType(), builder.getI32Type()), condition));
}

void Generator::reshapeStep() {
  Value a = find([](RankedTensorType) { return true; });
  if (!a)
    return;
  auto type = cast<RankedTensorType>(a.getType());
  SmallVector<int64_t> shape;
  int64_t left = type.getNumElements();
  while (left > 1 && shape.size() < 2) {
    int64_t size = int64_t(1) << (1 + below(llvm::Log2_64(left)));
    shape.push_back(size);
    left /= size;
  }
  shape.push_back(left);
  keep(make<ReshapeOp>(a, shape));
}

void Generator::transStep() {
  Value a = find([](RankedTensorType type) { return type.getRank() >= 2; });
  if (!a)
    return reshapeStep();
  SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, getShape(a.getType()).size()));
  std::shuffle(order.begin(), order.end(), random);
  keep(make<TransOp>(a, order));
}

void Generator::repeatStep() {
  Value a = find([](RankedTensorType type) { return type.getNumElements() <= 64; });
  if (!a)
    return;
  auto type = cast<RankedTensorType>(a.getType());
  int64_t axis = below(type.getRank() + 1);
  Value expanded = make<ExpandDimsOp>(a, axis);
  SmallVector<int64_t> shape(getShape(expanded.getType()));
  shape[axis] = pick(std::array{2, 4});
  keep(make<BroadcastOp>(expanded, shape));
}

void Generator::joinStep() {
  Value a = find([](RankedTensorType type) { return type.getShape().back() == 2 && type.getRank() > 1; });
  if (a && chance(50)) {
    auto split = SplitOp::create(builder, location, a);
    keep(split.getOutLHS());
    return keep(split.getOutRHS());
  }
  a = find([](RankedTensorType type) { return type.getNumElements() <= 128; });
  if (a)
    keep(make<JoinOp>(a, findLike(a)));
}

void Generator::gatherStep() {
  Value source = find([](RankedTensorType) { return true; });
  Value raw = source ? find([&](RankedTensorType type) {
    return type.getShape() == getShape(source.getType()) && type.getElementType().isInteger(32);
  })
                     : Value();
  if (!raw)
    return;
  int axis = below(getShape(source.getType()).size());
  Value index = make<arith::AndIOp>(raw, splat(raw.getType(), getShape(source.getType())[axis] - 1));
  keep(make<GatherOp>(source, index, axis));
}

/// One of the ways two elements combine to one in any order with the same bits.
Value Generator::combine(Type element, Value lhs, Value rhs, unsigned choice) {
  if (isa<FloatType>(element))
    return choice % 2 ? make<arith::MaxNumFOp>(lhs, rhs) : make<arith::MinNumFOp>(lhs, rhs);
  switch (choice % 5) {
  case 0:
    return make<arith::AddIOp>(lhs, rhs);
  case 1:
    return make<arith::XOrIOp>(lhs, rhs);
  case 2:
    return make<arith::MaxSIOp>(lhs, rhs);
  case 3:
    return make<arith::MinUIOp>(lhs, rhs);
  default:
    return make<arith::MulIOp>(lhs, rhs);
  }
}

void Generator::reduceStep() {
  Value a = chance(50) ? findFloat() : findInteger();
  if (!a)
    return;
  // Which zero and which NaN a float extreme keeps is open: both are taken out.
  if (isa<FloatType>(getElementTypeOrSelf(a.getType()))) {
    a = make<ClampFOp>(a, constant(a.getType(), -1000), constant(a.getType(), 1000), PropagateNan::None);
    a = make<arith::AddFOp>(a, constant(a.getType(), 0));
  }
  auto type = cast<RankedTensorType>(a.getType());
  auto reduce = ReduceOp::create(builder, location, ValueRange{a}, int(below(type.getRank())));
  Type element = type.getElementType();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombineOp(), {}, {element, element}, {location, location});
  ReduceReturnOp::create(builder, location, combine(element, block->getArgument(0), block->getArgument(1), below(10)));
  builder.setInsertionPointAfter(reduce);
  Value result = reduce->getResult(0);
  if (!isa<RankedTensorType>(result.getType()))
    result = make<SplatOp>(result, type.getShape());
  keep(result);
}

void Generator::scanStep() {
  Value a = findInteger();
  if (!a)
    return;
  auto type = cast<RankedTensorType>(a.getType());
  auto scan = ScanOp::create(builder, location, ValueRange{a}, int(below(type.getRank())), chance(50));
  Type element = type.getElementType();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&scan.getCombineOp(), {}, {element, element}, {location, location});
  ScanReturnOp::create(builder, location, combine(element, block->getArgument(0), block->getArgument(1), below(10)));
  builder.setInsertionPointAfter(scan);
  keep(scan->getResult(0));
}

void Generator::histogramStep() {
  Value a = find([](RankedTensorType type) { return type.getRank() == 1 && type.getElementType().isInteger(32); });
  if (a)
    keep(make<HistogramOp>(make<arith::AndIOp>(a, splat(a.getType(), 15)), Value(), 16));
}

void Generator::dotStep() {
  Value a = find([](RankedTensorType type) { return type.getRank() == 2 && type.getElementType().isInteger(8); });
  if (!a) {
    Value raw =
        find([](RankedTensorType type) { return type.getElementType().isInteger(8) && type.getNumElements() == 256; });
    if (!raw)
      return;
    a = make<ReshapeOp>(raw, ArrayRef<int64_t>{16, 16});
  }
  ArrayRef<int64_t> shape = getShape(a.getType());
  Value b = make<TransOp>(a, ArrayRef<int32_t>{1, 0});
  auto type = RankedTensorType::get({shape[0], shape[0]}, builder.getI32Type());
  if (chance(50)) {
    // Small whole numbers: every sum is exact in f32.
    auto matrix = RankedTensorType::get(shape, builder.getF32Type());
    Value x = make<arith::SIToFPOp>(matrix, a);
    Value y = make<TransOp>(x, ArrayRef<int32_t>{1, 0});
    auto product = RankedTensorType::get({shape[0], shape[0]}, builder.getF32Type());
    return keep(make<DotOp>(x, y, constant(product, 1)));
  }
  keep(make<DotOp>(a, b, splat(type, 3)));
}

void Generator::narrowStep() {
  Value a = findFloat();
  if (!a || getElementBits(a.getType()) > 32)
    return;
  MLIRContext *context = builder.getContext();
  Type narrow = pick(std::array<Type, 4>{Float8E5M2Type::get(context), Float8E4M3FNType::get(context),
                                         Float8E4M3FNUZType::get(context), Float8E5M2FNUZType::get(context)});
  auto rounding = RoundingModeAttr::get(context, RoundingMode::NearestEven);
  Value down = make<FpToFpOp>(withElement(a.getType(), narrow), a, rounding);
  keep(make<FpToFpOp>(a.getType(), down, RoundingModeAttr()));
}

/// Loads a block that may lie partly or wholly outside of a tensor of an input's elements.
void Generator::windowStep() {
  Value base = pick(inputs);
  int64_t columns = int64_t(1) << below(4), rows = inputElements / columns - below(3);
  SmallVector<Value> shape, strides, offsets;
  auto wide = [&](int64_t value) { return constant(builder.getI64Type(), double(value)); };
  auto offset = [&](int64_t size) {
    Value fixed = constant(builder.getI32Type(), double(int64_t(below(size + 8)) - 4));
    return chance(50) ? fixed : make<arith::AddIOp>(fixed, make<GetProgramIdOp>(0));
  };
  shape = {wide(rows), wide(columns)};
  strides = {wide(columns), wide(1)};
  offsets = {offset(rows), offset(columns)};
  SmallVector<int32_t> block{int32_t(1) << below(4), int32_t(1) << below(5)};
  Value pointer = make<MakeTensorPtrOp>(base, shape, strides, offsets, block, ArrayRef<int32_t>{1, 0});
  if (chance(30))
    pointer = make<AdvanceOp>(pointer.getType(), pointer, ValueRange{offset(4), offset(4)});
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getAccessedType(pointer.getType())));
  auto padding = isFloat && chance(30) ? PaddingOption::Nan : PaddingOption::Zero;
  keep(make<LoadOp>(pointer, ArrayRef<int32_t>{0, 1}, padding));
}

void Generator::descriptorStep() {
  Value base = pick(inputs);
  Type element = cast<PointerType>(base.getType()).getPointeeType();
  int32_t least = std::max<int32_t>(128 / element.getIntOrFloatBitWidth(), 1);
  int64_t columns = 16, rows = inputElements / columns;
  auto narrow = [&](int64_t value) { return constant(builder.getI32Type(), double(value)); };
  SmallVector<Value> shape{narrow(rows), narrow(columns - below(3))};
  SmallVector<Value> strides{constant(builder.getI64Type(), double(columns)), constant(builder.getI64Type(), 1)};
  bool isFloat = isa<FloatType>(element), gathers = chance(30);
  auto padding = isFloat && chance(30) ? PaddingOption::Nan : PaddingOption::Zero;
  SmallVector<int32_t> block{gathers ? 1 : int32_t(1) << below(4), std::max<int32_t>(least, gathers ? 32 : 8)};
  Value descriptor = make<MakeTensorDescOp>(base, shape, strides, block, chance(50), padding);
  Value column = narrow(int64_t(below(columns)) - 4);
  if (gathers) {
    Value lines = make<MakeRangeOp>(0, 8);
    lines = make<arith::SubIOp>(lines, splat(lines.getType(), int64_t(below(6))));
    return keep(make<DescriptorGatherOp>(descriptor, lines, column));
  }
  keep(make<DescriptorLoadOp>(descriptor, ValueRange{narrow(int64_t(below(rows + 4)) - 2), column}));
}

/// A scalar function with a branch, on pairs.
void Generator::mapStep() {
  Value a = findInteger();
  if (!a || cast<RankedTensorType>(a.getType()).getNumElements() < 2)
    return;
  Type element = getElementTypeOrSelf(a.getType());
  auto map = MapElementwiseOp::create(builder, location, TypeRange{a.getType()}, ValueRange{a}, 2);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&map.getScalarOp(), {}, {element, element}, {location, location});
  Value x = block->getArgument(0), y = block->getArgument(1);
  Value isLess = make<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
  auto branch = scf::IfOp::create(builder, location, TypeRange{element}, isLess, /*withElse=*/true);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, location, make<arith::SubIOp>(y, x));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, location, make<arith::XOrIOp>(x, y));
  builder.setInsertionPointAfter(branch);
  MapElementwiseReturnOp::create(builder, location, ValueRange{y, branch.getResult(0)});
  builder.setInsertionPointAfter(map);
  keep(map->getResult(0));
}

/// A few steps in a region of their own; then, for each of `carried`, the newest value of its type.
SmallVector<Value> Generator::emitBody(ArrayRef<Value> carried) {
  std::vector<Value> outside = pool;
  llvm::append_range(pool, carried);
  ++depth;
  for (unsigned count = 2 + below(4); count > 0; --count)
    step();
  --depth;
  SmallVector<Value> results;
  for (Value value : carried) {
    auto newest =
        std::find_if(pool.rbegin(), pool.rend(), [&](Value other) { return other.getType() == value.getType(); });
    results.push_back(newest == pool.rend() ? value : *newest);
  }
  pool = std::move(outside);
  return results;
}

void Generator::loopStep() {
  SmallVector<Value> carried;
  for (unsigned count = 1 + below(2); count > 0; --count)
    if (Value value = find([](RankedTensorType) { return true; }))
      carried.push_back(value);
  Value low = constant(builder.getI32Type(), 0), high = constant(builder.getI32Type(), double(below(4)));
  auto loop = scf::ForOp::create(builder, location, low, high, constant(builder.getI32Type(), 1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> inside(loop.getRegionIterArgs());
  SmallVector<Value> results = emitBody(inside);
  scf::YieldOp::create(builder, location, results);
  builder.setInsertionPointAfter(loop);
  for (Value result : loop.getResults())
    keep(result);
}

void Generator::branchStep() {
  Value value = find([](RankedTensorType) { return true; });
  Value pid = make<GetProgramIdOp>(0);
  Value condition =
      make<arith::CmpIOp>(arith::CmpIPredicate::slt, pid, constant(builder.getI32Type(), double(below(3))));
  auto branch = scf::IfOp::create(builder, location, TypeRange{value.getType()}, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> results = emitBody({value});
    scf::YieldOp::create(builder, location, results);
  }
  builder.setInsertionPointAfter(branch);
  keep(branch.getResult(0));
}

void Generator::step() {
  switch (below(25)) {
  case 0:
  case 1:
  case 2:
    return integerStep();
  case 3:
  case 4:
  case 5:
    return floatStep();
  case 6:
  case 7:
    return castStep();
  case 8:
  case 9:
    return selectStep();
  case 10:
    return vocabulary.shapes ? reshapeStep() : integerStep();
  case 11:
    return vocabulary.shapes ? transStep() : integerStep();
  case 12:
    return vocabulary.shapes ? repeatStep() : floatStep();
  case 13:
    return vocabulary.shapes ? joinStep() : floatStep();
  case 14:
    return vocabulary.shapes ? gatherStep() : integerStep();
  case 15:
    return vocabulary.reductions ? reduceStep() : floatStep();
  case 16:
    return vocabulary.reductions ? scanStep() : floatStep();
  case 17:
    return vocabulary.reductions ? histogramStep() : integerStep();
  case 18:
    return vocabulary.products ? dotStep() : integerStep();
  case 19:
    return vocabulary.controlFlow && depth < 2 ? loopStep() : floatStep();
  case 20:
    return vocabulary.controlFlow && depth < 2 ? branchStep() : floatStep();
  case 21:
    return vocabulary.windows ? windowStep() : integerStep();
  case 22:
    return vocabulary.windows ? descriptorStep() : integerStep();
  case 23:
    return vocabulary.controlFlow ? mapStep() : integerStep();
  default:
    return vocabulary.narrowFloats ? narrowStep() : floatStep();
  }
}

/// Where this program's `elements` elements stand in a buffer of all programs' elements.
Value Generator::offsets(int64_t elements) {
  Value start = make<arith::MulIOp>(make<GetProgramIdOp>(0), constant(builder.getI32Type(), double(elements)));
  Value range = make<MakeRangeOp>(0, elements);
  return make<arith::AddIOp>(range, make<SplatOp>(start, ArrayRef<int64_t>{elements}));
}

void Generator::load(BlockArgument pointer, Value mask, Value index) {
  ArrayRef<int64_t> shape = getShape(index.getType());
  Value pointers = make<SplatOp>(pointer, shape);
  pointers = make<AddPtrOp>(pointers.getType(), pointers, index);
  Value other = mask ? constant(getAccessedType(pointers.getType()), 2) : Value();
  keep(make<LoadOp>(pointers, mask, other));
}

void Generator::store(BlockArgument pointer, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value index = make<ReshapeOp>(offsets(type.getNumElements()), type.getShape());
  Value pointers = make<SplatOp>(pointer, type.getShape());
  pointers = make<AddPtrOp>(pointers.getType(), pointers, index);
  StoreOp::create(builder, location, pointers, value);
}

/// What launches promise of aligned buffers and of sizes that divide well: accesses may then be wide.
void Generator::promiseAlignment(RandomKernel &kernel, FuncOp function) {
  kernel.validElements = std::max(16, kernel.validElements / 16 * 16);
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
    function.setArgAttr(argument, divisibilityName, builder.getI32IntegerAttr(16));
}

RandomKernel Generator::run() {
  RandomKernel kernel;
  kernel.module = ModuleOp::create(location);
  kernel.programs = 1 + below(4);
  int64_t block = int64_t(16) << below(5);
  kernel.validElements = kernel.programs * block - below(block);

  std::vector<Type> choices = {builder.getF32Type(), builder.getF16Type(), builder.getBF16Type(), builder.getF64Type(),
                               builder.getI8Type(),  builder.getI16Type(), builder.getI32Type(),  builder.getI64Type()};
  std::vector<Type> types = {builder.getF32Type(), builder.getI32Type()};
  for (unsigned count = 1 + below(3); count > 0; --count)
    types.push_back(pick(choices));

  // The body first, on inputs alone; the outputs depend on what it computes.
  SmallVector<Type> parameters;
  for (Type input : types)
    parameters.push_back(PointerType::get(input));
  parameters.push_back(builder.getI32Type());
  builder.setInsertionPointToEnd(kernel.module->getBody());
  auto function = FuncOp::create(builder, location, "random_kernel", builder.getFunctionType(parameters, {}));
  function.setVisibility(SymbolTable::Visibility::Public);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value index = offsets(block);
  Value bound = make<SplatOp>(body->getArguments().back(), ArrayRef<int64_t>{block});
  Value mask = make<arith::CmpIOp>(arith::CmpIPredicate::slt, index, bound);
  inputElements = kernel.programs * block;
  for (size_t input = 0; input < types.size(); ++input) {
    inputs.push_back(body->getArgument(input));
    load(body->getArgument(input), chance(70) ? mask : Value(), index);
  }
  for (unsigned count = 6 + below(14); count > 0; --count)
    step();

  for (size_t input = 0; input < types.size(); ++input)
    kernel.parameters.push_back({types[input], kernel.programs * block, false});
  size_t outputs = std::min<size_t>(pool.size(), 4);
  for (size_t output = 0; output < outputs; ++output) {
    Value value = pool[pool.size() - 1 - output];
    Type element = getElementTypeOrSelf(value.getType());
    unsigned place = body->getNumArguments() - 1;
    BlockArgument pointer = body->insertArgument(place, PointerType::get(element), location);
    store(pointer, value);
    kernel.parameters.push_back(
        {element, kernel.programs * cast<RankedTensorType>(value.getType()).getNumElements(), true});
  }
  ReturnOp::create(builder, location);
  function.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), {}));
  if (chance(50))
    promiseAlignment(kernel, function);
  return kernel;
}

} // namespace

RandomKernel makeRandomKernel(MLIRContext &context, uint64_t seed, const Vocabulary &vocabulary) {
  return Generator(context, seed, vocabulary).run();
}

} // namespace triton::differential
