#include "host/capi/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>

namespace systole::capi {
namespace {

using graph::Element;

std::int64_t size_bytes(Element element) {
  switch (element) {
    case Element::kBf16:
      return 2;
    case Element::kS8:
    case Element::kU8:
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

bool is_narrow(const Port& port) { return size_bytes(port.type.element) != sizeof(std::uint32_t); }

std::uint32_t widen(Element element, const std::byte* from) {
  switch (element) {
    case Element::kBf16:
      return static_cast<std::uint32_t>(*reinterpret_cast<const std::uint16_t*>(from)) << 16;
    case Element::kS8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(*from));
    case Element::kU8:
      return static_cast<std::uint32_t>(*from);
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

std::uintptr_t begin_of(const systole_buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data);
}
std::uintptr_t end_of(const systole_buffer& buffer) {
  return begin_of(buffer) + static_cast<std::uintptr_t>(buffer.size_bytes);
}

void match_core(std::string_view what, const std::vector<Port>& ports,
                std::span<const systole_buffer> buffers, std::span<const systole_buffer*> matched) {
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
    const bool is_left = port.stays && buffer.data == nullptr && buffer.size_bytes == 0;
    if (!is_left &&
        (buffer.size_bytes != port.size_bytes || (buffer.data == nullptr && port.size_bytes > 0))) {
      throw std::invalid_argument(fmt::format(
          "{} {} ('{}') is {}, which takes {} bytes, not {}: compile a program for each "
          "shape",
          what, place, port.name, to_string(port.type), port.size_bytes,
          buffer.data == nullptr ? 0 : buffer.size_bytes));
    }
    matched[place] = &buffer;
  }
}

}  // namespace

std::vector<Port> input_ports(const graph::Graph& graph) {
  std::vector<Port> ports;
  for (const graph::Input& input : graph.inputs()) {
    ports.push_back(port(graph, input.name, input.value, input.updated_by));
  }
  return ports;
}

std::vector<Port> output_ports(const graph::Graph& graph) {
  std::vector<Port> ports;
  for (const graph::Output& output : graph.outputs()) {
    ports.push_back(port(graph, output.name, output.value));
  }
  return ports;
}

Buffers match(std::string_view what, const std::vector<Port>& ports,
              std::span<const systole_buffer> buffers, std::size_t cores) {
  if (buffers.size() != cores * ports.size()) {
    throw std::invalid_argument(
        fmt::format("{} {}s are given; the program has {}{}", buffers.size(), what, ports.size(),
                    cores == 1 ? "" : fmt::format(" on each of {} cores", cores)));
  }
  Buffers matched(buffers.size());
  for (std::size_t first = 0; first < buffers.size(); first += ports.size()) {
    match_core(what, ports, buffers.subspan(first, ports.size()),
               std::span(matched).subspan(first, ports.size()));
  }
  return matched;
}

void check_overlap(const std::vector<Port>& input_ports, const std::vector<Port>& output_ports,
                   const Buffers& inputs, const Buffers& outputs) {
  std::map<std::uintptr_t, std::size_t> by_begin;  // outputs, none over another
  // The output that begins last before `buffer` ends.
  const auto last_before = [&](const systole_buffer& buffer) {
    const auto after = by_begin.lower_bound(end_of(buffer));
    const bool overlaps =
        after != by_begin.begin() && end_of(*outputs[std::prev(after)->second]) > begin_of(buffer);
    return overlaps ? std::optional(std::prev(after)->second) : std::nullopt;
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->size_bytes == 0) continue;
    if (const auto other = last_before(*outputs[i])) {
      throw std::invalid_argument(fmt::format("outputs {} and {} overlap", *other, i));
    }
    by_begin.emplace(begin_of(*outputs[i]), i);
  }
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (inputs[j]->size_bytes == 0) continue;
    const auto over = last_before(*inputs[j]);
    if (!over) continue;
    const bool is_same_core = j / input_ports.size() == *over / output_ports.size();
    const auto updates = input_ports[j % input_ports.size()].updated_by;
    const bool is_update = is_same_core && inputs[j]->data == outputs[*over]->data &&
                           updates == static_cast<int>(*over % output_ports.size());
    if (is_update) continue;
    throw std::invalid_argument(fmt::format(
        "output {} lies over input {}, which it does not update: give it memory of its own", *over,
        j));
  }
}

const void* widened(const Port& port, const void* data, std::vector<std::uint32_t>& words) {
  if (!is_narrow(port)) return data;
  words.resize(static_cast<std::size_t>(graph::element_count(port.type.shape)));
  const auto* bytes = static_cast<const std::byte*>(data);
  for (std::uint32_t& word : words) {
    word = widen(port.type.element, bytes);
    bytes += size_bytes(port.type.element);
  }
  return words.data();
}

void* place_of(const Port& port, void* data, std::vector<std::uint32_t>& words) {
  if (!is_narrow(port)) return data;
  words.resize(static_cast<std::size_t>(graph::element_count(port.type.shape)));
  return words.data();
}

void narrow(const Port& port, const std::vector<std::uint32_t>& words, void* data) {
  if (!is_narrow(port)) return;
  auto* bytes = static_cast<std::byte*>(data);
  for (const std::uint32_t word : words) {
    narrow(port.type.element, word, bytes);
    bytes += size_bytes(port.type.element);
  }
}

}  // namespace systole::capi
