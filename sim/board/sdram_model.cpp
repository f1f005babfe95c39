#include "sim/board/sdram_model.h"

#include <fmt/format.h>

namespace systole::sim {
namespace {

constexpr double kRcd = 20, kRp = 20, kRc = 66, kRas = 44, kRfc = 66, kWr = 15;  // ns
constexpr double kRasMost = 120'000, kPowerUp = 100'000;
constexpr double kRefreshInterval = 64e6 / 8192;
constexpr int kMode = 2;  // clocks
constexpr std::uint16_t kNoData = 0xdead;
constexpr std::uint64_t kLeastRefreshes = 8;  // some chips want 8, this one 2

}  // namespace

SdramModel::SdramModel(double clock_mhz)
    : clock_ns_(1000 / clock_mhz), cells_(std::size_t{4} * 8192 * 512, kNoData) {}

std::uint16_t SdramModel::tick(const SdramSignals& pins) {
  ++now_;
  const std::uint16_t shown = drives_next_ ? next_data_ : kNoData;
  drives_next_ = false;
  if (pins.drives && now_ < drives_until_) refuse("the controller and the chip both drive dq");
  if (pins.command != 7) {
    if (static_cast<double>(now_) * clock_ns_ < kPowerUp)
      refuse("a command within 100 us of power-up");
    if (has_mode_ && now_ < mode_set_ + kMode) refuse("tMRD is 2 clocks");
    if (refreshes_ != 0) keep("tRFC", kRfc, refreshed_);
  }
  if (has_mode_ && static_cast<double>(now_ - refreshed_) * clock_ns_ > kRefreshInterval) {
    refuse("no refresh for more than 7.8 us");
  }
  switch (pins.command) {
    case 0:
      set_mode(pins);
      break;
    case 1:
      refresh();
      break;
    case 2:
      precharge(pins);
      break;
    case 3:
      activate(pins);
      break;
    case 4:
      transfer(pins, true);
      break;
    case 5:
      transfer(pins, false);
      break;
    case 7:
      break;
    default:
      refuse("a command that is not used here");
  }
  return shown;
}

void SdramModel::activate(const SdramSignals& pins) {
  Bank& bank = banks_[pins.bank];
  if (!has_mode_) refuse("ACTIVATE before the mode is set");
  if (bank.row >= 0) refuse("ACTIVATE of an open bank");
  if (bank.was_precharged) keep("tRP", kRp, bank.precharged);
  if (bank.was_activated) keep("tRC", kRc, bank.activated);
  bank.row = pins.address & 0x1fff;
  bank.activated = now_;
  bank.was_activated = true;
  bank.was_written = false;
}

void SdramModel::transfer(const SdramSignals& pins, bool is_write) {
  Bank& bank = banks_[pins.bank];
  if (bank.row < 0) refuse("an access to a closed bank");
  if ((pins.address & 1 << 10) != 0) refuse("auto precharge is not used here");
  keep("tRCD", kRcd, bank.activated);
  if (static_cast<double>(now_ - bank.activated) * clock_ns_ > kRasMost) {
    refuse("a row open for more than 120 us");
  }
  std::uint16_t& cell = cells_[index(pins.bank, bank.row, pins.address & 0x1ff)];
  if (!is_write) {
    next_data_ = cell;
    drives_next_ = true;
    drives_until_ = now_ + 3;  // with CAS latency 2, into the second clock after this one
    return;
  }
  if (!pins.drives) refuse("a WRITE without data");
  const std::uint16_t kept = static_cast<std::uint16_t>(((pins.mask & 1) != 0 ? 0x00ff : 0) |
                                                        ((pins.mask & 2) != 0 ? 0xff00 : 0));
  cell = static_cast<std::uint16_t>((cell & kept) | (pins.data & ~kept));
  bank.written = now_;
  bank.was_written = true;
}

void SdramModel::precharge(const SdramSignals& pins) {
  const bool all = (pins.address & 1 << 10) != 0;
  for (std::size_t i = 0; i < banks_.size(); ++i) {
    if (!all && i != pins.bank) continue;
    Bank& bank = banks_[i];
    if (bank.row < 0 && has_mode_) continue;
    if (bank.row >= 0) {
      keep("tRAS", kRas, bank.activated);
      if (bank.was_written) keep("tWR", kWr, bank.written);
    }
    bank.row = -1;
    bank.precharged = now_;
    bank.was_precharged = true;
  }
}

void SdramModel::refresh() {
  for (const Bank& bank : banks_) {
    if (bank.row >= 0) refuse("REFRESH while a bank is open");
    if (!bank.was_precharged) refuse("REFRESH before the first PRECHARGE");
    keep("tRP", kRp, bank.precharged);
  }
  refreshed_ = now_;
  ++refreshes_;
}

void SdramModel::set_mode(const SdramSignals& pins) {
  for (const Bank& bank : banks_) {
    if (bank.row >= 0) refuse("the mode is set while a bank is open");
  }
  if (refreshes_ < kLeastRefreshes) refuse("the mode is set before eight refreshes");
  const bool single = (pins.address & 0x207) == 0x200;  // writes of one, bursts of one
  if (!single || (pins.address >> 4 & 7) != 2) refuse(fmt::format("mode {:#x}", pins.address));
  has_mode_ = true;
  mode_set_ = now_;
}

void SdramModel::keep(std::string_view rule, double ns, std::uint64_t then) const {
  const double passed = static_cast<double>(now_ - then) * clock_ns_;
  if (passed + 1e-9 < ns) refuse(fmt::format("{} is {} ns, here {} ns", rule, ns, passed));
}

void SdramModel::refuse(std::string_view what) const {
  throw SdramError(fmt::format("SDRAM, clock {}: {}", now_, what));
}

}  // namespace systole::sim
