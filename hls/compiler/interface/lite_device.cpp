#include <fmt/format.h>

#include <algorithm>

#include "hls/compiler/compiler.h"
#include "hls/compiler/interface/lite_texts.h"

namespace systole::compiler {
namespace {

/// A channel's port of the device, and the register file's port that it is.
struct LitePort {
  const char* name;
  int width;
  bool is_input;
  const char* inside;
};
constexpr LitePort kLitePorts[] = {
    {"s_axil_awvalid", 1, true, "write_address_valid"},
    {"s_axil_awready", 1, false, "write_address_ready"},
    {"s_axil_awaddr", 12, true, "write_address_data"},
    {"s_axil_wvalid", 1, true, "write_data_valid"},
    {"s_axil_wready", 1, false, "write_data_ready"},
    {"s_axil_wdata", 32, true, "write_data_data_data"},
    {"s_axil_wstrb", 4, true, "write_data_data_strobe"},
    {"s_axil_bvalid", 1, false, "write_response_valid"},
    {"s_axil_bready", 1, true, "write_response_ready"},
    {"s_axil_bresp", 2, false, "write_response_data"},
    {"s_axil_arvalid", 1, true, "read_address_valid"},
    {"s_axil_arready", 1, false, "read_address_ready"},
    {"s_axil_araddr", 12, true, "read_address_data"},
    {"s_axil_rvalid", 1, false, "read_data_valid"},
    {"s_axil_rready", 1, true, "read_data_ready"},
    {"s_axil_rdata", 32, false, "read_data_data_data"},
    {"s_axil_rresp", 2, false, "read_data_data_response"},
};

const char* suffix(bool is_input) { return is_input ? "_i" : "_o"; }

std::string range(int width) { return width == 1 ? "" : fmt::format("[{}:0] ", width - 1); }

std::string declared(bool is_input, int width, const std::string& name) {
  return fmt::format("  {} logic {}{}", is_input ? "input " : "output", range(width), name);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + (i + 1 < lines.size() ? ",\n" : "\n");
  }
  return text;
}

}  // namespace

std::string lite_device(const KernelReport& kernel, const std::vector<LiteRegister>& registers,
                        const std::string& made) {
  const std::string module = kModulePrefix + kernel.kernel;
  std::vector<std::string> ports = {declared(true, 1, "clk_i"), declared(true, 1, "rst_ni")};
  std::vector<std::string> to_registers = {"    .clk_i(clk_i)", "    .rst_ni(rst_ni)"};
  std::vector<std::string> to_kernel = to_registers;
  std::string wires;
  const auto connect = [](const std::string& port, const std::string& wire) {
    return fmt::format("    .{}({})", port, wire);
  };
  for (const LitePort& port : kLitePorts) {
    const std::string outside = std::string(port.name) + suffix(port.is_input);
    ports.push_back(declared(port.is_input, port.width, outside));
    to_registers.push_back(connect(std::string(port.inside) + suffix(port.is_input), outside));
  }
  for (const PortReport& port : kernel.ports) {
    const std::string name = port.base + suffix(port.is_input);
    const bool is_scalar = port.kind == PortKind::kArgument || port.kind == PortKind::kAddress ||
                           port.kind == PortKind::kResult;
    if (port.kind == PortKind::kOther) {
      ports.push_back(declared(port.is_input, port.width, name));
      to_kernel.push_back(connect(name, name));
      continue;
    }
    std::string wire = port.base;
    std::string inside = port.base;
    if (is_scalar) {
      const bool is_result = port.kind == PortKind::kResult;
      const auto found = std::ranges::find_if(registers, [&](const LiteRegister& one) {
        return one.is_result == is_result &&
               (one.scalar == port.base || one.scalar == port.base + "_result");
      });
      wire = found->scalar;
      inside = (is_result ? "results_" : "arguments_") + found->scalar;
    }
    wires += fmt::format("  logic {}{};\n", range(port.width), wire);
    to_registers.push_back(connect(inside + suffix(!port.is_input), wire));
    to_kernel.push_back(connect(name, wire));
  }
  const bool has_error = std::ranges::any_of(
      kernel.ports, [](const PortReport& port) { return port.kind == PortKind::kError; });
  if (!has_error) to_registers.push_back(connect("error_i", "1'b0"));
  return fmt::format(
      "// {0}_device: {1} with its registers on AXI4-Lite.\n"
      "//\n"
      "// {2}. Do not edit.\n"
      "//   Registers  {1}.md\n"
      "\n"
      "module {0}_device (\n{3});\n"
      "\n"
      "{4}"
      "\n"
      "  {0}_registers u_registers (\n{5}  );\n"
      "\n"
      "  {0} u_{1} (\n{6}  );\n"
      "\n"
      "endmodule\n",
      module, kernel.kernel, made, joined(ports), wires, joined(to_registers), joined(to_kernel));
}

}  // namespace systole::compiler
