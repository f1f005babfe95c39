#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/device/device.h"
#include "host/distribute/communicator.h"
#include "host/distribute/resolver.h"

namespace systole {

/// This rank's open cores, and the other ranks of the run.
struct System {
  std::vector<Device> cores;            ///< of this rank, all alike; at least one
  int workers = 1;                      ///< host threads that drive them
  std::shared_ptr<Communicator> ranks;  ///< of the run
  std::shared_ptr<BackendLine>
      links;                ///< between the cores of all ranks; null where they have none
  std::string description;  ///< what was found, in one line for people
};

/// Opens the cores, and starts MPI under mpirun, unless told the ranks: the second step of a Cloud
/// TPU program. Cores with links are one line over all ranks.
///
/// Threads are divided: at most one for each core drives the cores, and the rest go to the cores'
/// own arithmetic.
///
/// Errors   std::invalid_argument for an unsupported machine; RankError if ranks have different
///          devices
System initialize(const Resolver& resolver);
System initialize(const Resolver& resolver, std::shared_ptr<Communicator> ranks);

/// One open device as a system of one core and one rank.
System system_of(const Device& device);

}  // namespace systole
