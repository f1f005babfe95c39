#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "host/device/backend.h"
#include "host/device/tile_sample.h"

namespace systole {

/// Recomputes randomly chosen tiles and programs of a backend on a second backend and compares
/// them.
///
/// A tile is N x N elements of a product's C (fewer at its edges) over the whole depth. A chosen
/// tile is cut out of the operands and run alone on `reference`; its bits must equal those of C. It
/// also runs on `twin`, another instance of the checked backend, whose counters must equal the
/// reference's: that checks the clocks of the tile's own program.
///
/// A program of a caller's own, such as compiled steps, is chosen as a whole: the first one, and
/// each later one at random. It runs again from the same memory, at the same addresses, on
/// `replay`, another instance of the reference. Every byte it may write and every counter must be
/// equal.
///
/// Limits   a tile whose operands or C another product of the same program overwrites cannot be
///          rerun: it counts as unreachable
/// Timing   a chosen tile costs what it costs on the reference, and on the twin; a chosen program
///          what it costs on the reference
/// Errors   execute and run throw DeviceError at the first difference and name the product and the
///          tile, or the program, with the element or clocks and both values
class CheckedBackend final : public Backend {
 public:
  struct Options {
    double per_mille = 1;  ///< of the tiles, and of the programs; above 0 and up to 1000
    std::uint64_t seed = 1;
  };

  CheckedBackend(std::shared_ptr<Backend> checked, std::shared_ptr<Backend> reference,
                 std::shared_ptr<Backend> replay, std::shared_ptr<Backend> twin,
                 const Options& options);

  const DeviceInfo& info() const override { return checked_->info(); }
  bool supports(DataType type) const override { return checked_->supports(type); }
  Memory& memory() override { return checked_->memory(); }
  void execute(std::span<const Product> products) override;
  std::optional<DeviceSizes> sizes() const override { return checked_->sizes(); }
  void run(const PlacedProgram& program) override;
  Counters counters() const override { return checked_->counters(); }
  std::optional<CheckCoverage> check_coverage() const override { return coverage_; }
  void watch_programs(ProgramWatcher watcher) override {
    checked_->watch_programs(std::move(watcher));
  }

 private:
  struct Chosen {
    std::size_t product;
    std::int64_t index;
    std::vector<std::byte> c_before;
  };

  std::vector<Chosen> choose(std::span<const Product> products);
  void check(std::span<const Product> products, const Chosen& chosen);
  void draw_distance();
  bool chooses_program();

  std::shared_ptr<Backend> checked_, reference_, replay_, twin_;
  Options options_;
  std::uint64_t random_;
  std::int64_t distance_ = 0;  // tiles to skip before the next checked one
  CheckCoverage coverage_;
};

}  // namespace systole
