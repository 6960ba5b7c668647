// The functions of layouts.
#include "compiler/gluon/LayoutValues.h"

using namespace triton;
using namespace triton::gluon;
using frontend::hostError;
using frontend::Value;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Expected<Value> defaultForBuffer(ArrayRef<Value> arguments) {
  Numbers shape = *numbersIn(arguments[0]);
  const auto *dtype = arguments[1].getIf<frontend::Type>();
  const bool isTransposed = arguments[2].get<bool>(), isPadded = arguments[3].get<bool>();
  if (shape.empty() || !dtype || !dtype->isScalar())
    return hostError("TypeError", "get_default_for takes the shape of a buffer and the type of its elements, got " +
                                      written(arguments[0]) + " and " + arguments[1].repr());
  const std::vector<Numbers> cluster = *basesIn(arguments[4]);
  for (const Numbers &basis : cluster)
    for (auto [size, step] : llvm::zip(shape, basis))
      size /= step ? 2 : 1;
  const int64_t bits = dtype->bitWidth(), inner = isTransposed ? shape.front() : shape.back();
  const int64_t bytes = inner * (isPadded ? 2 : 1) * bits / 8, rows = inner ? llvm::product_of(shape) / inner : 0;
  int64_t swizzle = 0;
  if (shape.size() >= 2 && rows >= 8)
    for (int64_t width : {32, 64, 128})
      if (bytes >= width && bytes % width == 0)
        swizzle = width;
  return Value::tuple({Value::integer(swizzle), Value::integer(bits), Value::integer(int64_t(shape.size())),
                       arguments[2], arguments[3], arguments[4]});
}

static Expected<Value> identityPadding(ArrayRef<Value> arguments) {
  const Numbers shape = *numbersIn(arguments[1]), order = *numbersIn(arguments[2]);
  if (shape.size() != order.size())
    return broken("order " + written(arguments[2]) + " does not fit shape " + written(arguments[1]));
  if (!llvm::all_of(shape, isPowerOfTwo))
    return broken("sizes must be powers of two, got " + written(arguments[1]));
  std::vector<Numbers> bases;
  for (int64_t along : order) {
    if (along < 0 || along >= int64_t(shape.size()))
      return broken("order " + written(arguments[2]) + " does not fit shape " + written(arguments[1]));
    for (int64_t step = 1; step < shape[along]; step *= 2) {
      bases.emplace_back(shape.size(), 0);
      bases.back()[along] = step;
    }
  }
  return Value::tuple({arguments[0], listOf(ArrayRef(bases)), Value::tuple({}), arguments[1]});
}

static Expected<Value> barrierPerCta(ArrayRef<Value> arguments) {
  const int64_t ctas = *numberIn(arguments[0]);
  const bool inPairs = arguments[1].get<bool>();
  if (!isPowerOfTwo(ctas) || (inPairs && ctas < 2))
    return broken("multicta needs a power of two of CTAs, and pairs two at least, got " + Twine(ctas));
  std::vector<Numbers> bases;
  if (inPairs)
    bases.push_back({0});
  for (int64_t step = 1; step < (inPairs ? ctas / 2 : ctas); step *= 2)
    bases.push_back({step});
  return Value::tuple({listOf(ArrayRef(bases))});
}

static Expected<Value> makeClusterBases(ArrayRef<Value> arguments) {
  const Numbers ctas = *numbersIn(arguments[0]), parts = *numbersIn(arguments[1]), order = *numbersIn(arguments[2]);
  const size_t rank = order.size();
  if (ctas.size() != rank || parts.size() != rank)
    return broken("make_cga_layout needs one number for each dimension");
  std::vector<Numbers> bases;
  for (int64_t along : order) {
    if (along < 0 || along >= int64_t(rank))
      return broken("cta_order " + written(arguments[2]) + " is no order of " + Twine(rank) + " dimensions");
    if (!isPowerOfTwo(ctas[along]) || !isPowerOfTwo(parts[along]) || parts[along] > ctas[along])
      return broken(Twine(ctas[along]) + " CTAs cannot share " + Twine(parts[along]) + " parts of dimension " +
                    Twine(along));
    for (int64_t step = 1; step < ctas[along]; step *= 2) {
      bases.emplace_back(rank, 0);
      bases.back()[along] = step < parts[along] ? step : 0;
    }
  }
  return listOf(ArrayRef(bases));
}

static Expected<Value> basesPerDimension(ArrayRef<Numbers> bases, int64_t rank, bool skipsCopies) {
  if (rank < 1)
    return broken("bases_per_dim needs a rank of at least 1, got " + Twine(rank));
  Numbers reach(rank, 1);
  size_t last = 0;
  for (const Numbers &basis : bases) {
    if (int64_t(basis.size()) != rank)
      return broken("bases_per_dim needs " + Twine(rank) + " numbers in each basis, got " +
                    written(listOf(ArrayRef(basis))));
    const auto moved = llvm::find_if(basis, [](int64_t step) { return step != 0; });
    if (moved == basis.end() && skipsCopies)
      continue;
    if (moved != basis.end())
      last = moved - basis.begin();
    reach[last] *= 2;
  }
  return listOf(ArrayRef(reach));
}

static Expected<Value> warpsPerCta(const Value &layout) {
  const LayoutClass &type = *classOf(layout);
  auto has = [&](StringRef name) {
    return llvm::any_of(type.fields, [&](const LayoutField &field) { return field.name == name; });
  };
  if (has("warps_per_cta"))
    return ask(layout, "warps_per_cta");
  if (has("parent")) {
    Expected<Value> parent = ask(layout, "parent");
    return parent ? warpsPerCta(*parent) : std::move(parent);
  }
  if (!has("warp_bases"))
    return hostError("ValueError", type.name + " has no warps yet: it is inferred");
  Expected<Value> bases = ask(layout, "warp_bases"), shape = ask(layout, "shape");
  if (!bases || !shape)
    return bases ? shape.takeError() : bases.takeError();
  return basesPerDimension(*basesIn(*bases), int64_t(shape->tuple()->elements.size()), /*skipsCopies=*/false);
}

Expected<Value> gluon::callLayoutFunction(const LayoutFunction &function, ArrayRef<Value> given) {
  assert(given.size() == function.parameters.size() && "a function gets a value for each parameter");
  std::vector<Value> arguments;
  for (auto [parameter, argument] : llvm::zip(function.parameters, given)) {
    Expected<Value> value = asKind(parameter, argument, function.name);
    if (!value)
      return value;
    arguments.push_back(std::move(*value));
  }
  if (function.name == "get_default_for")
    return defaultForBuffer(arguments);
  if (function.name == "with_identity_for")
    return identityPadding(arguments);
  if (function.name == "multicta")
    return barrierPerCta(arguments);
  if (function.name == "make_cga_layout")
    return makeClusterBases(arguments);
  if (function.name == "bases_per_dim")
    return basesPerDimension(*basesIn(arguments[0]), *numberIn(arguments[1]), arguments[2].get<bool>());
  assert(function.name == "warps_per_cta" && "all functions are above");
  return warpsPerCta(arguments[0]);
}
