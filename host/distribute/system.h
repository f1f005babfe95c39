#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/distribute/communicator.h"
#include "host/distribute/interconnect.h"
#include "host/distribute/resolver.h"
#include "host/driver/device.h"

namespace systole {

/// Open cores, and the ranks that have more of them.
struct System {
  std::vector<Device> cores;            ///< of this rank, all alike; at least one
  int workers = 1;                      ///< host threads that drive them
  std::shared_ptr<Communicator> ranks;  ///< of the run
  Interconnect link;                    ///< between any two cores
  std::string description;              ///< what was found, in one line for people
};

/// Opens the cores, and starts MPI where mpirun has started this process: the second step.
///
/// The machine's threads are divided: up to as many as there are cores drive cores, and what is
/// left over goes to each core's own arithmetic.
///
/// Errors   std::invalid_argument for a machine that the device does not come as; RankError where
///          ranks have different devices
System initialize(const Resolver& resolver);

/// One open device as a system of one core and one rank.
System system_of(const Device& device);

}  // namespace systole
