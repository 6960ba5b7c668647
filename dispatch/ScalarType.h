// The scalar types of the language, in one table: the names that mean one, its width, and what C and DLPack call it. Everybody asks this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace triton::dispatch {

/// In the order of triton_data_type, which begins after void.
enum class ScalarType : uint8_t {
  Void,
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E5,
  Float8E5B16,
  Float8E4NV,
  Float8E4B8,
  Float8E4B15,
  Float16,
  BFloat16,
  Float32,
  Float64,
};
/// Where there is none.
inline constexpr auto noScalarType = ScalarType(255);

struct ScalarTypeInfo {
  std::string_view name;      // what users read: "int32", "fp16"
  std::string_view alias;     // the attribute of `triton.language`: "float16"
  std::string_view signature; // "i32", "fp16"
  std::string_view others;    // what other libraries, Python and C call it, between spaces
  std::string_view cType;     // of an argument; floats that C does not have are passed as their bits
  uint8_t bits;
  uint8_t mantissa;
  uint16_t bias; // of floating-point numbers
  bool isInteger, isSigned;
  uint8_t dlpackCode;
};

inline constexpr uint8_t noDlpackCode = 255;
inline constexpr std::array<ScalarTypeInfo, 19> scalarTypes = {{
    {"void", "void", "void", "", "", 0, 0, 0, false, false, noDlpackCode},
    {"int1", "int1", "u1", " bool uint1 i1 ", "uint8_t", 1, 0, 0, true, false, 6},
    {"int8", "int8", "i8", "", "int8_t", 8, 0, 0, true, true, 0},
    {"int16", "int16", "i16", "", "int16_t", 16, 0, 0, true, true, 0},
    {"int32", "int32", "i32", " int ", "int32_t", 32, 0, 0, true, true, 0},
    {"int64", "int64", "i64", "", "int64_t", 64, 0, 0, true, true, 0},
    {"uint8", "uint8", "u8", "", "uint8_t", 8, 0, 0, true, false, 1},
    {"uint16", "uint16", "u16", "", "uint16_t", 16, 0, 0, true, false, 1},
    {"uint32", "uint32", "u32", "", "uint32_t", 32, 0, 0, true, false, 1},
    {"uint64", "uint64", "u64", "", "uint64_t", 64, 0, 0, true, false, 1},
    {"fp8e5", "float8e5", "fp8e5", " float8_e5m2 ", "uint8_t", 8, 2, 15, false, false, 12},
    {"fp8e5b16", "float8e5b16", "fp8e5b16", " float8_e5m2fnuz ", "uint8_t", 8, 2, 16, false, false, 13},
    {"fp8e4nv", "float8e4nv", "fp8e4nv", " float8_e4m3fn ", "uint8_t", 8, 3, 7, false, false, 10},
    {"fp8e4b8", "float8e4b8", "fp8e4b8", " float8_e4m3fnuz ", "uint8_t", 8, 3, 8, false, false, 11},
    {"fp8e4b15", "float8e4b15", "fp8e4b15", "", "uint8_t", 8, 3, 15, false, false, noDlpackCode},
    {"fp16", "float16", "fp16", " half ", "uint16_t", 16, 10, 15, false, false, 2},
    {"bf16", "bfloat16", "bf16", "", "uint16_t", 16, 7, 127, false, false, 4},
    {"fp32", "float32", "fp32", " float ", "float", 32, 23, 127, false, false, 2},
    {"fp64", "float64", "fp64", " double ", "double", 64, 52, 1023, false, false, 2},
}};

constexpr const ScalarTypeInfo &infoOf(ScalarType type) { return scalarTypes[size_t(type)]; }
constexpr std::string_view signatureOf(ScalarType type) { return infoOf(type).signature; }
constexpr bool isFloating(ScalarType type) { return type >= ScalarType::Float8E5; }
/// That a value takes in memory: int1 has one.
constexpr unsigned bytesOf(ScalarType type) { return (infoOf(type).bits + 7) / 8; }

/// By one of the language's own names: "int32", "i32", "float16", "fp16".
constexpr std::optional<ScalarType> scalarTypeByName(std::string_view name) {
  if (name == "i1" || name == "B")
    return ScalarType::Int1;
  for (size_t index = 0; index < scalarTypes.size(); ++index)
    if (const ScalarTypeInfo &info = scalarTypes[index];
        name == info.name || name == info.alias || name == info.signature)
      return ScalarType(index);
  return std::nullopt;
}

/// By any name that somebody has for it: "half", "int", "float8_e4m3fn" too.
constexpr std::optional<ScalarType> scalarTypeByAnyName(std::string_view name) {
  if (auto type = scalarTypeByName(name))
    return type;
  for (size_t index = 0; index < scalarTypes.size(); ++index)
    for (std::string_view rest = scalarTypes[index].others; rest.size() > 1;) {
      rest.remove_prefix(1); // the space before it
      const size_t end = rest.find(' ');
      if (rest.substr(0, end) == name)
        return ScalarType(index);
      rest.remove_prefix(end);
    }
  return std::nullopt;
}

/// Of a DLPack tensor's elements.
constexpr std::optional<ScalarType> scalarTypeOfDlpack(uint8_t code, unsigned bits) {
  for (size_t index = 1; index < scalarTypes.size(); ++index)
    if (scalarTypes[index].dlpackCode == code && code != noDlpackCode && bytesOf(ScalarType(index)) * 8 == bits)
      return ScalarType(index);
  return std::nullopt;
}

} // namespace triton::dispatch
