// The kernel first: after <ctime>, its `clock()` would also be the C library's.
// clang-format off
#include "tests/compiler/kernels/slices.h"
// clang-format on
#include <Vslices.h>
#include <slices_ports.h>

#include <catch2/catch.hpp>

#include "tests/compiler/lockstep_difference.h"

namespace systole::tests {
namespace {

constexpr int kFaultEdge = 1234;

TEST_CASE("A bit of RTL that is not its C++'s is found with edge, port, values and seed",
          "[lockstep]") {
  const std::string found = difference<Vslices, Slices>(kslicesInputs, kslicesOutputs, kFaultEdge);
  CHECK(found.starts_with("edge 1234: port middle_o is 0x"));
  CHECK(found.ends_with(" (seed 1592590385)"));
}

}  // namespace
}  // namespace systole::tests
