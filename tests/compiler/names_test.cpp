// Conditions stand as the source has them, under the names of its variables.

#include <catch2/catch.hpp>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

TEST_CASE("a condition stands as the source has it") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/turned.h"), "tests::Turned");
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("wire is_store = valid_i && (opcode_i == 8'd50);"));
  CHECK_THAT(run.output,
             Catch::Contains("wire starts = is_store && !busy_q && (missing_i == 3'd0) && "
                             "!stop_i;"));
  CHECK_THAT(run.output,
             Catch::Contains("wire is_blocked = is_store && !busy_q && (missing_i != 3'd0) && "
                             "!stop_i;"));
}

TEST_CASE("a negation or a test against a constant gets no name") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/turned.h"), "tests::Turned");
  for (const char* name : {"not_", "missing_is", "value_"}) {
    CHECK_THAT(run.output, !Catch::Contains(name));
  }
}

TEST_CASE("a struct that every way copies is copied once, before them") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/copied.h"), "tests::Copied");
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  for (const char* member : {"kind", "is_word", "tag"}) {
    const std::string copy = std::string("result_") + member + "_o <= step_" + member + "_q;";
    const std::size_t first = run.output.find(copy);
    REQUIRE(first != std::string::npos);
    CHECK(run.output.find(copy, first + 1) == std::string::npos);
  }
}

TEST_CASE("a word put together bit by bit is one concatenation") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/copied.h"), "tests::Copied");
  CHECK_THAT(run.output, Catch::Contains("flags_o <= {valid_i, step_tag_q[5:0], step_is_word_q"));
  CHECK_THAT(run.output, !Catch::Contains(" | "));
}

TEST_CASE("bits of a word that are one variable have its name, bits of two keep their places") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/fields.h"), "tests::Fields");
  INFO(run.output << run.errors);
  CHECK_THAT(run.output, Catch::Contains("wire [3:0] kind = word_i[7:4];"));
  CHECK_THAT(run.output, Catch::Contains("first_o <= (kind == 4'd3) ? kind : word_i[3:0];"));
  CHECK_THAT(run.output, Catch::Contains("second_o <= (kind == 4'd5) ? word_i[11:8] : 4'd1;"));
  CHECK_THAT(run.output, Catch::Contains("sum_o <= other_i + {4'd0, word_i[11:8]};"));
}

TEST_CASE("bits of a word are the members of the struct that the place reads it as") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/views.h"), "tests::Views");
  INFO(run.output << run.errors);
  CHECK_THAT(run.output, Catch::Contains("(move.place != 8'd0) && (move.type_ <= 6'd40)"));
  CHECK_THAT(run.output, Catch::Contains("(turn.angle != 8'd0) && (turn.speed <= 5'd20)"));
  CHECK_THAT(run.output, Catch::Contains("raised_o <= move.interrupt_;"));
  CHECK_THAT(run.output, Catch::Contains("queued_o <= queue_pop_data.speed;"));
}

TEST_CASE("a struct that is gathered from several words is no view of one") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/views.h"), "tests::Views");
  CHECK_THAT(run.output, Catch::Contains(".push_data_i({word_i[4:0], other_i})"));
}

TEST_CASE("fields of a float that a stage reads at several places are variables") {
  const ProgramRun run =
      run_hlsc(source_file("tests/compiler/kernels/conversions.h"), "tests::Conversions");
  INFO(run.output << run.errors);
  CHECK_THAT(run.output,
             Catch::Contains("{value_sign, value_exponent, value_fraction} = value_i;"));
  CHECK_THAT(run.output, Catch::Contains("is_nan = (value_exponent == 8'd255) && "
                                         "(value_fraction != 23'd0);"));
  CHECK_THAT(run.output, Catch::Contains("value_i[30:16]"));     // of an integer
  CHECK_THAT(run.output, Catch::Contains("sign = sum_i[31];"));  // of no float
}

TEST_CASE("an enum of a class template has its enumerators and their width") {
  const ProgramRun run =
      run_hlsc(source_file("tests/compiler/kernels/enums.h"), "tests::Phases<5>");
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("output logic [1:0] phase_o"));
  CHECK_THAT(run.output, Catch::Contains("PhaseRun = 2'd2"));
}

}  // namespace
}  // namespace systole::tests
