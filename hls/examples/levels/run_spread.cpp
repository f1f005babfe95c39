// The device with an image in its memory, run by its driver and compared with the function itself.
// clang-format off
#include "levels.h"
// clang-format on
#include <Vspread_device.h>

#include <cstdint>
#include <cstdio>

#include "sim/kernel/simulated_block.h"
#include "spread_device_ports.h"
#include "spread_driver.h"

int main() {
  constexpr int kPixels = 4000;
  constexpr std::uint32_t kGain = 41;
  constexpr std::uint64_t kMostClocks = 1'000'000;
  systole::sim::SimulatedBlock<Vspread_device> device(kspread_deviceInputs, kspread_deviceOutputs,
                                                      {.latency = 40, .write_latency = 40});
  SpreadDriver driver(device);

  const std::uint64_t image = device.memory().allocate(kPixels);
  const std::uint64_t result = device.memory().allocate(kPixels);
  const auto pixels = device.memory().elements<std::uint8_t>(image, kPixels);
  levels::Image in;
  for (int i = 0; i < kPixels; ++i) {
    pixels[i] = static_cast<std::uint8_t>(60 + i * i % 97);
    in[i] = systole::hls::UInt<8>::from(pixels[i]);
  }

  driver.set_image_address(image);
  driver.set_result_address(result);
  driver.set_pixels(kPixels);
  driver.set_gain(kGain);
  const std::uint64_t before = device.clocks();
  driver.start();
  while (!driver.done() && device.clocks() < kMostClocks) {
  }
  const std::uint64_t clocks = device.clocks() - before;

  levels::Image out;
  systole::hls::UInt<8> darkest;
  levels::spread(in, out, kPixels, kGain, darkest);
  int differ = driver.darkest() == darkest.value() ? 0 : 1;
  const auto results = device.memory().elements<std::uint8_t>(result, kPixels);
  for (int i = 0; i < kPixels; ++i) differ += results[i] == out[i].value() ? 0 : 1;
  std::printf("%d pixels in %llu clocks, polling included; darkest %u; %d differences\n", kPixels,
              static_cast<unsigned long long>(clocks), driver.darkest(), differ);
  return differ == 0 && !driver.error() ? 0 : 1;
}
