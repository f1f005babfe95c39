#include "host/capi/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "host/driver/counters.h"
#include "host/graph/text.h"

namespace systole::capi {
namespace {

using graph::Element;
using Port = Program::Port;

std::int64_t size_bytes(Element element) {
  switch (element) {
    case Element::kBf16:
      return 2;
    case Element::kS8:
    case Element::kPred:
      return 1;
    default:
      return 4;
  }
}

Port port(const graph::Graph& graph, const std::string& name, int value, int updated_by = -1) {
  const graph::Type& type = graph.type(value);
  return {.name = name,
          .type = type,
          .updated_by = updated_by,
          .size_bytes = graph::element_count(type.shape) * size_bytes(type.element)};
}

// The evaluator has every element in four bytes.
std::uint32_t widen(Element element, const std::byte* from) {
  switch (element) {
    case Element::kBf16:
      return static_cast<std::uint32_t>(*reinterpret_cast<const std::uint16_t*>(from)) << 16;
    case Element::kS8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(*from));
    default:
      return *from != std::byte{0} ? 1 : 0;
  }
}

void narrow(Element element, std::uint32_t word, std::byte* to) {
  if (element == Element::kBf16) {
    *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(word >> 16);  // exact
  } else {
    *to = static_cast<std::byte>(word);
  }
}

// The buffers in the ports' order.
std::vector<const systole_buffer*> match(std::string_view what, const std::vector<Port>& ports,
                                         std::span<const systole_buffer> buffers) {
  if (buffers.size() != ports.size()) {
    throw std::invalid_argument(
        fmt::format("{} {}s are given; the program has {}", buffers.size(), what, ports.size()));
  }
  std::vector<const systole_buffer*> matched(ports.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const systole_buffer& buffer = buffers[i];
    std::size_t place = i;
    if (buffer.name != nullptr) {
      const auto found = std::ranges::find(ports, std::string_view(buffer.name), &Port::name);
      place = static_cast<std::size_t>(found - ports.begin());
      if (found == ports.end()) {
        throw std::invalid_argument(fmt::format("the program has no {} '{}'", what, buffer.name));
      }
    }
    const Port& port = ports[place];
    if (matched[place] != nullptr) {
      throw std::invalid_argument(
          fmt::format("{} {} ('{}') is given twice", what, place, port.name));
    }
    if (buffer.size_bytes != port.size_bytes || (buffer.data == nullptr && port.size_bytes > 0)) {
      throw std::invalid_argument(fmt::format(
          "{} {} ('{}') is {}, which takes {} bytes, not {}: compile a program for each "
          "shape",
          what, place, port.name, to_string(port.type), port.size_bytes,
          buffer.data == nullptr ? 0 : buffer.size_bytes));
    }
    matched[place] = &buffer;
  }
  return matched;
}

bool overlap(const systole_buffer& a, const systole_buffer& b) {
  const auto begin = [](const systole_buffer& buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer.data);
  };
  return begin(a) < begin(b) + static_cast<std::uintptr_t>(b.size_bytes) &&
         begin(b) < begin(a) + static_cast<std::uintptr_t>(a.size_bytes);
}

void check_overlap(const std::vector<Port>& ports, std::span<const systole_buffer* const> inputs,
                   std::span<const systole_buffer* const> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      const bool updates =
          ports[j].updated_by == static_cast<int>(i) && inputs[j]->data == outputs[i]->data;
      if (updates || !overlap(*outputs[i], *inputs[j])) continue;
      throw std::invalid_argument(fmt::format(
          "output {} lies over input {}, which it does not update: give it memory of its own", i,
          j));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!overlap(*outputs[i], *outputs[j])) continue;
      throw std::invalid_argument(fmt::format("outputs {} and {} overlap", j, i));
    }
  }
}

}  // namespace

void SharedDevice::need_own_process() const {
  if (owner_ == getpid()) return;
  throw ForkedError(
      "this device was opened before the process forked: open it in the new process, or start that "
      "with spawn instead of fork");
}

std::unique_lock<std::mutex> SharedDevice::lock() {
  need_own_process();
  return std::unique_lock(mutex_);
}

Program::Program(std::shared_ptr<SharedDevice> device, std::string_view text)
    : device_(std::move(device)) {
  const auto graph = graph::read(text);
  for (const graph::Input& input : graph->inputs()) {
    inputs_.push_back(port(*graph, input.name, input.value, input.updated_by));
  }
  for (const graph::Output& output : graph->outputs()) {
    outputs_.push_back(port(*graph, output.name, output.value));
  }
  input_words_.resize(inputs_.size());
  output_words_.resize(outputs_.size());
  const auto lock = device_->lock();
  // Locals, so that what a failure leaves is released under the lock.
  auto multiplier = std::make_unique<nn::Multiplier>(device_->device(), device_->precision());
  auto program =
      std::make_unique<nn::Program>(*graph, multiplier.get(), device_->device().info().threads);
  multiplier_ = std::move(multiplier);
  program_ = std::move(program);
}

Program::~Program() {
  const auto lock = device_->lock();
  program_.reset();
  multiplier_.reset();
}

void Program::run(std::span<const systole_buffer> inputs, std::span<const systole_buffer> outputs) {
  const auto from = match("input", inputs_, inputs), to = match("output", outputs_, outputs);
  check_overlap(inputs_, from, to);
  const auto lock = device_->lock();
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Element element = inputs_[i].type.element;
    const std::int64_t step = size_bytes(element);
    if (step == 4) {
      program_->read(inputs_[i].name, from[i]->data);
      continue;
    }
    std::vector<std::uint32_t>& words = input_words_[i];
    words.resize(static_cast<std::size_t>(graph::element_count(inputs_[i].type.shape)));
    const auto* bytes = static_cast<const std::byte*>(from[i]->data);
    for (std::uint32_t& word : words) {
      word = widen(element, bytes);
      bytes += step;
    }
    program_->read(inputs_[i].name, words.data());
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    void* data = to[i]->data;
    if (size_bytes(outputs_[i].type.element) != 4) {
      output_words_[i].resize(
          static_cast<std::size_t>(graph::element_count(outputs_[i].type.shape)));
      data = output_words_[i].data();
    }
    program_->write(outputs_[i].name, data);
  }
  const Counters device_before = device_->device().counters(), before = multiplier_->counted();
  multiplier_->start_step(runs_);
  program_->run();
  ++runs_;
  for (std::size_t i = 0; i < to.size(); ++i) {
    auto* bytes = static_cast<std::byte*>(to[i]->data);
    for (const std::uint32_t word : output_words_[i]) {
      narrow(outputs_[i].type.element, word, bytes);
      bytes += size_bytes(outputs_[i].type.element);
    }
  }
  Counters done = device_->device().counters() - device_before;
  done += multiplier_->counted() - before;
  const Stalls stalls = systole::stalls(done);
  last_run_ = {
      .clocks = done.cycles(),
      .products = done.products,
      .macs = done.macs,
      .stall_load = stalls.load,
      .stall_store = stalls.store,
      .stall_weights = stalls.weights,
      .stall_sums = stalls.sums,
      .stall_idle = stalls.idle + stalls.vector,
      .utilization = utilization(done, device_->device().info().array_size),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

systole_step Program::last_run() const {
  const auto lock = device_->lock();
  if (runs_ == 0) throw std::invalid_argument("the program has not run yet");
  return last_run_;
}

}  // namespace systole::capi
