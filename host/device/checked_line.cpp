#include "host/device/checked_line.h"

#include <fmt/format.h>

#include <deque>
#include <string>
#include <utility>

#include "host/device/program_check.h"
#include "host/distribute/communicator.h"

namespace systole {

CheckedLine::CheckedLine(std::shared_ptr<BackendLine> checked,
                         std::shared_ptr<BackendLine> reference,
                         const CheckedBackend::Options& options)
    : checked_(std::move(checked)), reference_(std::move(reference)) {
  for (std::size_t i = 0; i < checked_->cores().size(); ++i) {
    cores_.push_back(
        std::make_shared<CheckedBackend>(checked_->cores()[i], reference_->cores()[i], options));
  }
  backends_.assign(cores_.begin(), cores_.end());
  all_cores_ = cores_.size();
}

// A launch is checked on all cores or on none: the first one's choice.
bool CheckedLine::chooses(std::span<const PlacedProgram> programs) {
  bool is_chosen = false;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const bool chooses = cores_.at(i)->chooses(programs[i]);
    if (i == 0) is_chosen = chooses;
  }
  return is_chosen;
}

bool CheckedLine::join(std::shared_ptr<Communicator> ranks) {
  if (!reference_->join(ranks) || !checked_->join(ranks)) return false;
  first_core_ = static_cast<std::size_t>(ranks->rank()) * cores_.size();
  all_cores_ = static_cast<std::size_t>(ranks->size()) * cores_.size();
  return true;
}

void CheckedLine::run(std::span<const PlacedProgram> programs) {
  if (programs.size() != cores_.size() || !chooses(programs)) return checked_->run(programs);
  std::deque<ProgramCheck> checks;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    checks.emplace_back(*checked_->cores()[i], *reference_->cores()[i], programs[i]);
  }
  checked_->run(programs);
  std::vector<PlacedProgram> again;
  for (ProgramCheck& check : checks) {
    check.note();
    again.push_back(check.place());
  }
  std::string fault;
  try {
    reference_->run(again);
  } catch (const DeviceError& error) {
    fault = cores_.front()->stops(error);
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::string difference = fault.empty() ? checks[i].difference() : fault;
    try {
      cores_[i]->settle(programs[i], difference, checks[i].used());
    } catch (const DeviceError& error) {
      throw DeviceError(
          fmt::format("core {} of {}: {}", first_core_ + i, all_cores_, error.what()));
    }
  }
}

}  // namespace systole
