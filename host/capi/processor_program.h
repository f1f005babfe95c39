#pragma once

#include <optional>
#include <string_view>

#include "host/capi/program.h"
#include "host/cpu/program.h"

namespace systole::capi {

/// This processor runs the program. Its products and convolutions are programs of the device, each
/// of one operation; on cpu they run here.
class ProcessorProgram : public Program {
 public:
  /// Errors   GraphError for text that cannot be read; MemoryFull
  ProcessorProgram(std::shared_ptr<SharedDevice> device, std::string_view text);
  ~ProcessorProgram() override;

 private:
  void execute(const Buffers& from, const Buffers& to) override;
  void read_output(std::size_t, void*) override {}  // none stays
  Counters counters() const override;

  std::optional<graph::CpuProgram> program_;
  std::vector<std::vector<std::uint32_t>> input_words_, output_words_;  ///< of narrow elements
};

}  // namespace systole::capi
