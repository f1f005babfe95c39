#pragma once

#include <map>
#include <string_view>

#include "host/capi/program.h"
#include "host/compiler/program/step_program.h"
#include "host/cpu/program.h"

namespace systole::capi {

/// The whole step runs on the device, as one program. Inputs that the step updates stay there from
/// run to run; numbers, such as a learning rate or a count of steps, and what follows from them
/// alone are this processor's.
///
/// Limits   the device's types and operations (docs/lowering.md)
class DeviceProgram : public Program {
 public:
  /// updated_by: for each input the output with its next value, or -1; empty: as the text says.
  ///
  /// Errors   GraphError, with line and column, for text that cannot be read or does not lower;
  ///          std::invalid_argument for a device that runs no programs; MemoryFull
  DeviceProgram(std::shared_ptr<SharedDevice> device, std::string_view text,
                std::span<const std::int32_t> updated_by);
  ~DeviceProgram() override;

 private:
  using Words = std::vector<std::uint32_t>;
  enum class Role : std::uint8_t {
    kUnused,
    kNumber,    ///< this processor's
    kBatch,     ///< fed to the device in each run
    kState,     ///< on the device, which updates it
    kResident,  ///< on the device, and returned as it is
    kKept,      ///< returned as it is, and not used
  };

  void make_ports(const graph::Graph& step, std::span<const std::int32_t> updated_by);
  void compile(const graph::Graph& step);
  void execute(const Buffers& from, const Buffers& to) override;
  void take_inputs(const Buffers& from, lowering::StepProgram::Feed& feed);
  void compute_numbers();
  void run_step(lowering::StepProgram::Feed& feed);
  void read_output(std::size_t output, void* data) override;

  std::unique_ptr<graph::CpuProgram> numbers_;   ///< null if there are none
  std::unique_ptr<lowering::StepProgram> step_;  ///< null if nothing is left for the device
  std::vector<std::size_t> number_inputs_;       ///< of numbers_: the program's inputs
  std::vector<std::string> number_outputs_;
  std::map<std::string, Words> computed_;   ///< outputs of numbers_, by name
  std::map<std::string, graph::Type> fed_;  ///< those that the device reads
  std::vector<Role> roles_;                 ///< by input
  std::vector<int> updates_;                ///< by output: the input that it updates, or -1
  std::vector<bool> is_held_;               ///< by input: whether it may be left out
  std::vector<Words> held_;                 ///< by input: values of those that are not kState
};

}  // namespace systole::capi
