// Replaces mpi_ranks.cpp in a build without MPI.
#include <fmt/format.h>

#include "host/distribute/communicator.h"
#include "host/distribute/launcher.h"

namespace systole {

std::shared_ptr<Communicator> launched_ranks() {
  if (const int ranks = ranks_of_launcher(); ranks > 1) {
    throw std::runtime_error(
        fmt::format("mpirun has started {} ranks, but this build has no MPI: run scripts/setup, "
                    "then configure and build again",
                    ranks));
  }
  return single_rank();
}

}  // namespace systole
