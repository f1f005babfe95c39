#pragma once

#include <string_view>

#include "host/capi/program.h"
#include "host/nn/training/program.h"

namespace systole::capi {

/// Products run on the device, everything else on this processor.
class ProductsProgram : public Program {
 public:
  /// Errors   GraphError for text that cannot be read
  ProductsProgram(std::shared_ptr<SharedDevice> device, std::string_view text);
  ~ProductsProgram() override;

 private:
  void execute(const Buffers& from, const Buffers& to) override;
  void read_output(std::size_t, void*) override {}  // none stays
  Counters counters() const override;

  std::unique_ptr<nn::Multiplier> multiplier_;
  std::unique_ptr<nn::Program> program_;
  std::vector<std::vector<std::uint32_t>> input_words_, output_words_;  ///< of narrow elements
};

}  // namespace systole::capi
