#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/kernel/axi_port.h"

namespace systole::sim {

/// The memory behind all AxiArrays of a function over arrays, for KernelBench: at addresses, with
/// latencies and with stalls that are drawn for each run.
///
/// Errors   ProtocolError as AxiPort; finish() tells of bytes beside an array that were written
class KernelMemory final : public cosim::AxiPorts {
 public:
  void start(const std::vector<cosim::KernelArgument>& arguments, cosim::KernelPorts& ports,
             cosim::Random& random) override;
  void drive(cosim::KernelPorts& ports) override;
  void transfer(cosim::KernelPorts& ports) override;
  std::string finish(std::vector<cosim::KernelArgument>& arguments) override;

 private:
  struct Array {
    std::string name;
    std::size_t element_bytes;
    std::size_t count;
    std::uint64_t block;            ///< what was allocated
    std::size_t first;              ///< byte of element 0 in it
    std::vector<std::byte> before;  ///< the block's bytes
  };

  DeviceMemory memory_;
  std::vector<Array> arrays_;
  std::vector<AxiPort> ports_;
};

}  // namespace systole::sim
