// Clocks of back-to-back tiles, and simulated clocks a second, of the native matrix unit and, where
// this build has them, of the Verilated ones.
#include <memory>

#include "sim/device/native_unit.h"
#include "tests/bench/unit_bench.h"
#ifdef SYSTOLE_HAS_RTL_BACKEND
#include "sim/verilator/verilated_models.h"
#endif

namespace systole::bench {
namespace {

template <int kN>
void register_native() {
  static const auto unit = std::make_unique<NativeUnit<kN>>();
  register_unit("native", *unit);
}

#ifdef SYSTOLE_HAS_RTL_BACKEND
void register_rtl() {
  for (const int size : verilated_sizes()) {
    with_verilated_unit(size, []<typename Unit>(std::unique_ptr<Unit> made) {
      static const std::unique_ptr<Unit> unit = std::move(made);
      register_unit("rtl", *unit);
    });
  }
}
#endif

}  // namespace
}  // namespace systole::bench

int main(int argc, char** argv) {
#ifdef SYSTOLE_HAS_RTL_BACKEND
  systole::bench::register_rtl();
#endif
  systole::bench::register_native<4>();
  systole::bench::register_native<8>();
  systole::bench::register_native<16>();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
