#include "host/compiler/units/lowered_graph.h"

#include <algorithm>

#include "host/compiler/units/costly_values.h"
#include "host/compiler/units/kept_values.h"
#include "host/compiler/units/shared_updates.h"
#include "host/compiler/units/unit_order.h"
#include "host/compiler/units/units.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {

namespace {

/// Values stay in memory only if that saves a tenth of the kernels' clocks, since they take room
/// there and keep other kernels waiting.
constexpr std::int64_t kLeastGain = 10;

/// Whether values that cost many instructions stay in memory (keep_costly).
enum class Costly : std::uint8_t { kComputedAgain, kKept };

/// Nothing if no value is costly.
OrRefusal<std::optional<LoweredGraph>> cut(const graph::Graph& simple, const DeviceSizes& sizes,
                                           const std::set<std::string>& resident, int core,
                                           const std::set<std::string>& slots,
                                           const std::set<std::string>* among, Costly costly) {
  Refusal why;
  for (const Updates updates : {Updates::kJoined, Updates::kApart}) {
    KeptValues kept = find_kept(simple, sizes.array_size, resident, core);
    if (costly == Costly::kKept && !keep_costly(kept, sizes)) return std::optional<LoweredGraph>();
    if (auto refusal = cut_units(kept, updates)) return std::move(*refusal);
    if (!slots.empty()) share_updates(kept, slots, among);
    if (auto refusal = order_units(kept.lowered, simple)) {
      why = std::move(*refusal);
      continue;
    }
    LoweredGraph lowered = std::move(kept.lowered);
    lowered.taps = std::move(kept.around.taps);
    return std::optional(std::move(lowered));
  }
  return why;
}

/// About how many clocks the vector engine takes for all kernels: its instructions, or its bus. Of
/// cores in a line the same on all, so that they choose alike.
std::int64_t kernel_clocks(const LoweredGraph& lowered, const DeviceSizes& sizes) {
  std::int64_t clocks = 0;
  for (const Unit& unit : lowered.units) {
    const KernelCode* code = unit.kernel();
    if (code == nullptr || code->meets_neighbours() || unit.columns.count > 0) continue;
    const auto bytes = [&](const std::vector<Port>& ports) {
      std::int64_t all = 0;
      for (const Port& port : ports) {
        if (port.extent == Extent::kFull) all += stream_bytes(port.format) * sizes.array_size;
      }
      return all;
    };
    const auto instructions = static_cast<std::int64_t>(code->body.program.code.size());
    const std::int64_t bus = std::max(bytes(code->in), bytes(code->out)) / sizes.beat_bytes();
    clocks += code->rows * ceil_div(code->cols, std::int64_t{sizes.array_size}) *
              std::max(instructions, bus);
  }
  return clocks;
}

OrRefusal<LoweredGraph> cut(std::unique_ptr<graph::Graph> simple, const DeviceSizes& sizes,
                            const std::set<std::string>& resident, int core,
                            const std::set<std::string>& slots,
                            const std::set<std::string>* among) {
  auto plain = cut(*simple, sizes, resident, core, slots, among, Costly::kComputedAgain);
  auto kept = cut(*simple, sizes, resident, core, slots, among, Costly::kKept);
  if (auto* refusal = std::get_if<Refusal>(&plain)) return std::move(*refusal);
  LoweredGraph lowered = *std::get<std::optional<LoweredGraph>>(std::move(plain));
  if (auto* other = std::get_if<std::optional<LoweredGraph>>(&kept);
      other != nullptr && *other &&
      kLeastGain * kernel_clocks(**other, sizes) <=
          (kLeastGain - 1) * kernel_clocks(lowered, sizes)) {
    lowered = std::move(**other);
  }
  lowered.graph = std::move(simple);
  return lowered;
}

}  // namespace

LoweredGraph lower_graph(const graph::Graph& graph, const DeviceSizes& sizes,
                         const std::set<std::string>& resident,
                         const std::optional<Quantization>& quantization, const AfterPass& after,
                         int core, const std::set<std::string>& slots,
                         const std::set<std::string>* among) {
  Refusal why;
  for (const bool folds_rows : {true, false}) {  // other operations may need the rows as they are
    const PassContext context{
        .sizes = sizes, .quantization = quantization, .folds_rows = folds_rows};
    auto lowered =
        cut(run_passes(passes(), graph, context, after), sizes, resident, core, slots, among);
    auto* refusal = std::get_if<Refusal>(&lowered);
    if (refusal == nullptr) return std::get<LoweredGraph>(std::move(lowered));
    why = std::move(*refusal);
  }
  throw Unsupported(std::move(why));
}

bool LoweredGraph::is_written_by_host(int value) const {
  return std::ranges::count(drawn, value) != 0 || std::ranges::count(constants, value) != 0;
}

int LoweredGraph::replaced_by(int value) const {
  for (const graph::Input& input : graph->inputs()) {
    if (input.updated_by < 0) continue;
    const int next = graph->outputs()[static_cast<std::size_t>(input.updated_by)].value;
    if (graph->before_reshapes(next) == value) return input.value;
  }
  return -1;
}

}  // namespace systole::lowering
