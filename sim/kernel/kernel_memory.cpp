#include "sim/kernel/kernel_memory.h"

#include <algorithm>

namespace systole::sim {
namespace {

/// Room in front of an array and after it: more than its address is drawn from.
constexpr std::uint32_t kMarginBytes = 4096;

MemoryBehaviour drawn(cosim::Random& random) {
  const bool stalls = random.below(2) != 0;
  const auto often = [&] { return static_cast<std::uint8_t>(stalls ? random.below(200) : 0); };
  MemoryBehaviour behaviour;
  behaviour.latency = random.between(1, 30);
  behaviour.write_latency = random.between(1, 30);
  behaviour.bursts = random.between(1, 8);
  behaviour.stalls = {.read_request = often(),
                      .read = often(),
                      .write_request = often(),
                      .write = often(),
                      .response = often()};
  behaviour.seed = random.bits();
  return behaviour;
}

}  // namespace

void KernelMemory::start(const std::vector<cosim::KernelArgument>& arguments,
                         cosim::KernelPorts& ports, cosim::Random& random) {
  for (const Array& array : arrays_) memory_.free(array.block);
  arrays_.clear();
  ports_.clear();
  for (const cosim::KernelArgument& one : arguments) {
    if (!AxiPort::is_port(one.name, ports)) continue;
    Array array{.name = one.name,
                .element_bytes = static_cast<std::size_t>(one.width) / 8,
                .count = one.words.size(),
                .block = 0,
                .first = 0,
                .before = {}};
    array.before.resize(array.count * array.element_bytes + 2 * kMarginBytes);
    for (std::byte& byte : array.before) byte = static_cast<std::byte>(random.bits());
    const auto bytes = static_cast<std::uint32_t>(array.element_bytes);
    array.first = random.below(kMarginBytes / bytes) * bytes;
    for (std::size_t i = 0; i < array.count; ++i) {
      for (std::size_t b = 0; b < bytes; ++b) {
        array.before[array.first + i * bytes + b] = static_cast<std::byte>(one.words[i] >> (8 * b));
      }
    }
    array.block = memory_.allocate(static_cast<std::int64_t>(array.before.size()));
    memory_.write(array.block, array.before);
    ports.set(one.name + "_address_i", array.block + array.first);
    ports_.emplace_back(one.name, ports, memory_, drawn(random));
    arrays_.push_back(std::move(array));
  }
}

void KernelMemory::drive(cosim::KernelPorts& ports) {
  for (const AxiPort& port : ports_) port.drive(ports);
}

void KernelMemory::transfer(cosim::KernelPorts& ports) {
  for (AxiPort& port : ports_) port.transfer(ports);
}

std::string KernelMemory::finish(std::vector<cosim::KernelArgument>& arguments) {
  for (const AxiPort& port : ports_) port.finish();
  for (const Array& array : arrays_) {
    std::vector<std::byte> after(array.before.size());
    memory_.read(array.block, after);
    const std::size_t end = array.first + array.count * array.element_bytes;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if ((i < array.first || i >= end) && after[i] != array.before[i]) {
        return array.name + ": a byte outside of the array is written";
      }
    }
    const auto argument = std::ranges::find(arguments, array.name, &cosim::KernelArgument::name);
    for (std::size_t i = 0; i < array.count; ++i) {
      cosim::Bits word = 0;
      for (std::size_t b = array.element_bytes; b-- > 0;) {
        word =
            word << 8 | static_cast<cosim::Bits>(after[array.first + i * array.element_bytes + b]);
      }
      argument->words[i] = word;
    }
  }
  return "";
}

}  // namespace systole::sim
