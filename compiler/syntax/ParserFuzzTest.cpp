// Mutated programs, the same on every run: nothing one can write crashes the parser or breaks what it promises.
#include "compiler/syntax/Lexer.h"

#include <gtest/gtest.h>
#include <random>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
    "@triton.jit\ndef add(x_ptr, n, BLOCK: tl.constexpr):\n    pid = tl.program_id(0)\n    offs = pid * BLOCK + "
    "tl.arange(0, "
    "BLOCK)\n    mask = offs < n\n    x = tl.load(x_ptr + offs[:, None], mask=mask, other=0.0)\n    return x\n",
    "match p:\n  case [1, *_] | {'a': -1j + 2, **r} if x: pass\n  case A.B(c, d=None) as e:\n    pass\n  case (x, ): "
    "pass\n",
    "f'a{x!r:>{w}}b{{' \"c\" rf'''{f'{y = }'}\n''' t'{z:{q}}'\nu'\\N{BULLET}\\x41\\u1234\\777' b'\\0'\n",
    "async def f[T: int = 1, *Ts, **P](a, /, b: c = 1, *d: *e, f=2, **g) -> h:\n  async with a as b, c: await d\n"
    "  return [i async for i in x if y if z]\n",
    "with (a as b, c): pass\nwith (a, b) as c, d: pass\nwith (yield): pass\n",
    "try:\n  a\nexcept A, B:\n  b\nexcept* (C) as d:\n  e\nelse: f\nfinally:\n  g\n",
    "class C[T](B, *a, m=1, **k):\n  x: int = 1\n  (y): int\n  type X[T] = int\n  def f(self): nonlocal z; global w; "
    "del a, (b), [c]\n",
    "x = y = *a, b = {**a, 'b': c}, {*a}, {a: b for c, *d in e}, (lambda *a, b=1, **c: (yield)), [*a, b][1:2:3, ..., "
    "*c]\n",
    "x += 0xFF_f + 0b1 + 0o7 + 1_0.5e-3j if not a else b or c and d < e <= f is not g not in h @ i ** -j // ~k\n",
    "if a:\n\tif b: c; d\n\telif e:\n\t\tf\n\telse:\n\t\tg\nelif h: i\nelse:\n  j\nfor k, in *l, m: continue\nelse: "
    "break\n",
    "from . import (a as b, c,)\nfrom ...d.e import *\nimport f.g as h, i\nassert j, k\nraise l from m\nwhile (n := "
    "1): pass\n",
    "x = \\\n  1 # c\n\f\ny = '''a\r\nb''' ; \xCE\xBC\xEF\xAC\x81\xCC\x81 = 1\nprint(a for b in c)\n",
};

static std::vector<std::string> words() {
  std::vector<std::string> result = {"\n",
                                     "\n ",
                                     "\n  ",
                                     "\t",
                                     "\r",
                                     "\f",
                                     "\\\n",
                                     "#",
                                     "'",
                                     "\"",
                                     "'''",
                                     "f'",
                                     "f\"",
                                     "t'''",
                                     "rb'",
                                     "{{",
                                     "}}",
                                     "!r",
                                     "0x",
                                     "1e",
                                     "1_",
                                     "00",
                                     "1j",
                                     "\\N{",
                                     "\\u",
                                     "match ",
                                     "case ",
                                     "type ",
                                     "\xEF\xBB\xBF",
                                     "\xFF",
                                     "\xC3\xA9",
                                     "\xCC\x81",
                                     "# coding: latin-1\n",
                                     "_"};
#define TRITON_OPERATOR(Kind, Spelling) result.push_back(Spelling);
#define TRITON_KEYWORD(Kind, Spelling) result.push_back(" " Spelling " ");
#include "compiler/syntax/Tokens.def"
  return result;
}

TEST(ParserFuzz, MutatedProgramsBreakNoPromise) {
  std::mt19937 random(20240229);
  auto below = [&](size_t limit) { return limit ? random() % limit : 0; };
  std::vector<std::string> dictionary = words();
  dictionary.push_back(std::string(1, '\0'));
  constexpr int rounds = 60000;
  for (int round = 0; round < rounds; ++round) {
    std::string text = seeds[below(std::size(seeds))];
    if (below(4) == 0)
      text += seeds[below(std::size(seeds))];
    for (size_t mutations = 1 + below(6); mutations > 0; --mutations) {
      size_t at = below(text.size() + 1);
      switch (below(6)) {
      case 0:
        text.erase(at, 1 + below(3));
        break;
      case 1:
        text.erase(at, below(text.size() / 2 + 1));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
      case 3:
        if (at < text.size())
          text[at] = char(below(256));
        break;
      default:
        text.insert(at, dictionary[below(dictionary.size())]);
      }
    }
    SCOPED_TRACE(text);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  }
}

TEST(ParserFuzz, RepeatedPiecesEndInTime) {
  for (std::string piece : words()) {
    std::string text;
    while (text.size() < 20000)
      text += piece;
    for (const char *prefix : {"", "x = ", "f'{", "if a:\n "}) {
      std::string whole = prefix + text;
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(whole.data()), whole.size());
    }
  }
}
