#include "host/capi/products_program.h"

#include "host/graph/text.h"

namespace systole::capi {

ProductsProgram::ProductsProgram(std::shared_ptr<SharedDevice> shared, std::string_view text)
    : Program(std::move(shared)) {
  const DataType precision = device().precision();
  const auto graph = graph::read(text, graph::Scopes::kAsWritten,
                                 precision == DataType::kFp32   ? graph::Products::kFp32
                                 : precision == DataType::kInt8 ? graph::Products::kInt8
                                                                : graph::Products::kBf16);
  inputs_ = input_ports(*graph);
  outputs_ = output_ports(*graph);
  input_words_.resize(inputs_.size());
  output_words_.resize(outputs_.size());
  const auto lock = device().lock();
  // Locals, so that what a failure leaves is released under the lock.
  auto multiplier = std::make_unique<nn::Multiplier>(device().device(), device().precision());
  auto program =
      std::make_unique<nn::Program>(*graph, multiplier.get(), device().device().info().threads);
  fallbacks_ = program->fallbacks();
  multiplier_ = std::move(multiplier);
  program_ = std::move(program);
}

ProductsProgram::~ProductsProgram() {
  const auto lock = device().lock();
  program_.reset();
  multiplier_.reset();
}

Counters ProductsProgram::counters() const {
  Counters counted = device().device().counters();
  counted += multiplier_->counted();
  return counted;
}

void ProductsProgram::execute(const Buffers& from, const Buffers& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    program_->read(inputs_[i].name, widened(inputs_[i], from[i]->data, input_words_[i]));
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    program_->write(outputs_[i].name, place_of(outputs_[i], to[i]->data, output_words_[i]));
  }
  multiplier_->start_step(runs());
  program_->run();
  for (std::size_t i = 0; i < to.size(); ++i) narrow(outputs_[i], output_words_[i], to[i]->data);
}

}  // namespace systole::capi
