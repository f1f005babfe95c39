// Twenty-two functions of structs, Vecs, arrays, bools and enums are proved equal to their RTL, and
// a fault in each one's RTL is refuted.

#include <catch2/catch.hpp>

#include "hls/compiler/compiler.h"
#include "hls/compiler/prove/prove.h"
#include "tests/compiler/run_hlsc.h"

namespace systole::compiler {
namespace {

using tests::source_file;
using Verdict = Proof::Verdict;

struct Row {
  std::string file;
  std::string function;
  std::string right;  ///< once replaced by `wrong`, the RTL is not the function
  std::string wrong;
};

const std::vector<Row> kRows = {
    {"aggregates", "swap_lanes", "in_i[1*8 +: 8]", "in_i[14:7]"},
    {"aggregates", "split", "x_i[15:8]", "x_i[7:0]"},
    {"aggregates", "swap_parts", "p_high_i;", "p_low_i;"},
    {"aggregates", "sum_lanes", "in_i[1*8 +: 8]", "in_i[0*8 +: 8]"},
    {"aggregates", "picked", "{which_i, 3'd0}", "{which_i, 3'd1}"},
    {"aggregates", "by_shape", "shape_i == 2'd2", "shape_i == 2'd1"},
    {"aggregates", "is_three", "8'd3", "8'd131"},
    {"aggregates", "next_shape", "shape_i != 2'd2", "shape_i != 2'd0"},
    {"aggregates", "flags_of", "old_zero_i;", "old_carry_i;"},
    {"aggregates", "turned", "!record_valid_i", "record_valid_i"},
    {"aggregate_functions", "either", "b_lane_i[1*17 +: 17]", "b_lane_i[0*17 +: 17]"},
    {"aggregate_functions", "element_of_either", "!place_i", "place_i"},
    {"aggregate_functions", "product", "a_im_i", "a_re_i"},
    {"aggregate_functions", "sorted", " < ", " > "},
    {"aggregate_functions", "dot", "$signed(b_i[1*4 +: 4])", "b_i[1*4 +: 4]"},
    {"aggregate_functions", "least", "2'd2", "2'd3"},
    {"aggregate_functions", "blended", "back_green_i", "back_blue_i"},
    {"aggregate_functions", "decode", "word_i[6:4]", "word_i[9:7]"},
    {"aggregate_functions", "rotated", "by_i + 2'd1", "by_i + 2'd2"},
    {"aggregate_functions", "compared", "!=", "=="},
    {"aggregate_functions", "with_element", "place_i == 2'd2", "place_i == 2'd3"},
    {"aggregate_functions", "transposed_sum", "a_i[2*3 +: 3] +", "a_i[1*3 +: 3] +"},
    {"aggregate_functions", "swapped_rows", "m_i[0*3 +: 3]", "m_i[1*3 +: 3]"},
    {"wide", "wide_mix", "150'd5", "150'd4"},
    {"wide", "wide_quotient", " >> ", " >> 1 + "},
};

/// One stage, so that a name in the RTL is a name of the function.
Claim claim_of(const Row& row) {
  Claim claim{.source = {.file = source_file("tests/compiler/kernels/" + row.file + ".h"),
                         .top = "systole::tests::" + row.function,
                         .include_folders = {source_file(""), source_file("hls/include")},
                         .clang = "clang++-19"},
              .stages = 1};
  const GeneratedModule made = generate_function(claim.source, {.stages = 1});
  claim.verilog = made.text;
  claim.module = made.name;
  return claim;
}

TEST_CASE("functions of aggregates are proved, and a fault in each is refuted", "[prove]") {
  const Row row = GENERATE(from_range(kRows));
  Claim claim = claim_of(row);
  INFO(row.function << "\n" << claim.verilog);
  CHECK(prove(claim, {}).verdict == Verdict::kProved);
  const std::size_t body = claim.verilog.find("begin : stage_0");
  REQUIRE(body != std::string::npos);
  const std::size_t at = claim.verilog.find(row.right, body);
  REQUIRE(at != std::string::npos);
  claim.verilog.replace(at, row.right.size(), row.wrong);
  CHECK(prove(claim, {}).verdict == Verdict::kRefuted);
}

}  // namespace
}  // namespace systole::compiler
