#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/capi/buffers.h"
#include "host/compiler/program/step_program.h"
#include "host/compiler/rewrites/host_stages.h"
#include "host/compiler/rewrites/separate_numbers.h"
#include "host/cpu/program.h"

namespace systole::capi {

/// What one core of a DeviceProgram does: its program, and what stays on it from run to run.
/// Numbers, such as a learning rate or a count of steps, and what follows from them alone are this
/// processor's.
///
/// A step with operations that the device lacks is several programs, one a stage. After each, this
/// processor computes those that follow from it. A state that other stages read than the one that
/// updates it is copied to them before each run.
///
/// Limits   used with the device locked; the ports outlive it
class CoreStep {
 public:
  struct Ports {
    const std::vector<Port>& inputs;
    const std::vector<Port>& outputs;
    const std::vector<int>& updates;  ///< by output: the input that it updates, or -1
  };
  struct Options {
    DeviceSizes sizes = {};
    int core = 0;           ///< its number among those that run the step together
    int threads = 1;        ///< this processor's
    bool has_host = false;  ///< whether this processor may compute what the device lacks
    graph::CpuProgram::Elsewhere elsewhere = {};  ///< for the products of that, in loops
  };
  /// Errors   as StepProgram
  CoreStep(const graph::Graph& step, const Ports& ports, Memory& memory, const Options& options);

  std::size_t stages() const { return stages_.size(); }
  /// The numbers of the sums over cores that a stage brings about.
  std::vector<int> sums(std::size_t stage) const {
    return stage < stages() ? sums_[stage] : std::vector<int>();
  }
  /// Why this processor computes a part of the step, and how much; empty if it does not.
  const std::string& on_host() const { return on_host_; }
  /// Its products, as CpuProgram names them.
  std::vector<std::string> own_products() const;

  /// Takes a run's inputs.
  ///
  /// Errors   std::invalid_argument for an input that is neither given nor here
  void take(BufferList inputs);
  /// What the core has to run in a stage, of which it may have fewer than others; none if nothing
  /// is left for it. Unless finish follows, the run failed, and what the step updates is lost.
  std::optional<PlacedProgram> start(std::size_t stage);
  /// Computes what this processor has to after a stage.
  void follow(std::size_t stage);
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
  using Named = std::vector<std::pair<std::string, graph::Type>>;
  struct Stage {
    std::unique_ptr<lowering::StepProgram> device;   ///< null if nothing is left for it
    lowering::StepProgram::Feed feed;                ///< kept: each run fills all of it
    std::set<std::string> batch, resident, updated;  ///< its inputs that are the step's own
    Named fed;                                       ///< all others
    std::set<std::string> outputs;                   ///< those of the step
    Named given;                                     ///< those that other parts of the step read
    std::unique_ptr<graph::CpuProgram> host;         ///< null if it has nothing to do
    Named read, made;                                ///< the host's inputs and outputs
  };

  void find_roles(const lowering::SeparatedStep& separated);
  void compile(const graph::Graph& step, Memory& memory, const Options& options);
  Stage make_stage(const lowering::Stage& graphs, Memory& memory, const Options& options) const;
  void need_words(const Named& values);
  void compute_numbers();
  void take_input(std::size_t input, const void* data);
  void take_left(std::size_t input);
  const Words& words_of(const std::string& name) const;
  std::size_t input_named(const std::string& name) const;

  Ports ports_;
  std::unique_ptr<graph::CpuProgram> numbers_;  ///< null if there are none
  std::vector<Stage> stages_;
  std::vector<std::vector<int>> sums_;
  std::string on_host_;
  std::vector<std::size_t> number_inputs_;  ///< of numbers_: the program's inputs
  std::vector<std::string> number_outputs_;
  std::map<std::string, Words> computed_;  ///< what parts of the step give others, by name
  std::vector<Role> roles_;                ///< by input
  std::vector<bool> needs_words_;          ///< by input: whether a part reads it from held_
  std::vector<int> homes_;                 ///< by input: the stage that updates it, or -1
  std::vector<bool> is_held_;              ///< by input: whether it may be left out
  std::vector<bool> is_at_risk_;           ///< is_held_ before the run that is under way
  std::vector<Words> held_;                ///< by input: the values of those that are no kState
};

}  // namespace systole::capi
