#include "host/distribute/resolver.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "host/distribute/strategy.h"
#include "tests/distribute/thread_ranks.h"

namespace systole::tests {
namespace {

// Sets $SYSTOLE_DEVICE while it lives, or unsets it.
class DeviceVariable {
 public:
  explicit DeviceVariable(const char* value) {
    if (const char* before = std::getenv("SYSTOLE_DEVICE")) before_ = before;
    set(value);
  }
  ~DeviceVariable() { set(before_ ? before_->c_str() : nullptr); }
  DeviceVariable(const DeviceVariable&) = delete;
  DeviceVariable& operator=(const DeviceVariable&) = delete;

 private:
  static void set(const char* value) {
    if (value != nullptr) {
      setenv("SYSTOLE_DEVICE", value, 1);
    } else {
      unsetenv("SYSTOLE_DEVICE");
    }
  }
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a resolver takes the option, then the variable, then the first accelerator",
          "[resolver]") {
  {
    const DeviceVariable unset(nullptr);
    const auto resolver = Resolver::connect();
    CHECK(resolver.device() == "model");
    CHECK(resolver.cores() == 8);
    CHECK(resolver.named_by() == "default");
  }
  const DeviceVariable variable("rtl:3");
  CHECK(Resolver::connect().device() == "rtl");
  CHECK(Resolver::connect().cores() == 3);
  CHECK(Resolver::connect().named_by() == "$SYSTOLE_DEVICE");
  CHECK(Resolver::connect({.cores = 2}).cores() == 2);
  CHECK(Resolver::connect({.device = "model"}).device() == "model");
  CHECK(Resolver::connect({.device = "model"}).cores() == 8);
  CHECK(Resolver::connect({.device = "cpu"}).cores() == 1);
  CHECK(Resolver::connect({.device = "cpu"}).why_cpu().empty());
}

TEST_CASE("a resolver takes a board by its port, with one core", "[resolver]") {
  const DeviceVariable variable("board:/dev/ttyUSB0@9600");
  CHECK(Resolver::connect().device() == "board:/dev/ttyUSB0@9600");
  CHECK(Resolver::connect().cores() == 1);
  CHECK(Resolver::connect({.device = "board:/dev/ttyUSB1"}).device() == "board:/dev/ttyUSB1");
  CHECK_THROWS_WITH(Resolver::connect({.cores = 2}),
                    Catch::Contains("board:/dev/ttyUSB0@9600") && Catch::Contains("has one"));
}

TEST_CASE("a resolver that finds nothing says so and what to do", "[resolver]") {
  const DeviceVariable unset(nullptr);
  CHECK_THROWS_AS(Resolver::connect({.device = "tpu9"}), NotConnected);
  CHECK_THROWS_WITH(Resolver::connect({.device = "tpu9"}),
                    Catch::StartsWith("not connected to a TPU runtime: unknown device 'tpu9'") &&
                        Catch::Contains("this build has cpu, model") &&
                        Catch::Contains("$SYSTOLE_DEVICE"));
}

TEST_CASE("a resolver falls back to the cpu where the caller allows it", "[resolver]") {
  const DeviceVariable variable("none");
  CHECK_THROWS_AS(Resolver::connect(), NotConnected);
  const auto resolver = Resolver::connect({.cpu_if_none = true});
  CHECK(resolver.device() == "cpu");
  CHECK(resolver.cores() == 1);
  CHECK_THAT(resolver.why_cpu(), Catch::Contains("unknown device 'none' of $SYSTOLE_DEVICE"));
  CHECK_THAT(initialize(resolver).description,
             Catch::StartsWith("not connected to a TPU runtime: ") &&
                 Catch::EndsWith("going on with 1 core of cpu, each 1 thread"));
}

TEST_CASE("a resolver refuses numbers of cores that make no sense", "[resolver]") {
  for (const char* text : {":", ":4", "model:", "model:0", "model:-1", "model:4x", "model:4.5"}) {
    CAPTURE(text);
    const DeviceVariable variable(text);
    CHECK_THROWS_WITH(Resolver::connect({.cpu_if_none = true}), Catch::Contains("NAME:CORES"));
  }
  CHECK_THROWS_WITH(Resolver::connect({.device = "cpu", .cores = 0}),
                    Catch::Contains("must be 1 to 1024"));
  CHECK_THROWS_AS(Resolver::connect({.device = "cpu", .cores = 1025}), std::invalid_argument);
}

TEST_CASE("initialize opens the cores and reports what it found", "[system]") {
  const auto system = initialize(Resolver::connect(
      {.device = "model", .machine = {.array_size = 4, .threads = 6}, .cores = 3}));
  CHECK(system.cores.size() == 3);
  CHECK(system.workers == 3);
  CHECK(system.ranks->size() == 1);
  CHECK(system.cores[2].info().array_size == 4);
  CHECK(system.description ==
        "connected to 3 cores of model, each a 4 x 4 array at 200 MHz (assumed)");
  CHECK_THROWS_WITH(
      initialize(Resolver::connect({.device = "model", .machine = {.array_size = 5}})),
      Catch::Contains("N can be"));
}

TEST_CASE("cores share the threads", "[system]") {
  const auto one = initialize(Resolver::connect({.device = "cpu", .machine = {.threads = 6}}));
  CHECK(one.workers == 1);
  CHECK(one.cores[0].info().threads == 6);
  const auto four =
      initialize(Resolver::connect({.device = "cpu", .machine = {.threads = 2}, .cores = 4}));
  CHECK(four.workers == 2);
  CHECK(four.cores[0].info().threads == 1);
}

TEST_CASE("a strategy numbers cores through the ranks", "[strategy]") {
  auto ranks = thread_ranks(3);
  auto system = initialize(Resolver::connect({.device = "cpu", .cores = 2}));
  system.ranks = ranks[1];
  const Strategy strategy(system);
  CHECK(strategy.cores() == 6);
  CHECK(strategy.local_cores() == 2);
  CHECK(strategy.first_core() == 2);
  CHECK_FALSE(strategy.is_first_rank());
  CHECK(strategy.rows_of(0, 8).first == 4);  // 2 2 1 1 1 1
  CHECK(strategy.rows_of(0, 8).count == 1);
}

TEST_CASE("a scope returns what it builds, and ends", "[strategy]") {
  const Strategy outer(system_of(Device::open("cpu"))), inner(system_of(Device::open("cpu")));
  CHECK(Strategy::current() == nullptr);
  const int made = outer.scope([&] {
    CHECK(Strategy::current() == &outer);
    inner.scope([&] { CHECK(Strategy::current() == &inner); });
    CHECK(Strategy::current() == &outer);
    return 7;
  });
  CHECK(made == 7);
  CHECK_THROWS(outer.scope([]() -> int { throw std::runtime_error("no"); }));
  CHECK(Strategy::current() == nullptr);
  CHECK_THROWS_AS(Strategy(System{}), std::invalid_argument);
}

}  // namespace systole::tests
