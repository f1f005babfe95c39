#pragma once

#include <span>
#include <string_view>

#include "host/device/device.h"
#include "host/device/energy_options.h"

namespace systole {

/// A named set of options for a device, and the source of its numbers.
struct Configuration {
  std::string_view name;
  std::string_view description;  ///< one line for `systole devices`
  DeviceOptions options;
  EnergyOptions energy = {};
};

/// The named configurations, the default one first.
///
/// Source   tpu-v2-core: N. P. Jouppi et al., "A domain-specific supercomputer for training deep
///          neural networks", CACM 63(7), 2020: two cores a chip, each with one 128 x 128 matrix
///          unit that multiplies bf16 and adds in fp32, at 700 MHz. The chip's memory gives 600
///          GB/s by the first published figures, so a core has 300 GB/s, or 428 bytes a clock, both
///          ways together; its bus here has 256 bytes, 179 GB/s each way. Assumed: its latency, its
///          buffer sizes, the whole control, which is that of this project's accelerator, and its
///          link to the host: sixteen lanes of PCIe 3.0 carry 8 GT/s each, of which 128 of 130 bits
///          are data (PCI Express Base Specification 3.0), and two cores share them. Its idle power
///          is half of a chip's 53 W (N. P. Jouppi et al., ISCA 2021, table 1). ulx3s: latency
///          and bandwidth are those of hls/board/board_memory.h, simulated, but its two bytes a
///          clock are shared by both ways, where a simulated device has them each way
std::span<const Configuration> configurations();

/// The configuration of this name, or null.
const Configuration* find_configuration(std::string_view name);

}  // namespace systole
