// What may stand in the fields of layouts, and what layouts have beside their fields.
#include "compiler/gluon/LayoutValues.h"

using namespace triton;
using namespace triton::gluon;
using frontend::hostError;
using frontend::Value;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error require(bool holds, const Twine &message) {
  return holds ? llvm::Error::success() : broken(message);
}

static llvm::Error checkLengths(const Fields &fields, ArrayRef<StringLiteral> names, size_t rank) {
  for (StringRef name : names)
    if (fields.integers(name).size() != rank)
      return broken(name + " needs " + Twine(rank) + " numbers, got " + fields.text(name));
  return llvm::Error::success();
}

static llvm::Error checkBases(const Fields &fields, ArrayRef<StringLiteral> names, size_t rank) {
  for (StringRef name : names)
    for (const Numbers &basis : fields.bases(name))
      if (basis.size() != rank)
        return broken(name + " needs " + Twine(rank) + " numbers in each basis, got " +
                      written(listOf(ArrayRef(basis))));
  return llvm::Error::success();
}

static llvm::Error checkPadding(const Fields &fields) {
  const std::vector<Numbers> pairs = fields.bases("interval_padding_pairs");
  const std::string text = fields.text("interval_padding_pairs");
  if (pairs.empty())
    return broken("PaddedSharedLayout needs at least one pair of interval and padding");
  Numbers intervals;
  for (const Numbers &pair : pairs) {
    if (pair.size() != 2)
      return broken("a pair has an interval and a padding, got " + text);
    if (llvm::is_contained(intervals, pair[0]))
      return broken("intervals must differ, got " + text);
    if (!llvm::all_of(pair, isPowerOfTwo))
      return broken("intervals and paddings must be powers of two, got " + text);
    intervals.push_back(pair[0]);
  }
  return checkBases(fields, {"offset_bases", "block_bases"}, fields.integers("shape").size());
}

static llvm::Error checkTensorMemory(const Fields &fields) {
  if (const Value &split = fields["cta_split_num"]; !split.isNone() && split.tuple()->elements.size() != 2)
    return broken("cta_split_num has two numbers, got " + written(split, true));
  if (!fields.find("block"))
    return llvm::Error::success();
  if (fields.integers("block").size() != 2)
    return broken("block has rows and columns, got " + written(fields["block"], true));
  return require(isPowerOfTwo(fields.integer("col_stride")),
                 "tensor memory col_stride must be a power of two, got " + fields.text("col_stride"));
}

/// Accumulators of AMD's matrix instructions: warps side by side, each with some tiles of an instruction's shape.
static llvm::Error checkMatrix(const Fields &fields, int64_t lastVersion) {
  const size_t rank = fields.integers("warps_per_cta").size();
  const Numbers shape = fields.integers("instr_shape");
  if (shape.size() != 3)
    return broken("instr_shape must follow the (M, N, K) format, got " + fields.text("instr_shape"));
  if (llvm::Error error = checkLengths(fields, {"tiles_per_warp"}, rank))
    return error;
  if (llvm::Error error = checkBases(fields, {"cga_layout"}, rank))
    return error;
  if (int64_t version = fields.integer("version"); version < 1 || version > lastVersion)
    return broken("version must be in the [1, " + Twine(lastVersion) + "] range, got " + Twine(version));
  if (!fields.find("element_bitwidth"))
    return llvm::Error::success();
  static constexpr std::pair<int64_t, int64_t> shapes[] = {{32, 32}, {16, 16}, {64, 4}, {4, 64}};
  if (!llvm::is_contained(shapes, std::pair(shape[0], shape[1])))
    return broken("invalid intrinsic shape " + fields.text("instr_shape"));
  const int64_t bits = fields.integer("element_bitwidth");
  return require(bits == 32 || bits == 64, "element bitwidth must be 32 or 64, got " + Twine(bits));
}

static llvm::Error check(const Fields &fields) {
  const StringRef name = fields.type.name;
  if (name == "BlockedLayout") {
    const size_t rank = fields.integers("size_per_thread").size();
    if (llvm::Error error = checkLengths(fields, {"threads_per_warp", "warps_per_cta", "order"}, rank))
      return error;
    return checkBases(fields, {"cga_layout"}, rank);
  }
  if (name == "DistributedLinearLayout")
    return checkBases(fields, {"reg_bases", "lane_bases", "warp_bases", "block_bases"},
                      fields.integers("shape").size());
  if (name == "NVMMADistributedLayout")
    return checkBases(fields, {"cga_layout"}, fields.integers("warps_per_cta").size());
  if (name == "DotOperandLayout") {
    const int64_t index = fields.integer("operand_index");
    return require(index == 0 || index == 1, "operand_index must be 0 or 1, got " + Twine(index));
  }
  if (name == "SwizzledSharedLayout" || name == "MBarrierLayout")
    return checkBases(fields, {"cga_layout"}, fields.integers("order").size());
  if (name == "NVMMASharedLayout") {
    const int64_t bits = fields.integer("element_bitwidth"), swizzle = fields.integer("swizzle_byte_width");
    if (!llvm::is_contained({8, 16, 32, 64}, bits))
      return broken("element_bitwidth may not be " + Twine(bits));
    if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
      return broken("swizzle_byte_width may not be " + Twine(swizzle));
    return checkBases(fields, {"cga_layout"}, size_t(fields.integer("rank")));
  }
  if (name == "PaddedSharedLayout")
    return checkPadding(fields);
  if (name == "SharedLinearLayout") {
    const std::vector<Numbers> offsets = fields.bases("offset_bases");
    if (offsets.empty())
      return broken("SharedLinearLayout needs offset_bases");
    if (llvm::Error error = checkBases(fields, {"offset_bases", "block_bases"}, offsets.front().size()))
      return error;
    return require(isPowerOfTwo(fields.integer("alignment")),
                   "alignment must be a power of two, got " + fields.text("alignment"));
  }
  if (name.starts_with("TensorMemory"))
    return checkTensorMemory(fields);
  if (name == "AMDMFMALayout")
    return checkMatrix(fields, 4);
  if (name == "AMDWMMALayout")
    return checkMatrix(fields, 3);
  return llvm::Error::success();
}

/// What None stands for in the fields of AMD's accumulators.
static Value completed(const LayoutClass &type, StringRef field, ArrayRef<Value> values) {
  if (field == "element_bitwidth")
    return Value::integer(int64_t(32));
  if (field == "instr_shape")
    return listOf(ArrayRef<int64_t>({16, 16, 16}));
  return listOf(ArrayRef(Numbers(Fields(type, values).integers("warps_per_cta").size(), 1)));
}

Expected<std::vector<Value>> gluon::makeLayoutFields(const LayoutClass &type, ArrayRef<Value> arguments) {
  assert(arguments.size() == type.parameters.size() && "a constructor gets a value for each parameter");
  std::vector<Value> values;
  if (type.name == "MBarrierLayout") // rows of one barrier each
    values = {Value::integer(int64_t(1)), Value::integer(int64_t(1)), Value::integer(int64_t(1)),
              listOf(ArrayRef<int64_t>(0))};
  for (auto [parameter, argument] : llvm::zip(type.parameters, arguments)) {
    Expected<Value> value = asKind(parameter, argument, type.name);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  if (StringRef(type.name).starts_with("AMD"))
    for (auto [index, field] : llvm::enumerate(type.fields))
      if (values[index].isNone())
        values[index] = completed(type, field.name, values);
  if (llvm::Error error = check(Fields(type, values)))
    return std::move(error);
  return values;
}

// What layouts have beside their fields.

static Expected<Value> rankOf(const Fields &fields) {
  for (StringRef list : {"order", "shape", "warps_per_cta"})
    if (const Value *field = fields.find(list))
      return Value::integer(int64_t(field->tuple()->elements.size()));
  if (fields.find("offset_bases"))
    return Value::integer(int64_t(fields.bases("offset_bases").front().size()));
  if (StringRef(fields.type.name).starts_with("TensorMemory"))
    return Value::integer(int64_t(2));
  const Value *parent = fields.find("parent");
  if (!parent)
    return hostError("ValueError", fields.type.name + " has no rank");
  Expected<Value> rank = ask(*parent, "rank");
  if (!rank || fields.type.name != "SliceLayout")
    return rank;
  return Value::integer(numberIn(*rank).value_or(1) - 1);
}

static Expected<Value> clusterOf(const Fields &fields) {
  if (const Value *blocks = fields.find("block_bases"))
    return *blocks;
  Expected<Value> cluster = ask(fields["parent"], "cga_layout");
  if (!cluster)
    return cluster;
  std::vector<Numbers> bases = basesIn(*cluster).value_or(std::vector<Numbers>());
  const bool isSlice = fields.type.name == "SliceLayout";
  for (Numbers &basis : bases) {
    if (isSlice) {
      if (int64_t dim = fields.integer("dim"); dim >= 0 && dim < int64_t(basis.size()))
        basis.erase(basis.begin() + dim);
    } else if (size_t inner = fields.integer("operand_index") == 0 ? 1 : 2; basis.size() >= inner) {
      basis[basis.size() - inner] = 0; // K, which every CTA has whole
    }
  }
  return listOf(ArrayRef(bases));
}

Expected<Value> gluon::layoutProperty(const LayoutClass &type, ArrayRef<Value> values, StringRef name) {
  const Fields fields(type, values);
  if (name == "rank")
    return rankOf(fields);
  if (name == "cga_layout")
    return clusterOf(fields);
  assert(name == "shape" && type.name == "SharedLinearLayout" && "the table lists the property");
  const std::vector<Numbers> bases = fields.bases("offset_bases");
  Numbers shape(bases.front().size(), 1);
  for (const Numbers &basis : bases)
    for (auto [size, step] : llvm::zip(shape, basis))
      size = std::max(size, 2 * step);
  return listOf(ArrayRef(shape));
}
