// Makes broken programs from good ones, repeatably: the same corpus, seed and number give the same text.
//   In:  texts of Python or IR.
//   Out: one of them with a few tokens or lines deleted, repeated, swapped, taken from another, or replaced by awkward
//   ones.
// Knows tokens only roughly; it need not, since what it makes is meant to be wrong.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace triton::fuzz {

class Mutator {
public:
  Mutator(std::vector<std::string> corpus, uint64_t seed);
  std::string make(uint64_t number) const;

private:
  using Tokens = std::vector<std::string>;
  using Random = std::mt19937_64;

  void mutate(Tokens &tokens, Random &random) const;
  void replaceByItsLike(Tokens &tokens, Random &random) const;

  std::vector<Tokens> corpus;
  Tokens vocabulary;          // every token of the corpus once, and awkward ones
  std::vector<Tokens> byKind; // the same, sorted by what they look like
  uint64_t seed;
};

} // namespace triton::fuzz
