#pragma once

namespace systole {

/// The number of ranks that this process's launcher announces; 1 without a launcher, so that a
/// program started by hand pays nothing for MPI.
///
/// Source   the variables that Open MPI's mpirun, and launchers that speak PMI, give a process
int ranks_of_launcher();

/// The rank of this process; 0 without a launcher.
int rank_of_launcher();

}  // namespace systole
