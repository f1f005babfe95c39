#pragma once

#include <memory>
#include <vector>

#include "host/distribute/communicator.h"

namespace systole::tests {

/// `ranks` ranks of this process, one for each thread that the caller starts: the plainest form of
/// the contract. Messages are copied.
std::vector<std::shared_ptr<Communicator>> thread_ranks(int ranks);

}  // namespace systole::tests
