#pragma once

#include <string_view>

#include "host/capi/core_step.h"
#include "host/capi/program.h"

namespace systole::capi {

/// The whole step runs on the device, as one program a core. Inputs that the step updates stay
/// there from run to run. Cores add their values over their links.
///
/// What the device lacks is refused; or, of a step with products, this processor computes it
/// between several programs of the device (CoreStep).
///
/// Limits   the device's types; its operations (docs/lowering.md), but for those of the host
class DeviceProgram : public Program {
 public:
  enum class Host : std::uint8_t { kRefused, kHelps };

  /// updated_by: for each input the output with its next value, or -1; empty: as the text says.
  /// host: whether this processor computes what the device lacks
  ///
  /// Errors   GraphError, with line and column, for text that cannot be read or does not lower;
  ///          std::invalid_argument for a device that runs no programs, or whose cores have no
  ///          links; MemoryFull
  DeviceProgram(std::shared_ptr<SharedDevice> device, std::string_view text,
                std::span<const std::int32_t> updated_by, Host host);
  ~DeviceProgram() override;

 private:
  void make_ports(const graph::Graph& step, std::span<const std::int32_t> updated_by);
  void compile(std::span<const std::unique_ptr<graph::Graph>> steps, Host host);
  void execute(BufferList from, BufferList to) override;
  void run_stage(std::size_t stage);
  void read_output(std::size_t output, void* data) override;

  std::vector<int> updates_;  ///< by output: the input that it updates, or -1
  std::vector<CoreStep> cores_;
  std::vector<bool> is_ordered_;  ///< by stage: whether cores are known to meet in one order
};

}  // namespace systole::capi
