#include "host/device/convert.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole {
namespace {

void check_sizes(const char* name, std::size_t source, std::size_t destination) {
  if (source != destination) {
    throw std::invalid_argument(fmt::format("{}: {} elements into {}", name, source, destination));
  }
}

}  // namespace

void convert_to_bf16(std::span<const float> source, std::span<std::uint16_t> destination) {
  check_sizes("convert_to_bf16", source.size(), destination.size());
  const float* from = source.data();
  std::uint16_t* to = destination.data();
  for (std::size_t i = 0; i < source.size(); ++i) to[i] = to_bf16(from[i]);
}

void convert_to_fp32(std::span<const std::uint16_t> source, std::span<float> destination) {
  check_sizes("convert_to_fp32", source.size(), destination.size());
  const std::uint16_t* from = source.data();
  float* to = destination.data();
  for (std::size_t i = 0; i < source.size(); ++i) to[i] = to_fp32(from[i]);
}

}  // namespace systole
