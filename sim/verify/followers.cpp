#include "sim/verify/followers.h"

#include <algorithm>

namespace systole::verify {
namespace {

using Commands = std::vector<device::CommandWord>;

device::CommandWord random_fence(cosim::Random& random) {
  return device::encode(device::Fence{.interrupt = random.below(2) != 0,
                                      .wait_for_host = random.below(3) == 0,
                                      .marker = random.bits32() | 1});
}

/// Whether the sequencer refuses the command that brings the fault.
bool is_refused(const Program& program, int array_size) {
  if (program.ending == Ending::kMissingShape) return true;
  return !device::is_legal(program.commands[program.fault.end - 1], array_size);
}

/// One or two fences, in some programs after a command that the fault must keep from its effect.
/// Where an engine meets the fault it comes later than these: they are legal then, and load only,
/// as nothing is known of the sums that a store would write.
Commands followers(const Layout& layout, bool refused, cosim::Random& random) {
  Commands commands;
  const auto choice = random.below(6);
  if (choice == 0 && refused) {
    commands.push_back({});
  } else if (choice == 1 && refused) {
    commands.push_back(device::encode(device::StoreShape{}));
    commands.push_back(device::encode(device::Store{.address = layout.outputs.base}));
  } else if (choice <= 2) {
    commands.push_back(device::encode(device::LoadShape{}));
    commands.push_back(device::encode(device::Load{.address = layout.inputs.base}));
  }
  commands.push_back(random_fence(random));
  if (random.below(3) == 0) commands.push_back(random_fence(random));
  return commands;
}

}  // namespace

void add_followers(Program& program, const Layout& layout, int array_size, cosim::Random& random) {
  FaultPlace& fault = program.fault;
  if (fault.begin == fault.end) return;
  auto& commands = program.commands;
  const Commands after = followers(layout, is_refused(program, array_size), random);
  commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(fault.end), after.begin(),
                  after.end());
  // A shape may be missing amid a vector step, which a fence would wait for without end.
  if (program.ending == Ending::kMissingShape || random.below(2) == 0) return;
  commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(fault.begin),
                  random_fence(random));
  ++fault.begin;
  ++fault.end;
}

bool has_fence_after_fault(const Program& program) {
  if (program.fault.begin == program.fault.end) return false;
  return std::any_of(program.commands.begin() + static_cast<std::ptrdiff_t>(program.fault.end),
                     program.commands.end(), [](const device::CommandWord& command) {
                       return device::opcode_of(command) == device::Opcode::kFence;
                     });
}

}  // namespace systole::verify
