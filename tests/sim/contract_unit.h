#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <stdexcept>

#include "hls/kernels/matrix_unit.h"
#include "sim/device/beat.h"

namespace systole::tests {

/// A matrix unit that multiplies nothing but watches its driver: every row's sums are 1, and a beat
/// that breaks a distance or a port's limit throws std::logic_error. What is read is therefore the
/// number of tiles that were added to a row, plus what was preloaded.
///
/// Timing   that of MatrixUnit, at a fraction of its cost
template <int kSize>
class ContractUnit {
  using Unit = kernels::MatrixUnit<kSize, kernels::kDefaultBankRows>;

 public:
  static constexpr int kN = kSize;
  static constexpr int kBankRows = kernels::kDefaultBankRows;

  void reset() { *this = ContractUnit(); }

  bool tick(const Beat& beat) {
    const bool returned = at(reads_, -Unit::kReadCycles).valid;
    result_.fill(at(reads_, -Unit::kReadCycles).value);
    check_weights(beat);
    at(sums_, Unit::kArrayCycles) = {
        .valid = beat.activation != nullptr, .row = beat.row, .accumulate = beat.accumulate};
    // Reads see the memory as it was before this clock's writes.
    enter_sum(beat);
    read(beat);
    write(beat);
    ++clock_;
    return returned;
  }

  const std::uint32_t* result() const { return result_.data(); }

 private:
  struct Sum {
    bool valid = false;
    int row = 0;
    bool accumulate = false;
    std::uint32_t value = 0;
  };
  struct Read {
    bool valid = false;
    std::uint32_t value = 0;
  };
  static constexpr int kRing = 1024;
  static_assert(Unit::kArrayCycles + Unit::kWriteCycles < kRing);

  template <typename T>
  T& at(std::array<T, kRing>& ring, int offset) {
    return ring[static_cast<std::size_t>(clock_ + kRing + offset) % kRing];
  }
  static void require(bool kept, const char* what) {
    if (!kept) throw std::logic_error(what);
  }
  static int bank_of(int row) { return row / kBankRows; }

  void check_weights(const Beat& beat) {
    if (beat.activation != nullptr) {
      require(loaded_[beat.plane].all(), "a row entered before its plane was loaded");
    }
    if (beat.weight != nullptr) {
      auto& loaded = loaded_[beat.weight_plane];
      if (loaded.all()) loaded.reset();
      require(!loaded[beat.weight_column], "a column was loaded twice");
      loaded.set(beat.weight_column);
    }
  }

  void enter_sum(const Beat& beat) {
    Sum entering = at(sums_, 0);
    at(sums_, 0) = {};
    entering.value = 1;
    if (entering.valid && entering.accumulate) {
      require(!(beat.read_valid && bank_of(beat.read_row) == bank_of(entering.row)),
              "a read and an accumulating sum met at one bank's read port");
      entering.value += rows_[static_cast<std::size_t>(entering.row)];
    }
    at(writes_, Unit::kWriteCycles) = entering;
  }

  void read(const Beat& beat) {
    at(reads_, 0) = {};
    if (!beat.read_valid) return;
    at(reads_, 0) = {.valid = true, .value = rows_[beat.read_row]};
    require(waits_for_read_[beat.read_row], "a row was read that holds no new sum");
    waits_for_read_.reset(beat.read_row);
  }

  void write(const Beat& beat) {
    const Sum done = at(writes_, 0);
    if (done.valid) {
      const auto row = static_cast<std::size_t>(done.row);
      if (!done.accumulate) require(!waits_for_read_[row], "a sum was overwritten unread");
      rows_[row] = done.value;
      waits_for_read_.set(row);
    }
    if (beat.preload == nullptr) return;
    require(!(done.valid && bank_of(done.row) == bank_of(beat.preload_row)),
            "a preload and a sum met at one bank's write port");
    require(!waits_for_read_[beat.preload_row], "a preload overwrote an unread sum");
    rows_[beat.preload_row] = beat.preload[0];
  }

  int clock_ = 0;
  std::bitset<kN> loaded_[2];
  std::array<Sum, kRing> sums_{};
  std::array<Sum, kRing> writes_{};
  std::array<Read, kRing> reads_{};
  std::array<std::uint32_t, 2 * kBankRows> rows_{};
  std::bitset<2 * kBankRows> waits_for_read_;
  std::array<std::uint32_t, kN> result_{};
};

}  // namespace systole::tests
