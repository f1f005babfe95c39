#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/capi/buffers.h"
#include "host/compiler/program/step_program.h"
#include "host/cpu/program.h"

namespace systole::capi {

/// What one core of a DeviceProgram does: its program, and what stays on it from run to run.
/// Numbers, such as a learning rate or a count of steps, and what follows from them alone are this
/// processor's.
///
/// Limits   used with the device locked; the ports outlive it
class CoreStep {
 public:
  struct Ports {
    const std::vector<Port>& inputs;
    const std::vector<Port>& outputs;
    const std::vector<int>& updates;  ///< by output: the input that it updates, or -1
  };
  /// core: its number among those that run the step together. threads: this processor's
  ///
  /// Errors   as StepProgram
  CoreStep(const graph::Graph& step, const Ports& ports, Memory& memory, const DeviceSizes& sizes,
           int core, int threads);

  /// Takes a run's inputs.
  ///
  /// Errors   std::invalid_argument for an input that is neither given nor here
  void take(BufferList inputs);
  /// What the core has to run now; none if nothing is left for it. Unless finish follows, the run
  /// failed, and what the step updates is lost.
  std::optional<PlacedProgram> start();
  void finish();

  void read_output(std::size_t output, void* data);

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

  void compute_numbers();
  void feed_numbers();

  Ports ports_;
  std::unique_ptr<graph::CpuProgram> numbers_;   ///< null if there are none
  std::unique_ptr<lowering::StepProgram> step_;  ///< null if nothing is left for the device
  lowering::StepProgram::Feed feed_;             ///< kept: each run fills all of it
  std::vector<std::size_t> number_inputs_;       ///< of numbers_: the program's inputs
  std::vector<std::string> number_outputs_;
  std::map<std::string, Words> computed_;   ///< outputs of numbers_, by name
  std::map<std::string, graph::Type> fed_;  ///< those that the device reads
  std::vector<Role> roles_;                 ///< by input
  std::vector<bool> is_held_;               ///< by input: whether it may be left out
  std::vector<bool> is_at_risk_;            ///< is_held_ before the run that is under way
  std::vector<Words> held_;                 ///< by input: values of those that are not kState
};

}  // namespace systole::capi
