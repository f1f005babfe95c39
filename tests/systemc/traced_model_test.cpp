// A traced run has the same bits and clocks, and a file with the signals of the window.
#include "sim/systemc/traced_model.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "sim/systemc/systemc_device.h"
#include "tests/systemc/product_run.h"

namespace systole {
namespace {

using namespace sim;
using tests::ProductCase;
using tests::run_product;

std::uintmax_t traced_bytes(int array_size, const TraceWindow& window) {
  std::filesystem::remove(window.file);
  ProductCase which(8, 8, 8, 1);
  {
    const auto device = make_systemc_device(make_traced_model(array_size, window),
                                            make_native_model(array_size), which.memory);
    CHECK(run_product(which, *device, array_size, which.end).fault == device::FaultCode::kNone);
  }
  return std::filesystem::file_size(window.file);
}

}  // namespace

TEST_CASE("a window of a run is traced, and only the window", "[trace]") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string file = (folder / "systole_traced_model_test.fst").string();
  for (const int array_size : model_sizes()) {
    INFO("array " << array_size);
    // The second device is compared in every clock: tracing changes nothing.
    const auto whole = traced_bytes(array_size, {.file = file});
    const auto narrow = traced_bytes(array_size, {.file = file, .first = 100, .last = 120});
    const auto later = traced_bytes(array_size, {.file = file, .first = 1'000'000});
    CHECK(later > 0);
    CHECK(narrow > later);
    CHECK(whole > 2 * narrow);
    std::filesystem::remove(file);
  }
}

TEST_CASE("a trace of an unbuilt array, or into a missing folder, is refused", "[trace]") {
  CHECK_THROWS_WITH(make_traced_model(5, {.file = "unused.fst"}), Catch::Contains("no 5 x 5 RTL"));
  CHECK_THROWS_WITH(make_traced_model(model_sizes()[0], {.file = "/nonexistent/x.fst"}),
                    Catch::Contains("cannot be written"));
}

}  // namespace systole
