#include "host/energy/processor_energy.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/run_program.h"

namespace systole::energy {
namespace {

/// A folder as /sys/class/powercap is, with two packages and a part of one.
class Powercap {
 public:
  Powercap() {
    for (const char* name : {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"}) {
      std::filesystem::create_directories(folder_.file(name));
      write(std::string(name) + "/max_energy_range_uj", 10'000'000);
      write(std::string(name) + "/energy_uj", 1'000'000);
    }
  }
  void write(const std::string& file, std::uint64_t value) const {
    std::ofstream(folder_.file(file)) << value;
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  tests::TemporaryFolder folder_;
};

std::string cpuinfo(const std::string& vendor, int family, int model, const std::string& flags) {
  return fmt::format(
      "processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\n"
      "model name\t: A(R) Processor\nflags\t\t: fpu {} sse\n",
      vendor, family, model, flags);
}

}  // namespace

TEST_CASE("a processor's energy is its packages', without their parts", "[energy]") {
  const Powercap powercap;
  ProcessorEnergy energy(powercap.folder());
  CHECK(energy.is_shown());
  CHECK(energy.joules() == 0);
  powercap.write("intel-rapl:0/energy_uj", 3'500'000);
  powercap.write("intel-rapl:1/energy_uj", 1'500'000);
  powercap.write("intel-rapl:0:0/energy_uj", 9'000'000);
  CHECK(energy.joules() == Approx(3));
}

TEST_CASE("a counter that wraps goes on", "[energy]") {
  const Powercap powercap;
  ProcessorEnergy energy(powercap.folder());
  powercap.write("intel-rapl:0/energy_uj", 9'000'000);
  CHECK(energy.joules() == Approx(8));
  powercap.write("intel-rapl:0/energy_uj", 500'000);
  CHECK(energy.joules() == Approx(9.5));
}

TEST_CASE("a machine without counters shows no energy", "[energy]") {
  ProcessorEnergy energy("/nowhere");
  CHECK_FALSE(energy.is_shown());
  CHECK(energy.joules() == 0);
}

TEST_CASE("published power is that of the processor's family and model", "[energy]") {
  const auto power = published_power(cpuinfo("GenuineIntel", 6, 143, "avx512f amx_tile"));
  REQUIRE(power.has_value());
  CHECK(power->processor == "Xeon Platinum 8480+");
  CHECK(power->watts == 350);
  CHECK(power->cores == 56);
  CHECK_FALSE(power->by_features);
  const auto amd = published_power(cpuinfo("AuthenticAMD", 25, 1, "avx2 vaes"));
  REQUIRE(amd.has_value());
  CHECK(amd->processor == "EPYC 7763");
}

TEST_CASE("a model that cannot have the machine's flags is not believed", "[energy]") {
  // A Xeon E-2388G has no AMX.
  const auto power =
      published_power(cpuinfo("GenuineIntel", 6, 167, "avx512f avx512_bitalg amx_tile"));
  REQUIRE(power.has_value());
  CHECK(power->by_features);
  CHECK(power->processor == "Xeon 6980P");  // 3.9 W a core; the others with AMX take 5.5 and 6.3
  const auto unknown = published_power(cpuinfo("AuthenticAMD", 99, 1, "avx2"));
  REQUIRE(unknown.has_value());
  CHECK(unknown->by_features);
  CHECK(unknown->processor == "EPYC 7742");
}

TEST_CASE("a processor that no known one resembles has no published power", "[energy]") {
  CHECK_FALSE(published_power(cpuinfo("GenuineIntel", 6, 143, "avx2")));
  CHECK_FALSE(published_power(cpuinfo("CentaurHauls", 6, 143, "avx512f amx_tile")));
  CHECK_FALSE(published_power(""));
}

}  // namespace systole::energy
