// The assertions that hlsc writes for the streams that a module gives out.

#include <Vimpatient.h>

#include <catch2/catch.hpp>

namespace systole::tests {
namespace {

/// Whether an assertion fails within some clocks in which the consumer's ready is as given.
bool breaks_a_rule(bool ready, int clocks) {
  VerilatedContext context;
  context.fatalOnError(false);
  Vimpatient model(&context);
  for (int clock = 0; clock < clocks && !context.gotError(); ++clock) {
    model.rst_ni = clock >= 2;
    model.in_i = ready;
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }
  return context.gotError();
}

TEST_CASE("the stream assertion finds a beat that changes before it is taken") {
  CHECK(breaks_a_rule(false, 12));
}

TEST_CASE("a beat may change after it was taken") { CHECK(!breaks_a_rule(true, 40)); }

}  // namespace
}  // namespace systole::tests
