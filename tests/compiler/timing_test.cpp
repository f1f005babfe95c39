// Timing of whole modules: which path is the slowest, and what a clock that it misses means.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

using Json = nlohmann::json;

const std::string kKernels = source_file("tests/compiler/kernels/timing.h");

Json timed(const std::string& top, const std::string& target = "ecp5") {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_hlsc(kKernels, "tests::" + top,
               {"--target", target, "--timing", "--report", folder.file("report.json")});
  INFO(top << "\n" << run.errors);
  REQUIRE(run.exit_code == 0);
  return Json::parse(read_file(folder.file("report.json"))).at("modules");
}

/// The slowest path of a module, the top by default.
Json slowest(const Json& modules, const std::string& module = "") {
  for (const Json& one : modules) {
    if (module.empty() ? &one == &modules.back() : one.at("module") == module) {
      return one.at("paths_estimated").at(0);
    }
  }
  throw std::out_of_range("no module " + module);
}

double slowest_ns(const std::string& top) { return slowest(timed(top)).at("ns"); }

}  // namespace

TEST_CASE("the slowest path is named by its registers and source lines") {
  const Json path = slowest(timed("Summed<3>"));
  CHECK(path.at("from") == "value_");
  CHECK(path.at("to") == "total_");
  REQUIRE(!path.at("positions").empty());
  for (const Json& position : path.at("positions")) {
    CHECK(position.get<std::string>().find(':') != std::string::npos);
  }
}

TEST_CASE("each sum on a path makes it longer") {
  const double one = slowest_ns("Summed<1>");
  const double two = slowest_ns("Summed<2>");
  const double four = slowest_ns("Summed<4>");
  CHECK(one < two);
  CHECK(two < four);
  CHECK(four - two > 1.5 * (two - one));
}

TEST_CASE("a path goes on through submodules until a register ends it") {
  const double once = slowest_ns("SquaredInTurn");
  const Json modules = timed("SquaredTwice");
  const Json path = slowest(modules);
  CHECK(path.at("from") == "second_.square");
  CHECK(path.at("to") == "result_");
  CHECK(path.at("ns").get<double>() > 1.7 * once);
  // The submodule alone is as fast as with registers around it.
  CHECK(slowest(modules, "systole_squared").at("ns").get<double>() == Approx(once).epsilon(0.1));
}

TEST_CASE("a chain of choices takes the time of a tree") {
  const double few = slowest_ns("Chosen<4>");
  CHECK(slowest_ns("Chosen<64>") < few + 8);  // 60 choices more, of which a table takes three
  CHECK(slowest_ns("Chosen<64>") > few + 1);
}

TEST_CASE("a wire with many loads is slower") {
  const Json wide = slowest(timed("Enabled<100>"));
  CHECK(wide.at("from") == "enable_");
  CHECK(wide.at("ns").get<double>() > slowest_ns("Enabled<2>") + 0.4);
}

TEST_CASE("a path goes on through an element that is stored and loaded in one clock") {
  const Json first = slowest(timed("Stored<true>"));
  CHECK(first.at("from") == "value_");
  CHECK(first.at("to") == "total_");
  const Json last = slowest(timed("Stored<false>"));
  CHECK(last.at("to") == "elements_");
  CHECK(first.at("ns").get<double>() > last.at("ns").get<double>() + 1);
}

TEST_CASE("a block RAM is slower than a register, a pipeline's stages and threads have paths") {
  const Json recalled = slowest(timed("Recalled"));
  CHECK(recalled.at("from").get<std::string>().starts_with("ram_."));
  CHECK(recalled.at("ns").get<double>() > slowest_ns("Summed<1>") + 3);
  const Json piped = slowest(timed("Piped"));
  CHECK(piped.at("from").get<std::string>().find("stage") != std::string::npos);
  const Json thread = slowest(timed("Process<&tests::multiplied>"));
  CHECK(thread.at("to") == "product");
  CHECK(thread.at("ns").get<double>() > 3);
}

TEST_CASE("every target has times") {
  for (const std::string target : {"generic", "ecp5", "xc7", "xcup"}) {
    CHECK(slowest(timed("Summed<3>", target)).at("ns").get<double>() > 1);
  }
}

TEST_CASE("a clock that a path misses is an error with the path, and nothing is written") {
  const double ns = slowest_ns("Summed<4>");
  const TemporaryFolder folder;
  const auto run = [&](double mhz, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "--target", "ecp5", "--clock-mhz", fmt::format("{:.3f}", mhz), "-o", folder.file("out.sv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_hlsc(kKernels, "tests::Summed<4>", arguments);
  };
  const ProgramRun missed = run(1010 / ns, {});
  CHECK(missed.exit_code == 1);
  CHECK(folder.names().empty());
  for (const char* words : {"hlsc: error: systole_summed needs ", "value_ -> total_",
                            "timing.h:", "--timing-allow-fail"}) {
    INFO(missed.errors);
    CHECK(missed.errors.find(words) != std::string::npos);
  }
  const ProgramRun allowed = run(1010 / ns, {"--timing-allow-fail"});
  CHECK(allowed.exit_code == 0);
  CHECK(allowed.errors.starts_with("hlsc: warning: systole_summed needs "));
  CHECK(folder.names() == std::vector<std::string>{"out.sv"});
  const ProgramRun met = run(990 / ns, {});
  CHECK(met.exit_code == 0);
  CHECK(met.errors.empty());
  CHECK(read_file(folder.file("out.sv")) ==
        run_hlsc(kKernels, "tests::Summed<4>", {"--target", "ecp5"}).output);
}

TEST_CASE("a submodule that misses the clock is named") {
  const ProgramRun run = run_hlsc(kKernels, "tests::SquaredInTurn", {"--clock-mhz", "900"});
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("systole_squared") != std::string::npos);
}

TEST_CASE("--timing prints modules with their slack, and leaves the SystemVerilog out") {
  const ProgramRun run = run_hlsc(kKernels, "tests::SquaredTwice",
                                  {"--clock-mhz", "20", "--timing", "--target", "ecp5"});
  REQUIRE(run.exit_code == 0);
  for (const char* words : {"Required: 20 MHz, 50.00 ns", "slack", "systole_squared_twice",
                            "second_.square -> result_", "estimates"}) {
    INFO(run.output);
    CHECK(run.output.find(words) != std::string::npos);
  }
  CHECK(run.output.find("endmodule") == std::string::npos);
}

}  // namespace systole::tests
