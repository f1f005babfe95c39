#include "host/distribute/strategy.h"

#include <stdexcept>

namespace systole {
namespace {

thread_local const Strategy* innermost = nullptr;

}  // namespace

struct Strategy::State {
  explicit State(System opened)
      : system(std::move(opened)), team(static_cast<int>(system.cores.size()), system.workers) {}

  System system;
  CoreTeam team;
};

Strategy::Strategy(System system) {
  if (system.cores.empty() || !system.ranks) {
    throw std::invalid_argument("a strategy needs a system with a core: use initialize");
  }
  state_ = std::make_shared<State>(std::move(system));
}

int Strategy::cores() const { return local_cores() * ranks().size(); }

int Strategy::local_cores() const { return static_cast<int>(state_->system.cores.size()); }

int Strategy::first_core() const { return local_cores() * ranks().rank(); }

int Strategy::workers() const { return state_->system.workers; }

const Device& Strategy::device(int local_core) const {
  return state_->system.cores.at(static_cast<std::size_t>(local_core));
}

const std::vector<Device>& Strategy::devices() const { return state_->system.cores; }

Communicator& Strategy::ranks() const { return *state_->system.ranks; }

BackendLine* Strategy::links() const { return state_->system.links.get(); }

void Strategy::run(const std::function<void(int)>& job) const { state_->team.run(job); }

const Strategy* Strategy::current() { return innermost; }

Strategy::Scope::Scope(const Strategy& strategy) : outer_(innermost) { innermost = &strategy; }

Strategy::Scope::~Scope() { innermost = outer_; }

}  // namespace systole
