#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/capi/systole.h"
#include "host/graph/graph.h"

namespace systole::capi {

/// An input or output of a program, with memory in the caller's layout: bf16 takes two bytes, int8
/// and predicates one.
struct Port {
  std::string name;
  graph::Type type;
  int updated_by = -1;
  std::int64_t size_bytes = 0;
  bool stays = false;  ///< on the device: its buffer may be without data
};

std::vector<Port> input_ports(const graph::Graph& graph);
std::vector<Port> output_ports(const graph::Graph& graph);

/// One buffer for each port, in their order, of one core after the other.
using Buffers = std::vector<const systole_buffer*>;
using BufferList = std::span<const systole_buffer* const>;

/// Errors   std::invalid_argument for buffers that do not fit the ports of `cores` cores
Buffers match(std::string_view what, const std::vector<Port>& ports,
              std::span<const systole_buffer> buffers, std::size_t cores);

/// Errors   std::invalid_argument for an output that lies over anything but the input it updates
void check_overlap(const std::vector<Port>& inputs, const std::vector<Port>& outputs,
                   const Buffers& from, const Buffers& to);

/// A graph has every element in four bytes. These are the values of a caller's memory so, in
/// `words` if they do not lie there; and where to put an output's, which `narrow` then brings back.
const void* widened(const Port& port, const void* data, std::vector<std::uint32_t>& words);
void* place_of(const Port& port, void* data, std::vector<std::uint32_t>& words);
void narrow(const Port& port, const std::vector<std::uint32_t>& words, void* data);

}  // namespace systole::capi
