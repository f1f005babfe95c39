#include "host/compiler/describe.h"

#include <algorithm>
#include <map>

namespace systole::lowering {
namespace {

class Words {
 public:
  explicit Words(const StepProgram& step) : step_(step), lowered_(step.lowered()) {}

  std::string write() {
    write_units();
    write_memory();
    write_program();
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  std::string name(int value) const {
    for (const graph::Input& input : lowered_.graph->inputs()) {
      if (input.value == value) return input.name;
    }
    for (const auto& [output, result] : lowered_.results) {
      if (result == value) return output;
    }
    if (const int input = lowered_.replaced_by(value); input >= 0) return name(input) + "'";
    return fmt::format("%{}", value);
  }
  std::string stored(int value) const {
    const Stored& stored = lowered_.stored[value];
    const bool word = stored.has(Format::kWord), bf16 = stored.has(Format::kBf16);
    return name(value) + (bf16 ? (word ? " fp32 bf16" : " bf16") : "") +
           (stored.has(Format::kTerms) ? " terms" : "") +
           (stored.has(Format::kTurned) ? " turned" : "") +
           (stored.has(Format::kInt8) ? " int8" : "") +
           (stored.has(Format::kInt8Turned) ? " int8 turned" : "");
  }
  std::string list(const std::vector<int>& values) const {
    std::string all;
    std::vector<int> named;
    for (const int value : values) {
      if (std::ranges::count(named, value) != 0) continue;
      all += (named.empty() ? "" : ", ") + stored(value);
      named.push_back(value);
    }
    return all;
  }

  static std::string what(const MatrixMatch& match) {
    const std::string batch =
        match.form.batch > 1 ? fmt::format("{} of ", match.form.batch) : std::string();
    return fmt::format("{}{} x {} x {}{}{}{}{}{}", batch, match.form.rows, match.form.depth,
                       match.form.cols, match.form.transpose_a ? ", A transposed" : "",
                       match.form.transpose_b ? ", B transposed" : "",
                       match.bias < 0 ? "" : ", bias",
                       match.relu        ? ", ReLU"
                       : match.mask >= 0 ? ", mask"
                                         : "",
                       match.column_sums < 0 ? "" : ", column sums");
  }
  static std::string what(const KernelCode& code) {
    constexpr const char* kWalks[] = {"", " by rows", " by padded rows"};
    return fmt::format("{} x {}{}, {} instructions{}", code.rows, code.cols,
                       kWalks[static_cast<std::size_t>(code.walk)], code.body.program.code.size(),
                       code.finish.empty()
                           ? ""
                           : fmt::format(" + {} for its sums",
                                         code.instructions() - code.body.program.code.size()));
  }

  void write_units() {
    for (std::size_t i = 0; i < lowered_.units.size(); ++i) {
      const Unit& unit = lowered_.units[i];
      const bool is_product = unit.product() != nullptr;
      line("{:<8} {}: {}; {} clocks", is_product ? "product" : "kernel", unit.name,
           is_product ? what(*unit.product()) : what(*unit.kernel()), step_.costs()[i]);
      line("         {} -> {}", list(unit.reads), list(unit.writes));
    }
  }

  void write_memory() {
    const MemoryPlan& plan = step_.plan();
    line(
        "memory   {} bytes: state {}, micro-programs {}, work {} at its peak, {} for each of {} "
        "steps",
        step_.size_bytes(), plan.state_bytes, plan.program_bytes, plan.work_bytes, plan.step_bytes,
        step_.most_steps());
  }

  void write_program() {
    std::map<device::Opcode, std::int64_t> counts;
    for (const device::CommandWord& command : step_.step_commands()) {
      ++counts[device::opcode_of(command)];
    }
    using device::Opcode;
    line(
        "program  {} commands a step: {} load, {} matmul, {} store, {} vector_program, "
        "{} vector_stream, {} vector_run, {} shapes and fences",
        step_.step_commands().size(), counts[Opcode::kLoad], counts[Opcode::kMatmul],
        counts[Opcode::kStore], counts[Opcode::kVectorProgram], counts[Opcode::kVectorStream],
        counts[Opcode::kVectorRun],
        counts[Opcode::kLoadShape] + counts[Opcode::kMatmulShape] + counts[Opcode::kStoreShape] +
            counts[Opcode::kStoreScale] + counts[Opcode::kFence]);
    std::int64_t array = 0, lanes = 0;
    for (std::size_t i = 0; i < lowered_.units.size(); ++i) {
      (lowered_.units[i].product() != nullptr ? array : lanes) += step_.costs()[i];
    }
    const double all = static_cast<double>(step_.estimated_clocks());
    line(
        "clocks   {} estimated by the planner; the array is busy for {} ({:.1f}%), the vector "
        "engine for {} ({:.1f}%)",
        step_.estimated_clocks(), array, 100 * static_cast<double>(array) / all, lanes,
        100 * static_cast<double>(lanes) / all);
  }

  const StepProgram& step_;
  const LoweredGraph& lowered_;
  std::string text_;
};

}  // namespace

std::string describe(const StepProgram& step) { return Words(step).write(); }

}  // namespace systole::lowering
