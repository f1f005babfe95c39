#pragma once

#include <string_view>

#include "host/capi/program.h"
#include "host/capi/sum_meeting.h"
#include "host/cpu/program.h"

namespace systole::capi {

/// This processor runs the program, of several cores on a thread each, whose values it adds in the
/// order of the cores. Products and convolutions are programs of the core, each of one operation;
/// on cpu they run here.
class ProcessorProgram : public Program {
 public:
  /// Errors   GraphError for text that cannot be read; MemoryFull
  ProcessorProgram(std::shared_ptr<SharedDevice> device, std::string_view text);
  ~ProcessorProgram() override;

 private:
  using Words = std::vector<std::uint32_t>;
  struct Core {
    std::unique_ptr<graph::CpuProgram> program;
    std::vector<Words> input_words, output_words;  ///< of narrow elements
    std::vector<Words> sums;  ///< that other cores need alone: outputs after the program's own
  };

  void add_core(const graph::Graph& graph);
  void run_core(std::size_t core, BufferList from, BufferList to);
  void execute(BufferList from, BufferList to) override;
  void read_output(std::size_t, void*) override {}  // none stays
  Counters counters(std::size_t core) const override;

  std::vector<Core> cores_;
  SumMeeting meeting_;
};

}  // namespace systole::capi
