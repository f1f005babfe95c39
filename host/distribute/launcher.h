#pragma once

namespace systole {

/// How many ranks the launcher of this process says there are; 1 where there is no launcher, so
/// that a program started by hand pays nothing for MPI.
///
/// Source   the variables that Open MPI's mpirun, and launchers that speak PMI, give a process
int ranks_of_launcher();

/// Which of them this process is; 0 where there is no launcher.
int rank_of_launcher();

}  // namespace systole
