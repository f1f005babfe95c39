// Functions over arrays on AXI4-Lite: what `hlsc --interface axi4lite` writes and refuses. That it
// runs is tests/loops/lite_device_test.cpp.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

const std::string kKernel = source_file("tests/compiler/kernels/axi_kernels.h");
const std::vector<std::string> kInterface = {"--interface", "axi4lite"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The keys of a JSON object.
std::set<std::string> keys(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

TEST_CASE("--interface writes registers, device, description, page and driver", "[interface]") {
  const TemporaryFolder folder;
  REQUIRE(run_hlsc(kKernel, "tests::axi_rows", with(kInterface, {"--output-dir", folder.path()}))
              .exit_code == 0);
  CHECK(folder.names() ==
        std::vector<std::string>{"axi_rows.json", "axi_rows.md", "axi_rows_driver.h",
                                 "systole_axi_bursts_2_8.sv", "systole_axi_bursts_4_8.sv",
                                 "systole_axi_reader_2_8.sv", "systole_axi_rows.sv",
                                 "systole_axi_rows_device.sv", "systole_axi_rows_registers.sv",
                                 "systole_axi_writer_4_8.sv"});
  const TemporaryFolder one;
  REQUIRE(run_hlsc(kKernel, "tests::axi_rows", with(kInterface, {"-o", one.file("all.sv")}))
              .exit_code == 0);
  CHECK(one.names() ==
        std::vector<std::string>{"all.sv", "axi_rows.json", "axi_rows.md", "axi_rows_driver.h"});
  CHECK(read_file(one.file("axi_rows_driver.h")) == read_file(folder.file("axi_rows_driver.h")));
}

TEST_CASE("the description of a function's registers has the form of the accelerator's",
          "[interface]") {
  const TemporaryFolder folder;
  REQUIRE(run_hlsc(kKernel, "tests::axi_dot", with(kInterface, {"--output-dir", folder.path()}))
              .exit_code == 0);
  const auto made = nlohmann::json::parse(read_file(folder.file("axi_dot.json")));
  const auto device = nlohmann::json::parse(read_file(source_file("hls/device/device.json")));
  std::set<std::string> known;
  for (const auto& one : device["registers"]) known.merge(keys(one));
  std::set<int> offsets;
  for (const auto& one : made["registers"]) {
    INFO(one.dump());
    for (const std::string& key : keys(one)) CHECK(known.count(key) == 1);
    CHECK(offsets.insert(one["offset"].get<int>()).second);
    CHECK(one["offset"].get<int>() % 4 == 0);
  }
  CHECK(made["register_rules"].is_array());
}

TEST_CASE("--interface refuses two registers of one name, at the function", "[interface]") {
  const TemporaryFolder folder;
  const std::string kernel = folder.file("names.h");
  std::ofstream(kernel)
      << "#include \"systole/hls/kernel.h\"\n"
         "using namespace systole::hls;\n"
         "void own(Vec<UInt<8>, 4>& out, UInt<8> control) { out[1] = control; }\n"
         "void shown(Vec<UInt<8>, 4>& out, UInt<8>& status) { out[1] = status = 3; }\n"
         "void half(Vec<UInt<8>, 4>& out, UInt<40> bus, UInt<8> bus_low) {\n"
         "  out[1] = truncate<UInt<8>>(bus >> bus_low);\n}\n"
         "void both(UInt<8>& sum, UInt<8> sum_result) { sum = sum ^ sum_result; }\n"
         "void apart(Vec<UInt<8>, 4>& out, UInt<40> bus, UInt<8> low) {\n"
         "  out[1] = truncate<UInt<8>>(bus >> low);\n}\n";
  const auto run = [&](const std::string& top) {
    return run_hlsc(kernel, top, with(kInterface, {"--output-dir", folder.file(top)}));
  };
  const auto refuses = [&](const std::string& top, const std::string& place,
                           const std::string& text) {
    const ProgramRun refused = run(top);
    INFO(refused.errors);
    CHECK(refused.exit_code == 1);
    CHECK(refused.errors.find(kernel + place + ": " + text) != std::string::npos);
  };
  refuses("own", ":3:6", "'control' would have a register 'control', as the block has; rename it");
  refuses("shown", ":4:6", "'status' would have a register 'status', as the block has; rename it");
  refuses("half", ":5:6", "'bus' would have a register 'bus_low', as 'bus_low' has; rename it");
  refuses("both", ":8:6", "'sum_result' would have a register 'sum_result', as 'sum_result' has");
  CHECK(run("apart").exit_code == 0);
}

TEST_CASE("--interface says what it is not for", "[interface]") {
  const TemporaryFolder folder;
  const ProgramRun nowhere = run_hlsc(kKernel, "tests::axi_rows", kInterface);
  CHECK(nowhere.exit_code == 1);
  CHECK(nowhere.errors.find("say where with --output-dir or -o") != std::string::npos);

  const ProgramRun module =
      run_hlsc(source_file("tests/compiler/kernels/state.h"), "tests::Feedback",
               with(kInterface, {"--output-dir", folder.path()}));
  CHECK(module.exit_code == 1);
  CHECK(module.errors.find("is no function over arrays") != std::string::npos);

  const std::string wide = folder.file("wide.h");
  std::ofstream(wide) << "#include \"systole/hls/kernel.h\"\n"
                         "using namespace systole::hls;\n"
                         "void wide(Vec<UInt<80>, 4>& out, UInt<80> value) { out[1] = value; }\n";
  const ProgramRun refused =
      run_hlsc(wide, "wide", with(kInterface, {"--output-dir", folder.file("out")}));
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("'value' has 80 bits") != std::string::npos);

  CHECK(run_hlsc(kKernel, "tests::axi_rows", {"--interface", "wishbone"}).exit_code == 2);
}

}  // namespace
}  // namespace systole::tests
