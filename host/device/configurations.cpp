#include "host/device/configurations.h"

#include <algorithm>
#include <array>

namespace systole {

std::span<const Configuration> configurations() {
  static const std::array all = {
      Configuration{.name = "default",
                    .description = "a 16 x 16 array for an FPGA; 200 MHz are assumed",
                    .options = {}},
      Configuration{.name = "tpu-v2-core",
                    .description =
                        "the matrix unit and clock of a TPU v2 core, on a bus of 256 bytes "
                        "and with this control",
                    .options = {.array_size = 128,
                                .clock_mhz = 700,
                                .clock_source = "assumed: a TPU v2's",
                                .memory = {.bytes_per_cycle = 428, .bus_bytes = 256, .mib = 8192},
                                .host_link = {.gbit_per_second = 63,
                                              .latency_us = 1,
                                              .source = "assumed: half of a PCIe 3.0 x16 link, "
                                                        "which a chip's two cores share"}},
                    .energy = {.process = "16 nm",
                               .memory = "HBM2",
                               .static_watts = 26.5,
                               .static_source = "half of an idle TPU v2's 53 W"}},
      Configuration{
          .name = "ulx3s",
          .description =
              "the FPGA board of docs/board.md, without its serial line, at the clock that "
              "its bitstream meets",
          .options = {.array_size = 4,
                      .clock_mhz = 50,
                      .clock_source = "routed for an LFE5U-85F-6",
                      .memory = {.latency_cycles = 12, .bytes_per_cycle = 2, .mib = 32},
                      .host_link = {.gbit_per_second = 2.4e-3,
                                    .latency_us = 1000,
                                    .source = "a serial line at 3,000,000 baud; its "
                                              "latency is assumed"}},
          .energy = {.process = ""}}};
  return all;
}

const Configuration* find_configuration(std::string_view name) {
  const auto all = configurations();
  const auto found = std::ranges::find(all, name, &Configuration::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace systole
