#include "test/differential/RandomKernel.h"

#include "test/differential/Generator.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

Value Generator::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, value))
                                                : TypedAttr(builder.getIntegerAttr(element, int64_t(value)));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attribute = SplatElementsAttr::get(tensor, attribute);
  return make<arith::ConstantOp>(attribute);
}

void Generator::step() {
  const bool isShallow = vocabulary.controlFlow && depth < 2;
  struct Choice {
    unsigned weight;
    bool isKnown;
    void (Generator::*step)();
  };
  const Choice choices[] = {{4, true, &Generator::integerStep},
                            {4, true, &Generator::floatStep},
                            {2, true, &Generator::castStep},
                            {2, true, &Generator::selectStep},
                            {1, vocabulary.truths, &Generator::truthStep},
                            {1, vocabulary.narrowFloats, &Generator::narrowStep},
                            {1, vocabulary.shapes, &Generator::reshapeStep},
                            {1, vocabulary.shapes, &Generator::transStep},
                            {1, vocabulary.shapes, &Generator::repeatStep},
                            {1, vocabulary.shapes, &Generator::joinStep},
                            {1, vocabulary.shapes, &Generator::gatherStep},
                            {1, vocabulary.reductions, &Generator::reduceStep},
                            {1, vocabulary.reductions, &Generator::findPlaceStep},
                            {1, vocabulary.reductions, &Generator::scanStep},
                            {1, vocabulary.reductions, &Generator::recurrenceStep},
                            {1, vocabulary.reductions, &Generator::histogramStep},
                            {1, vocabulary.products, &Generator::dotStep},
                            {1, vocabulary.products, &Generator::batchStep},
                            {1, isShallow, &Generator::loopStep},
                            {1, isShallow, &Generator::whileStep},
                            {1, isShallow, &Generator::branchStep},
                            {1, vocabulary.controlFlow, &Generator::mapStep},
                            {1, vocabulary.windows, &Generator::windowStep},
                            {1, vocabulary.windows, &Generator::descriptorStep},
                            {1, vocabulary.atomics, &Generator::maskedLoadStep},
                            {1, vocabulary.atomics, &Generator::atomicStep}};
  unsigned total = 0;
  for (const Choice &choice : choices)
    total += choice.isKnown ? choice.weight : 0;
  uint64_t drawn = below(total);
  for (const Choice &choice : choices) {
    if (!choice.isKnown)
      continue;
    if (drawn < choice.weight)
      return (this->*choice.step)();
    drawn -= choice.weight;
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
  // Mostly as many as there are threads, at times fewer than one warp has, or several for each.
  int64_t block = chance(80) ? int64_t(16) << below(5) : int64_t(1) << below(11);
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
  const std::array<Type, 4> counted = {builder.getI32Type(), builder.getI64Type(), builder.getF32Type(),
                                       builder.getF64Type()};
  for (Type tally : counted)
    if (vocabulary.atomics)
      parameters.push_back(PointerType::get(tally));
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
  tallyElements = 2048;
  for (size_t tally = types.size(); tally + 1 < parameters.size(); ++tally)
    tallies.push_back(body->getArgument(tally));
  for (unsigned count = 6 + below(14); count > 0; --count)
    step();

  for (size_t input = 0; input < types.size(); ++input)
    kernel.parameters.push_back({types[input], kernel.programs * block, false});
  for (size_t tally = 0; tally < tallies.size(); ++tally)
    kernel.parameters.push_back({counted[tally], kernel.programs * tallyElements, true});
  size_t outputs = std::min<size_t>(pool.size(), 4);
  for (size_t output = 0; output < outputs; ++output) {
    Value value = pool[pool.size() - 1 - output];
    if (getElementTypeOrSelf(value.getType()).isInteger(1))
      value = make<arith::ExtUIOp>(withElement(value.getType(), builder.getI8Type()), value);
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

RandomKernel makeRandomKernel(MLIRContext &context, uint64_t seed, const Vocabulary &vocabulary) {
  return Generator(context, seed, vocabulary).run();
}

} // namespace triton::differential
