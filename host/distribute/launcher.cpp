#include "host/distribute/launcher.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace systole {

namespace {

// The first of these variables that is set, as a number; `otherwise` if none is.
int read_number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return otherwise;
}

}  // namespace

int ranks_of_launcher() {
  return std::max(1, read_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1));
}

int rank_of_launcher() { return read_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0); }

}  // namespace systole
