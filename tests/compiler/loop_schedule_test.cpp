// How functions over arrays are scheduled: what their modules' headers promise, and the picture.

#include <catch2/catch.hpp>
#include <string>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

const std::string kLoops = source_file("tests/compiler/kernels/loop_kernels.h");
const std::string kUnits = source_file("tests/compiler/kernels/unit_kernels.h");
const std::string kNetworks = source_file("tests/compiler/kernels/network_kernels.h");
const std::string kStreams = source_file("tests/compiler/kernels/stream_units.h");

/// The module of a function over arrays, whose first lines say how its loops run.
std::string module_of(const std::string& file, const std::string& function,
                      std::vector<std::string> options = {}) {
  const ProgramRun run = run_hlsc(file, "tests::" + function, options);
  INFO(run.output);
  REQUIRE(run.exit_code == 0);
  return run.output;
}

bool says(const std::string& module, const std::string& text) {
  return module.find(text) != std::string::npos;
}

TEST_CASE("a nest becomes one loop that fills and drains once") {
  const std::string module = module_of(kLoops, "matrix_product");
  INFO(module);
  CHECK(says(module, "Clocks  515 from"));  // 8 x 8 x 8, and 3
  CHECK(says(module, "512 iterations, one every 1 clock"));
}

TEST_CASE("a nest stays one where that is no slower: its outer loop is carried by memory") {
  const std::string module = module_of(kLoops, "carried_far");
  INFO(module);
  CHECK_FALSE(says(module, " with loop_kernels.h"));
  CHECK(says(module_of(kLoops, "carried_around"), " with loop_kernels.h"));
}

TEST_CASE("sequential() in an outer loop keeps it apart") {
  CHECK_FALSE(says(module_of(kLoops, "kept_apart"), " with loop_kernels.h"));
}

TEST_CASE(
    "a nest whose outer loop pops and pushes stays one; the inner loop's streams do not matter") {
  CHECK(says(module_of(kStreams, "scaled_rows"), " with stream_units.h"));
  CHECK_FALSE(says(module_of(kStreams, "framed"), " with stream_units.h"));
  CHECK_FALSE(says(module_of(kStreams, "axi_ratios"), " with stream_units.h"));
}

TEST_CASE("accesses in place overlap if no two iterations meet") {
  const std::string module = module_of(kLoops, "transposed");
  INFO(module);
  CHECK(says(module, "one every 2 clocks"));  // by the ports
  CHECK(says(module, "2 accesses in an iteration share one port of 'm'"));
}

TEST_CASE(
    "a word goes from a write to the next iteration's read beside the memory, where that pays") {
  const std::string module = module_of(kLoops, "histogram");
  INFO(module);
  CHECK(
      says(module, "64 iterations, one every 1 clock, 3 clocks each; passed from a write to the"));
  CHECK(says(module, "counts, 8 bits, where 4 bits of address are equal"));
  CHECK(says(module, "counts_is_passed_q ? counts_passed_q : counts_read_data_i"));
  CHECK_FALSE(says(module_of(kLoops, "transposed"), "_is_passed_q"));  // its ports allow no more
  CHECK_FALSE(says(module_of(kLoops, "histogram", {"--sequential"}), "_is_passed_q"));
}

TEST_CASE("copies of a loop to a bound that is a port run at once") {
  const std::string module = module_of(kLoops, "copies_to_ports");
  INFO(module);
  CHECK(says(module, "2 accesses in an iteration share one port of 'out'"));
  CHECK(says(module, "3 accesses in an iteration share one port of 'in'"));
  CHECK(says(module, "4 accesses in an iteration share one port of 'in'"));
  CHECK_FALSE(says(module, "it is left from several places"));
}

TEST_CASE("a local array is cleared only if its zeros may be read") {
  const std::string module = module_of(kLoops, "delayed");
  INFO(module);
  CHECK(says(module, "4 iterations, 1 clock each"));
  CHECK_FALSE(says(module, "8 iterations, 1 clock each"));
}

TEST_CASE("a nest that became one loop counts what it counted twice once") {
  const std::string module = module_of(kLoops, "rows_and_all");
  INFO(module);
  CHECK(says(module, "assign a_read_address_o = at_q;"));  // and not 7 x row + column
  CHECK(says(module, "assign b_read_address_o = at_q;"));
  CHECK_FALSE(says(module_of(kLoops, "matrix_product"), "indvars"));
}

TEST_CASE("a sum of products is added to its register, starts over there, and is stored from it") {
  const std::string module = module_of(kLoops, "rows_and_all");
  INFO(module);
  CHECK(says(module, "sum = (first_2_q ? 20'd3 : sum_q) + {{4{sum_partial[15]}}, sum_partial};"));
  CHECK(says(module, "assign rows_write_data_o = sum_q;"));
  CHECK_FALSE(says(module, "total_last_q"));  // the outer loop hands it on as it is
}

TEST_CASE("a block's clocks are bits that move on") {
  const std::string module = module_of(kLoops, "weighted");
  INFO(module);
  CHECK(says(module, "_valid_q <= {"));
  CHECK_FALSE(says(module, "state_q"));
}

TEST_CASE("a sum over a unit of four stages has an interval of four, and the line says why") {
  const std::string module = module_of(kUnits, "one_sum");
  INFO(module);
  CHECK(says(module, "20 iterations, one every 4 clocks"));
  CHECK(says(module, "needs 'total' of the iteration before"));
}

TEST_CASE("a division is a pipeline in a loop that overlaps, and a bit a clock elsewhere") {
  CHECK(says(module_of(kUnits, "ratios"), "Pipeline  division: "));
  const std::string states = module_of(kUnits, "greatest_common_divisor");
  CHECK_FALSE(says(states, "Pipeline  division"));
  CHECK(says(states, "division_quotient"));
  CHECK_FALSE(says(module_of(kUnits, "ratios", {"--sequential"}), "Pipeline  division"));
}

TEST_CASE("calls in one clock need units of their own, calls in turn share one") {
  const std::string module = module_of(kUnits, "products_in_turn");
  CHECK(says(module, "Pipeline  mac: 5 stages"));
  CHECK_FALSE(says(module, "mac_2"));
}

TEST_CASE("a wide product is cut into stages where the clock is short") {
  CHECK_FALSE(says(module_of(kLoops, "scaled"), "Pipeline  product"));
  CHECK(says(module_of(kLoops, "polynomial", {"--clock-mhz", "200", "--timing-allow-fail"}),
             "Pipeline  product: "));
}

TEST_CASE("--schedule-svg draws every operation, and refuses what has no loops") {
  const TemporaryFolder folder;
  const std::string file = folder.file("schedule.svg");
  module_of(kLoops, "scaled", {"--schedule-svg", file, "-o", folder.file("scaled.sv")});
  const std::string picture = read_file(file);
  CHECK(picture.starts_with("<svg "));
  CHECK(says(picture, ">read in</text>"));
  CHECK(says(picture, ">write out</text>"));
  CHECK(says(picture, "64 iterations, one every 1 clock"));
  const ProgramRun module = run_hlsc(source_file("tests/compiler/kernels/state.h"),
                                     "tests::Feedback", {"--schedule-svg", file});
  CHECK(module.exit_code == 1);
  CHECK(says(module.errors, "is no function over arrays"));
}

TEST_CASE("a dataflow() function's module names processes and channels, with sizes and clocks") {
  const std::string module = module_of(kNetworks, "sums_of_rows");
  INFO(module);
  CHECK(says(module, "//   Process weighted (network_kernels.h:"));
  CHECK(says(module, "//   Channel weighted -> summed: weights, 2 banks of 9 x 12 bits"));
  CHECK(says(module, "//   Channel summed -> stored: sums, 2 banks of 9 x 16 bits"));
  CHECK(says(module_of(kNetworks, "doubled_and_turned"), "middle, 1 bank of 21 x 8 bits"));
  CHECK(says(module_of(kNetworks, "scaled_twice"), "once, a queue of 1 x 10 bits"));
}

TEST_CASE("a network promises no clocks where a process's depend on data") {
  CHECK(says(module_of(kNetworks, "counted_down"), " or more, as its data says, from start_i"));
}

TEST_CASE(
    "streams that part and join at data's clocks are said to be unproved unless they are long") {
  const std::string module = module_of(kNetworks, "late_and_plain");
  INFO(module);
  CHECK(says(module, ": plain, a queue of 4 x 4 bits, not proved to be long enough"));
  CHECK(says(module, ": late, a queue of 12 x 5 bits, emptied after each run\n"));
  CHECK_FALSE(says(module_of(kNetworks, "counted_down"), "not proved"));
  CHECK_FALSE(says(module_of(kNetworks, "two_ways"), "not proved"));  // its clocks are known
}

TEST_CASE("a function that is called twice is one module") {
  const std::string module = module_of(kNetworks, "scaled_twice");
  CHECK(says(module, "module systole_scaled_twice_scaled_by ("));
  CHECK_FALSE(says(module, "module systole_scaled_twice_scaled_by_2 ("));
}

TEST_CASE("--schedule-svg draws a network's processes and channels") {
  const TemporaryFolder folder;
  const std::string file = folder.file("schedule.svg");
  module_of(kNetworks, "two_ways", {"--schedule-svg", file, "-o", folder.file("two_ways.sv")});
  const std::string picture = read_file(file);
  CHECK(picture.starts_with("<svg "));
  CHECK(says(picture, ">process delayed (network_kernels.h:"));
  CHECK(says(picture, ">channel split -> added: plain, a queue of 16 x 8 bits</text>"));
  CHECK(says(picture, " clocks from start_i to done_o; a bar is a run</text>"));
}

}  // namespace
}  // namespace systole::tests
