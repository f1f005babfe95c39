#include "host/capi/processor_program.h"

#include "host/graph/text.h"

namespace systole::capi {
namespace {

graph::Products products_in(DataType precision) {
  return precision == DataType::kFp32   ? graph::Products::kFp32
         : precision == DataType::kInt8 ? graph::Products::kInt8
                                        : graph::Products::kBf16;
}

}  // namespace

ProcessorProgram::ProcessorProgram(std::shared_ptr<SharedDevice> shared, std::string_view text)
    : Program(std::move(shared)) {
  const auto graph =
      graph::read(text, graph::Scopes::kAsWritten, products_in(device().precision()));
  inputs_ = input_ports(*graph);
  outputs_ = output_ports(*graph);
  input_words_.resize(inputs_.size());
  output_words_.resize(outputs_.size());
  const int threads = device().device().info().threads;
  const auto lock = device().lock();
  lowering::ProductPrograms* products = device().products();
  if (products == nullptr) {
    program_.emplace(*graph, threads);
    return;
  }
  program_.emplace(*graph, threads,
                   [&](const graph::Graph& simple) { return products->kernels(simple); });
  fallbacks_ = program_->own_products();
}

ProcessorProgram::~ProcessorProgram() {
  const auto lock = device().lock();
  program_.reset();
}

Counters ProcessorProgram::counters() const {
  Counters counted = device().device().counters();
  if (device().products() != nullptr) return counted;
  counted += {.products = program_->products().count, .macs = program_->products().macs};
  return counted;
}

void ProcessorProgram::execute(const Buffers& from, const Buffers& to) {
  std::vector<const void*> inputs(from.size());
  std::vector<void*> outputs(to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    inputs[i] = widened(inputs_[i], from[i]->data, input_words_[i]);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    outputs[i] = place_of(outputs_[i], to[i]->data, output_words_[i]);
  }
  program_->run(inputs, outputs);
  for (std::size_t i = 0; i < to.size(); ++i) narrow(outputs_[i], output_words_[i], to[i]->data);
}

}  // namespace systole::capi
