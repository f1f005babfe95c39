#include "host/report/clock_shares.h"

namespace systole {

std::vector<ClockShare> clock_shares(const RecordedRun& run) {
  // Clocks of a step's wait for its batch count, too.
  const double wait = run.batch_wait_seconds(), device = run.device_step_seconds();
  const double running = wait > 0 ? device / (device + wait) : 1;
  const double cycles = static_cast<double>(run.cycles) / running;
  const auto share = [&](std::uint64_t clocks) {
    return cycles > 0 ? static_cast<double>(clocks) / cycles : 0.0;
  };
  const double used = running * run.utilization;
  const Stalls& waits = run.stalls;
  const double rows = running - share(waits.load + waits.store + waits.weights + waits.sums +
                                      waits.vector + waits.idle);
  return {
      {.cause = "multiply-adds of the network",
       .color = "#0072b2",
       .meaning = "Rows enter the array and every lane works for the network.",
       .share = used},
      {.cause = "padding of ragged tiles",
       .color = "#56b4e9",
       .meaning = "Rows enter the array, but some lanes multiply zeros, because a matrix is no "
                  "multiple of the array's size. A smaller array, or sizes that are multiples, pad "
                  "less.",
       .share = rows - used},
      {.cause = "waiting for operands",
       .color = "#e69f00",
       .meaning =
           "The load engine has not brought the rows yet: memory's bandwidth and latency, or "
           "an update that must end before its weights are read. Larger batches use each "
           "weight more often and wait less.",
       .share = share(waits.load)},
      {.cause = "waiting for weights",
       .color = "#f0e442",
       .meaning = "The next tile's weights are not in the array. Each takes N clocks to enter, "
                  "hidden behind the rows of the tile before; a tile of fewer rows than that hides "
                  "it only in part, so small batches wait here.",
       .share = share(waits.weights)},
      {.cause = "waiting for stores",
       .color = "#cc79a7",
       .meaning = "Results have not left the accumulators, so that no bank is free for the next.",
       .share = share(waits.store)},
      {.cause = "waiting for sums in flight",
       .color = "#009e73",
       .meaning = "The next tile adds to rows that have not come out of the array yet: tiles of "
                  "fewer than six rows.",
       .share = share(waits.sums)},
      {.cause = "waiting for the vector engine",
       .color = "#d55e00",
       .meaning =
           "Activations, losses or updates that the next product reads are not in memory yet; "
           "only steps that run whole on the device have them.",
       .share = share(waits.vector)},
      {.cause = "waiting for the batch",
       .color = "#8c564b",
       .meaning = "The next batch is still being gathered by the host, or on its link. Both go on "
                  "while a step runs, so only what takes longer than the step is waited for.",
       .share = 1 - running},
      {.cause = "no product to do",
       .color = "#999999",
       .meaning = "The last product of a step has gone in, and the next step has none yet: the "
                  "vector engine updates the weights, the first operands are on their way, or the "
                  "last results are. Larger batches do more products for each update.",
       .share = share(waits.idle)}};
}

}  // namespace systole
