#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/device/program_device.h"
#include "sim/device/device_port.h"
#include "sim/device/vector_interpreter.h"
#include "systole/cosim/random.h"
#include "tests/vector/training_programs.h"

namespace systole::tests {

/// Adam on `count` parameters in a device's memory, as one program: w, m and v in place, a bf16
/// copy of w over the gradient.
class AdamOnDevice {
 public:
  AdamOnDevice(int array_size, Memory& memory, std::uint16_t count)
      : size_(array_size), memory_(memory), count_(count) {
    for (auto& tensor : tensors_) tensor = memory.allocate(4 * count);
    code_ = memory.allocate(64 * 8);
    constants_ = memory.allocate(32 * 4);
    ring_ = memory.allocate(64 * 16);
    cosim::Random random(11);
    for (std::size_t i = 0; i < 4; ++i) {
      values_[i].resize(count);
      for (std::uint32_t& value : values_[i]) {
        // Small numbers of both signs; v is positive.
        value = 0x3c00'0000 + random.below(0x200'0000) + (i == 2 ? 0 : random.below(2) << 31);
      }
      memory.write(tensors_[i], std::as_bytes(std::span(values_[i])));
    }
    write_commands();
  }

  PlacedProgram placed() const {
    return {.commands = commands_, .ring = ring_, .base = tensors_[0], .end = ring_ + 64 * 16};
  }

  /// w, m and v, and the halves of w.
  std::array<std::vector<std::uint32_t>, 4> result() const {
    std::array<std::vector<std::uint32_t>, 4> found;
    for (std::size_t i = 0; i < 4; ++i) {
      found[i].resize(count_);
      memory_.read(tensors_[i], std::as_writable_bytes(std::span(found[i])));
    }
    return found;
  }

  /// What `result` must be.
  std::array<std::vector<std::uint32_t>, 4> expected() const {
    const int lanes = size_;
    vector::Interpreter::Streams streams;
    auto in = values_;
    for (std::size_t i = 0; i < 4; ++i) {
      in[i].resize((count_ + lanes - 1) / lanes * lanes);
      streams.in[i] = in[i];
    }
    vector::Interpreter(lanes).run(adam(), {.words = words()}, streams);
    auto result = values_;
    for (std::size_t i = 0; i < 3; ++i) {
      result[i + 1].assign(streams.out[i].begin(), streams.out[i].begin() + count_);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint32_t half = streams.out[3][i] & 0xffff;
      std::uint32_t& pair = result[0][i / 2];
      pair = i % 2 == 0 ? (pair & 0xffff'0000) | half : (pair & 0xffff) | half << 16;
    }
    return result;
  }

  std::uint32_t words() const { return static_cast<std::uint32_t>((count_ + size_ - 1) / size_); }
  static vector::Program adam() {
    return vector::adam(
        {.rate = 0.001F, .one_less_beta1 = 0.1F, .one_less_beta2 = 0.001F, .epsilon = 1e-7F});
  }

 private:
  void write_commands() {
    const vector::Program program = adam();
    std::vector<std::uint64_t> code;
    for (const vector::Instruction& line : program.code) code.push_back(line.encode());
    memory_.write(code_, std::as_bytes(std::span(code)));
    memory_.write(constants_, std::as_bytes(std::span(program.constants)));
    commands_ = {encode(device::VectorProgram{.address = code_,
                                              .count = static_cast<std::uint8_t>(code.size())}),
                 encode(device::VectorProgram{
                     .address = constants_,
                     .constants = true,
                     .count = static_cast<std::uint8_t>(program.constants.size())})};
    for (const bool writes : {false, true}) {
      for (std::uint8_t i = 0; i < 4; ++i) {
        device::VectorStream stream{.address = tensors_[i],
                                    .rows = 1,
                                    .cols = count_,
                                    .number = i,
                                    .writes = writes,
                                    .format = device::VectorStreamFormat::kWord};
        if (writes) stream.number = static_cast<std::uint8_t>((i + 3) % 4);
        if (writes && i == 0) stream.format = device::VectorStreamFormat::kHalf;
        commands_.push_back(encode(stream));
      }
      if (writes) continue;
      commands_.push_back(
          encode(device::VectorRun{.last = static_cast<std::uint8_t>(code.size() - 1),
                                   .words = static_cast<std::uint16_t>(words())}));
    }
    memory_.write(ring_, std::as_bytes(std::span(commands_)));
  }

  int size_;
  Memory& memory_;
  std::uint16_t count_;
  std::array<std::uint64_t, 4> tensors_{};  // gradient, m, v, w
  std::uint64_t code_ = 0, constants_ = 0, ring_ = 0;
  std::array<std::vector<std::uint32_t>, 4> values_;
  std::vector<device::CommandWord> commands_;
};

}  // namespace systole::tests
