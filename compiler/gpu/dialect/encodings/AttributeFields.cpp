#include "compiler/gpu/dialect/encodings/AttributeFields.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::gpu {

void AttributeFields::fail(const Twine &message) {
  if (!hasFailed)
    parser.emitError(location, message);
  hasFailed = true;
}

void AttributeFields::parse() {
  if (parser.parseAttribute(fields))
    hasFailed = true; // the parser has said why
}

void AttributeFields::parseEnclosed() {
  if (parser.parseLess() || parser.parseAttribute(fields) || parser.parseGreater())
    hasFailed = true;
}

Attribute AttributeFields::get(StringRef name, bool optional) {
  asked.push_back(name);
  if (hasFailed)
    return {};
  Attribute value = fields.get(name);
  if (!value && !optional)
    fail("expected a value for " + name);
  return value;
}

AttributeFields AttributeFields::nested(StringRef name) {
  AttributeFields inner(parser);
  inner.fields = dyn_cast_or_null<DictionaryAttr>(get(name));
  if (!hasFailed && !inner.fields)
    fail(name + " must be fields in braces");
  inner.hasFailed = hasFailed;
  return inner;
}

int64_t AttributeFields::integer(StringRef name, std::optional<int64_t> fallback) {
  Attribute value = get(name, fallback.has_value());
  if (!value)
    return fallback.value_or(0);
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || integer.getType().isInteger(1) || !integer.getValue().isSignedIntN(64)) {
    fail(name + " must be an integer");
    return fallback.value_or(0);
  }
  return integer.getValue().getSExtValue();
}

bool AttributeFields::boolean(StringRef name, bool fallback) {
  Attribute value = get(name, /*optional=*/true);
  if (!value)
    return fallback;
  auto boolean = dyn_cast<BoolAttr>(value);
  if (!boolean) {
    fail(name + " must be true or false");
    return fallback;
  }
  return boolean.getValue();
}

std::optional<SmallVector<int64_t>> AttributeFields::toIntegers(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!list)
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (Attribute element : list) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer || integer.getType().isInteger(1) || !integer.getValue().isSignedIntN(64))
      return std::nullopt;
    integers.push_back(integer.getValue().getSExtValue());
  }
  return integers;
}

SmallVector<int64_t> AttributeFields::integers(StringRef name) {
  Attribute value = get(name);
  if (!value)
    return {};
  auto list = toIntegers(value);
  if (!list)
    fail(name + " must be a list of integers");
  return list.value_or(SmallVector<int64_t>());
}

SmallVector<unsigned> AttributeFields::order(StringRef name) {
  SmallVector<unsigned> order;
  for (int64_t dim : integers(name)) {
    // What is no dimension is reported with the other ways not to be a permutation, by whoever verifies the attribute.
    order.push_back(llvm::isUInt<32>(dim) ? static_cast<unsigned>(dim) : ~0u);
  }
  return order;
}

SmallVector<int64_t> AttributeFields::bases(StringRef name, int64_t &rank, bool optional) {
  Attribute value = get(name, optional);
  SmallVector<int64_t> flat;
  if (!value)
    return flat;
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list) {
    fail(name + " must be a list of bases");
    return flat;
  }
  for (Attribute element : list) {
    auto basis = toIntegers(element);
    if (!basis || basis->empty()) {
      fail("a basis of " + name + " must be a list of integers");
      return {};
    }
    if (rank == 0)
      rank = basis->size();
    if (static_cast<int64_t>(basis->size()) != rank) {
      fail("a basis of " + name + " must have " + Twine(rank) + " numbers, got " + Twine(basis->size()));
      return {};
    }
    flat.append(*basis);
  }
  return flat;
}

SmallVector<int64_t> AttributeFields::cluster(int64_t rank) {
  if (!has("CTAsPerCGA"))
    return bases("CGALayout", rank, /*optional=*/true);
  SmallVector<int64_t> count = integers("CTAsPerCGA"), split = integers("CTASplitNum");
  SmallVector<unsigned> order = this->order("CTAOrder");
  if (hasFailed)
    return {};
  if (static_cast<int64_t>(count.size()) != rank || static_cast<int64_t>(split.size()) != rank ||
      static_cast<int64_t>(order.size()) != rank) {
    fail("CTAsPerCGA, CTASplitNum and CTAOrder must have " + Twine(rank) + " entries");
    return {};
  }
  SmallVector<int64_t> flat;
  for (unsigned dim : order) {
    if (dim >= rank || count[dim] <= 0 || split[dim] <= 0 || !llvm::isPowerOf2_64(count[dim]) ||
        !llvm::isPowerOf2_64(split[dim]) || split[dim] > count[dim]) {
      fail("CTAsPerCGA and CTASplitNum must be powers of two, the second no larger than the first, and CTAOrder a "
           "permutation");
      return {};
    }
    for (int64_t bit = 1; bit < count[dim]; bit *= 2) {
      SmallVector<int64_t> basis(rank, 0);
      basis[dim] = bit < split[dim] ? bit : 0;
      flat.append(basis);
    }
  }
  return flat;
}

DistributedAttr AttributeFields::layout(StringRef name) {
  Attribute value = get(name);
  if (!value)
    return {};
  auto layout = dyn_cast<DistributedAttr>(value);
  if (!layout)
    fail(name + " must be a layout of registers");
  return layout;
}

LogicalResult AttributeFields::finish() {
  if (!hasFailed)
    for (NamedAttribute field : fields)
      if (!llvm::is_contained(asked, field.getName().getValue()))
        fail("unknown field " + field.getName().getValue());
  return failure(hasFailed);
}

template <typename ElementT> static void printElements(AsmPrinter &printer, ArrayRef<ElementT> list) {
  printer << "[";
  llvm::interleaveComma(list, printer);
  printer << "]";
}

void printList(AsmPrinter &printer, ArrayRef<int64_t> list) { printElements(printer, list); }
void printList(AsmPrinter &printer, ArrayRef<unsigned> list) { printElements(printer, list); }

void printBases(AsmPrinter &printer, ArrayRef<int64_t> flat, int64_t rank) {
  printer << "[";
  for (size_t begin = 0; begin < flat.size(); begin += rank) {
    if (begin)
      printer << ", ";
    printList(printer, flat.slice(begin, rank));
  }
  printer << "]";
}

void printCluster(AsmPrinter &printer, ArrayRef<int64_t> flat, int64_t rank) {
  if (flat.empty())
    return;
  printer << ", CGALayout = ";
  printBases(printer, flat, rank);
}

std::vector<layout::Coordinates> toBases(ArrayRef<int64_t> flat, int64_t rank) {
  std::vector<layout::Coordinates> bases;
  for (size_t begin = 0; begin < flat.size(); begin += rank) {
    ArrayRef<int64_t> basis = flat.slice(begin, rank);
    bases.emplace_back(basis.begin(), basis.end());
  }
  return bases;
}

SmallVector<int64_t> flattenBases(ArrayRef<layout::Coordinates> bases) {
  SmallVector<int64_t> flat;
  for (const layout::Coordinates &basis : bases)
    flat.append(basis.begin(), basis.end());
  return flat;
}

} // namespace triton::gpu
