#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "host/device/backend_line.h"

namespace systole::tests {

/// A line of which one core writes a wrong bit.
class SpoiledLine final : public BackendLine {
 public:
  SpoiledLine(std::shared_ptr<BackendLine> good, std::size_t core)
      : good_(std::move(good)), core_(core) {}

  const std::vector<std::shared_ptr<Backend>>& cores() const override { return good_->cores(); }
  bool join(std::shared_ptr<Communicator> ranks) override { return good_->join(std::move(ranks)); }
  void run(std::span<const PlacedProgram> programs) override {
    good_->run(programs);
    Memory& memory = cores()[core_]->memory();
    std::byte last{};
    memory.read(programs[core_].end - 1, {&last, 1});
    last ^= std::byte{1};
    memory.write(programs[core_].end - 1, {&last, 1});
  }

 private:
  std::shared_ptr<BackendLine> good_;
  std::size_t core_;
};

}  // namespace systole::tests
