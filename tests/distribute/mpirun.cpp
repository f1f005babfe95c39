#include "tests/distribute/mpirun.h"

namespace systole::tests {

ProgramRun mpirun(int ranks, const std::string& program,
                  const std::vector<std::string>& arguments) {
  // The kernel of a container may forbid a process to read another's memory.
  std::vector<std::string> words{"timeout",
                                 "180",
                                 "env",
                                 "OMPI_ALLOW_RUN_AS_ROOT=1",
                                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                 "OMPI_MCA_btl_vader_single_copy_mechanism=none",
                                 "ASAN_OPTIONS=detect_leaks=0",
                                 SYSTOLE_MPIRUN,
                                 "--oversubscribe",
                                 "-n",
                                 std::to_string(ranks),
                                 program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(words);
}

}  // namespace systole::tests
