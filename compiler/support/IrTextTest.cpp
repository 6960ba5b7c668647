#include "compiler/support/IrText.h"

#include <gtest/gtest.h>

using namespace triton;

/// What is wrong with the text; empty if nothing is.
static std::string refusal(std::string text, IrSyntax syntax = IrSyntax::Mlir) {
  auto source = Source::create("kernel.ttir", std::move(text));
  Diagnostics diagnostics;
  const bool isFine = isReadable(*source, syntax, diagnostics);
  EXPECT_EQ(isFine, diagnostics.all().empty());
  return isFine ? "" : diagnostics.all().front().message;
}

static std::string repeat(unsigned count, const std::string &piece) {
  std::string text;
  while (count-- > 0)
    text += piece;
  return text;
}

static const std::string tooDeep = "brackets are nested more than 200 deep";

TEST(IrText, EveryBracketCounts) {
  for (const char *bracket : {"(", "[", "{", "<", "tensor<", "!tt.ptr<", "loc(callsite(", "(<[{"}) {
    EXPECT_EQ(refusal(repeat(201, bracket)), tooDeep) << bracket;
    EXPECT_EQ(refusal(repeat(201, bracket), IrSyntax::Llvm), tooDeep) << bracket;
  }
  EXPECT_EQ(refusal(repeat(200, "(") + repeat(200, ")") + repeat(200, "[")), "");
  EXPECT_EQ(refusal(repeat(5000, "tensor<4xf32> ")), "");
}

TEST(IrText, WhatClosesNothingStaysOpen) {
  EXPECT_EQ(refusal(repeat(201, "( > ")), tooDeep);
  EXPECT_EQ(refusal(repeat(201, "<() -> ")), tooDeep) << "an arrow is no bracket";
  EXPECT_EQ(refusal(repeat(300, ") ] } > (")), "");
}

TEST(IrText, StringsAndCommentsAreNoCode) {
  EXPECT_EQ(refusal("// " + repeat(500, "(")), "");
  EXPECT_EQ(refusal("\"" + repeat(500, "(") + "\""), "");
  EXPECT_EQ(refusal("\"\\\"" + repeat(500, "(") + "\""), "") << "an escaped quote ends no string";
  EXPECT_EQ(refusal("\"\n" + repeat(201, "(")), tooDeep) << "a string ends with its line";
  EXPECT_EQ(refusal("; " + repeat(500, "("), IrSyntax::Llvm), "");
  EXPECT_EQ(refusal("c\"\\\"" + repeat(201, "("), IrSyntax::Llvm), tooDeep) << "LLVM has no escaped quotes";
  EXPECT_EQ(refusal("; " + repeat(201, "(")), tooDeep) << "nor MLIR such comments";
  EXPECT_EQ(refusal("// array<index: 1>, %a#70000"), "");
}

TEST(IrText, AliasesNestToo) {
  std::string chain = "!t0 = tuple<f32>\n";
  for (unsigned i = 1; i <= 201; ++i)
    chain += "!t" + std::to_string(i) + " = tuple<!t" + std::to_string(i - 1) + ">\n";
  EXPECT_EQ(refusal(chain), tooDeep);
  std::string row = "#a = 1 : i32\n";
  for (unsigned i = 0; i <= 500; ++i)
    row += "#b" + std::to_string(i) + " = [#a]\n";
  EXPECT_EQ(refusal(row), "");
}

TEST(IrText, NumbersThatAReaderTrusts) {
  EXPECT_EQ(refusal("array < index: 1>"), "the elements of an array attribute are integers or floats, not index");
  EXPECT_EQ(refusal("%a#65536"), "result number 65536 is larger than any op has results");
  EXPECT_EQ(refusal("%a#99999999999999999999999"),
            "result number 99999999999999999999999 is larger than any op has results");
  EXPECT_EQ(refusal("%a#65535 #b99999999"), "");
  const std::string message = "an affine expression has more than 200 operations";
  EXPECT_EQ(refusal("affine_map<(d0) -> (" + repeat(201, "-") + "d0)>"), message);
  EXPECT_EQ(refusal("affine_set<(d0) : (d0 >= " + repeat(201, "d0 floordiv\n") + "2)>"), message);
  EXPECT_EQ(refusal("affine_map<(d0) -> (d0 + 1)>" + repeat(300, "-")), "");
}
