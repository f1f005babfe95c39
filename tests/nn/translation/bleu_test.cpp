#include "host/nn/translation/bleu.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace systole::tests {

TEST_CASE("BLEU agrees with a hand calculation", "[bleu]") {
  using Sentences = std::vector<std::vector<std::int32_t>>;
  // Six words of five; matches: 1, 2, 3, 5 of 1 2 3 3 5 6 -> 4 of 6 (3 counts once);
  // pairs 12, 23 of 5; triples 123 of 4; fours 0 of 3. The last three get 1 more on both sides.
  const nn::Bleu score = nn::bleu(Sentences{{1, 2, 3, 3, 5, 6}}, Sentences{{1, 2, 3, 4, 5}});
  CHECK(score.precisions[0] == Approx(4.0 / 6));
  CHECK(score.precisions[1] == Approx(3.0 / 6));
  CHECK(score.precisions[2] == Approx(2.0 / 5));
  CHECK(score.precisions[3] == Approx(1.0 / 4));
  CHECK(score.brevity_penalty == 1);
  CHECK(score.score == Approx(100 * std::pow(4.0 / 6 * 0.5 * 0.4 * 0.25, 0.25)));

  const nn::Bleu brief = nn::bleu(Sentences{{1, 2}, {7}}, Sentences{{1, 2, 3}, {7, 8, 9}});
  CHECK(brief.brevity_penalty == Approx(std::exp(-1.0)));
  CHECK(nn::bleu(Sentences{{4}}, Sentences{{5}}).score == 0);
  CHECK(nn::bleu(Sentences{{}}, Sentences{{5}}).score == 0);
  CHECK_THROWS_WITH(nn::bleu({}, {}), Catch::Contains("0 translations"));
  CHECK_THROWS_WITH(nn::bleu(Sentences{{1}}, {}), Catch::Contains("0 references"));
}

}  // namespace systole::tests
