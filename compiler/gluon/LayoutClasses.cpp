#include "compiler/gluon/LayoutValues.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::gluon;
using frontend::CallArguments;
using frontend::hostError;
using frontend::HostObject;
using frontend::Value;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

// The table. A field is `name:kind` or `name:kind=default`; a kind with a question mark takes None and keeps it, any list with a default takes None for its default.
// In a symbol `{field}` is the short text of a field (`4_1`, `0~1_2~0`; of a layout its symbol), `{field!r}` what Python prints, and `{field!X}` X followed by the
// numbers (`X2x1`), X alone for a field that is true, and nothing for one that is None or false.

namespace {
struct ClassRow {
  StringLiteral name, module, base, fields, properties, symbol, documentation;
  StringLiteral parameters = ""; // of the constructor, where they are not the fields
};
struct FunctionRow {
  StringLiteral owner, name, parameters, documentation;
};
} // namespace

#define LANGUAGE "triton.experimental.gluon.language."
#define LAYOUTS LANGUAGE "_layouts"
#define AMD LANGUAGE "amd._layouts"
#define BLACKWELL LANGUAGE "nvidia.blackwell._layouts"

static constexpr ClassRow classRows[] = {
    {"AutoLayout", LAYOUTS, "DistributedLayout", "", "rank", "AL",
     "The layout is inferred from those that the tensor meets."},
    {"CoalescedLayout", LAYOUTS, "DistributedLayout", "", "rank", "CL",
     "The layout is inferred from the accesses to memory that the tensor takes part in."},
    {"BlockedLayout", LAYOUTS, "DistributedLayout",
     "size_per_thread:ints threads_per_warp:ints warps_per_cta:ints order:ints cga_layout:bases=[]", "rank",
     "B{size_per_thread}_{threads_per_warp}_{warps_per_cta}_{order}_{cga_layout}B",
     "Each thread holds a block of elements, each warp a block of threads, each CTA a block of warps; `order[0]` is "
     "the fastest dimension."},
    {"SliceLayout", LAYOUTS, "DistributedLayout", "dim:int parent:layout", "rank cga_layout", "SL{dim}_{parent}SL",
     "What a reduction of `parent` over dimension `dim` leaves, and what `expand_dims` at `dim` takes."},
    {"DistributedLinearLayout", LAYOUTS, "DistributedLayout",
     "reg_bases:bases lane_bases:bases warp_bases:bases block_bases:bases shape:ints", "rank cga_layout",
     "DLL{reg_bases!r}_{lane_bases!r}_{warp_bases!r}_{block_bases!r}_{shape!r}DLL",
     "The map itself: which coordinates each bit of register, lane, warp and block adds."},
    {"NVMMADistributedLayout", LAYOUTS, "DistributedLayout",
     "version:ints warps_per_cta:ints instr_shape:ints cga_layout:bases=[]", "rank",
     "MMA_{version!r}_{warps_per_cta!r}_{instr_shape!r}_{cga_layout}_MMA",
     "The accumulator of a tensor-core product: version [2, 0] is mma.sync, [3, 0] wgmma."},
    {"DotOperandLayout", LAYOUTS, "DistributedLayout", "operand_index:int parent:layout k_width:int", "rank cga_layout",
     "DO{operand_index}_{parent}_{k_width}DO", "An operand of a product in registers: 0 is the left one, 1 the right."},
    {"SwizzledSharedLayout", LAYOUTS, "SharedLayout",
     "vec:int per_phase:int max_phase:int order:ints cga_layout:bases=[]", "rank",
     "SSS_{vec}_{per_phase}_{max_phase}_{order}_{cga_layout}_SSS",
     "Rows whose groups of `vec` elements are permuted by the row."},
    {"NVMMASharedLayout", LAYOUTS, "SharedLayout",
     "swizzle_byte_width:int element_bitwidth:int rank:int=2 transposed:bool=False fp4_padded:bool=False "
     "cga_layout:bases=[]",
     "", "NVMMA_{swizzle_byte_width}_{element_bitwidth}_{transposed}_{fp4_padded}_{cga_layout}_NVMMA",
     "What TMA, wgmma and tcgen05 read and write."},
    {"PaddedSharedLayout", LAYOUTS, "SharedLayout",
     "interval_padding_pairs:bases offset_bases:bases block_bases:bases shape:ints", "rank",
     "PaddedShared_{interval_padding_pairs!r}_{offset_bases!r}_{block_bases!r}_{shape!r}_PaddedShared",
     "A linear map with gaps: after every `interval` elements, `padding` unused ones."},
    {"SharedLinearLayout", LAYOUTS, "SharedLayout", "offset_bases:bases block_bases:bases=[] alignment:int=16",
     "rank shape", "SharedLinear_{offset_bases!r}_{block_bases!r}_{alignment!r}_SharedLinear",
     "The map itself: which coordinates each bit of the offset adds."},
    {"MBarrierLayout", LANGUAGE "nvidia.ampere.mbarrier", "SwizzledSharedLayout",
     "vec:int per_phase:int max_phase:int order:ints cga_layout:bases=[]", "rank",
     "SSS_{vec}_{per_phase}_{max_phase}_{order}_{cga_layout}_SSS", "The layout of mbarriers: one int64 each.",
     "cga_layout:bases=None"},
    {"TensorMemoryLayout", BLACKWELL, "_Layout",
     "block:pair col_stride:int cta_split_num:pair?=None two_ctas:bool=False", "rank",
     "TL{block!}C{col_stride}{cta_split_num!CS}{two_ctas!2CT}TL",
     "Blocks of `block` rows and columns; a column of elements takes `col_stride` columns of the memory."},
    {"TensorMemoryScalesLayout", BLACKWELL, "_Layout", "cta_split_num:pair?=None", "rank", "TLS{cta_split_num!CS}TLS",
     "8-bit scales of blocks, copied for each warp."},
    {"AMDMFMALayout", AMD, "DistributedLayout",
     "version:int instr_shape:ints transposed:bool warps_per_cta:ints element_bitwidth:int?=None "
     "tiles_per_warp:ints?=None cga_layout:bases=[]",
     "rank",
     "MFMA_{version}_{instr_shape}_{transposed}_{warps_per_cta}_{element_bitwidth}_{tiles_per_warp}_{cga_layout}_MFMA",
     "The accumulator of mfma: version 1 is gfx908, 2 gfx90a, 3 gfx942, 4 gfx950."},
    {"AMDWMMALayout", AMD, "DistributedLayout",
     "version:int transposed:bool warps_per_cta:ints instr_shape:ints?=None tiles_per_warp:ints?=None "
     "cga_layout:bases=[]",
     "rank", "WMMA_{version}_{transposed}_{warps_per_cta}_{tiles_per_warp}_{instr_shape}_{cga_layout}_WMMA",
     "The accumulator of wmma: version 1 is RDNA3, 2 RDNA4, 3 gfx1250."},
};

static constexpr FunctionRow functionRows[] = {
    {"NVMMASharedLayout", "get_default_for",
     "block_shape:ints dtype:any transposed:bool=False fp4_padded:bool=False cga_layout:bases=None",
     "The widest swizzle that a buffer of this shape takes."},
    {"PaddedSharedLayout", "with_identity_for", "interval_padding_pairs:bases shape:ints order:ints",
     "The identity over `shape`, `order[0]` fastest, with gaps."},
    {"MBarrierLayout", "multicta", "num_ctas:int two_cta:bool=False",
     "One barrier for each CTA of a cluster; with `two_cta`, for each pair of them."},
    {"", "make_cga_layout", "ctas_per_cga:ints cta_split_num:ints cta_order:ints",
     "The `cga_layout` in which each dimension, in `cta_order`, is split between some CTAs, and the others hold "
     "copies."},
    {"", "bases_per_dim", "bases:bases rank:int skip_broadcast:bool=True",
     "How far the bases reach in each dimension: a basis doubles the first dimension that it moves in. One of zeros "
     "counts for nothing, or, "
     "without `skip_broadcast`, doubles the same dimension as the basis before it."},
    {"", "warps_per_cta", "layout:layout shape:ints",
     "How many warps lie along each dimension of a tensor of `shape`; their product is the number of warps. Slices and "
     "operands answer for their "
     "parent."},
};

// Reading the table.

static FieldKind kindNamed(StringRef name) {
  static constexpr std::pair<StringLiteral, FieldKind> kinds[] = {
      {"int", FieldKind::Integer}, {"bool", FieldKind::Boolean}, {"ints", FieldKind::Integers},
      {"bases", FieldKind::Bases}, {"pair", FieldKind::Pair},    {"layout", FieldKind::Layout},
      {"any", FieldKind::Any}};
  const auto *found = llvm::find_if(kinds, [&](const auto &kind) { return kind.first == name; });
  assert(found != std::end(kinds) && "the table names a kind that there is");
  return found->second;
}

static Value defaultNamed(StringRef text) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return Value::integer(number);
  if (text == "False" || text == "True")
    return Value::boolean(text == "True");
  return text == "None" ? Value::none() : Value::tuple({});
}

static std::vector<LayoutField> readFields(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  std::vector<LayoutField> fields;
  for (StringRef part : parts) {
    auto [declared, given] = part.split('=');
    auto [name, kind] = declared.split(':');
    LayoutField field{name.str(), FieldKind::Any, std::nullopt, kind.consume_back("?")};
    field.kind = kindNamed(kind);
    if (!given.empty())
      field.byDefault = defaultNamed(given);
    fields.push_back(std::move(field));
  }
  return fields;
}

ArrayRef<LayoutClass> gluon::layoutClasses() {
  static const auto *classes = [] {
    auto *made = new std::vector<LayoutClass>; // layouts may be held beyond the end of main
    for (const ClassRow &row : classRows) {
      llvm::SmallVector<StringRef> properties;
      row.properties.split(properties, ' ', -1, /*KeepEmpty=*/false);
      made->push_back({row.name.str(), row.module.str(), row.base.str(), row.documentation.str(), row.symbol.str(),
                       readFields(row.fields), readFields(row.parameters.empty() ? row.fields : row.parameters),
                       std::vector<std::string>(properties.begin(), properties.end())});
    }
    return made;
  }();
  return *classes;
}

const LayoutClass *gluon::findLayoutClass(StringRef name) {
  const auto *found = llvm::find_if(layoutClasses(), [&](const LayoutClass &type) { return type.name == name; });
  return found == layoutClasses().end() ? nullptr : found;
}

ArrayRef<LayoutFunction> gluon::layoutFunctions() {
  static const auto *functions = [] {
    auto *made = new std::vector<LayoutFunction>;
    for (const FunctionRow &row : functionRows)
      made->push_back({row.owner.str(), row.name.str(), row.documentation.str(), readFields(row.parameters)});
    return made;
  }();
  return *functions;
}

const LayoutFunction *gluon::findLayoutFunction(StringRef owner, StringRef name) {
  const auto *found = llvm::find_if(layoutFunctions(), [&](const LayoutFunction &function) {
    return function.owner == owner && function.name == name;
  });
  return found == layoutFunctions().end() ? nullptr : found;
}

Expected<std::vector<Value>> gluon::bindArguments(StringRef callee, ArrayRef<LayoutField> parameters,
                                                  const CallArguments &arguments) {
  if (arguments.positional.size() > parameters.size())
    return hostError("TypeError", (callee + "() takes " + Twine(parameters.size()) + " arguments, got " +
                                   Twine(arguments.positional.size()))
                                      .str());
  std::vector<Value> values = arguments.positional;
  for (const LayoutField &parameter : parameters.drop_front(values.size())) {
    auto keyword = llvm::find_if(arguments.keywords, [&](const auto &item) { return item.first == parameter.name; });
    if (keyword != arguments.keywords.end())
      values.push_back(keyword->second);
    else if (parameter.byDefault)
      values.push_back(*parameter.byDefault);
    else
      return hostError("TypeError", (callee + "() is missing '" + parameter.name + "'").str());
  }
  for (const auto &[name, value] : arguments.keywords) {
    const auto *known = llvm::find_if(parameters, [&](const LayoutField &parameter) { return parameter.name == name; });
    if (known == parameters.end())
      return hostError("TypeError", (callee + "() has no argument '" + name + "'").str());
    if (size_t(known - parameters.begin()) < arguments.positional.size())
      return hostError("TypeError", (callee + "() got two values for '" + name + "'").str());
  }
  return values;
}

// Text.

std::string gluon::layoutText(const LayoutClass &type, ArrayRef<Value> values) {
  std::string text = type.name + "(";
  for (auto [index, field] : llvm::enumerate(type.fields))
    text += (index ? ", " : "") + field.name + "=" + written(values[index], field.kind == FieldKind::Pair);
  return text + ")";
}

static std::string joined(const Value &list, StringRef separator, StringRef innerSeparator = "~") {
  return llvm::join(llvm::map_range(list.tuple()->elements,
                                    [&](const Value &element) {
                                      return element.tuple() ? joined(element, innerSeparator) : element.repr();
                                    }),
                    separator);
}

Expected<std::string> gluon::layoutSymbol(const Value &layout) {
  const LayoutClass *type = classOf(layout);
  if (!type)
    return hostError("TypeError", written(layout) + " is no layout");
  std::vector<Value> fields;
  for (const LayoutField &field : type->fields) {
    Expected<Value> value = ask(layout, field.name);
    if (!value)
      return value.takeError();
    fields.push_back(std::move(*value));
  }
  return layoutSymbol(*type, fields);
}

Expected<std::string> gluon::layoutSymbol(const LayoutClass &type, ArrayRef<Value> values) {
  const Fields fields(type, values);
  std::string symbol;
  StringRef format = type.symbolFormat;
  while (!format.empty()) {
    auto [plain, rest] = format.split('{');
    symbol += plain;
    auto [field, after] = rest.split('}');
    format = after;
    if (field.empty())
      continue;
    const bool isMarked = field.contains('!');
    auto [name, mark] = field.split('!');
    const Value &value = fields[name];
    const bool *flag = value.getIf<bool>();
    if (isMarked && mark == "r") {
      symbol += written(value);
    } else if (isMarked) {
      if (!value.isNone() && !(flag && !*flag))
        symbol += mark.str() + (value.tuple() ? joined(value, "x") : "");
    } else if (value.is<HostObject>()) {
      Expected<std::string> inner = layoutSymbol(value);
      if (!inner)
        return inner;
      symbol += *inner;
    } else {
      symbol += value.tuple() ? joined(value, "_") : value.repr();
    }
  }
  return symbol;
}
