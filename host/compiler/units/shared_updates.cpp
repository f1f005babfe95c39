#include "host/compiler/units/shared_updates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "host/compiler/kernels/core_sums.h"
#include "host/graph/cores.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

using device::VectorStreamEnd;

/// A sum over cores and the update that reads it, by unit.
struct Update {
  int sum = -1;
  std::int64_t cores = 0;
  std::size_t up = 0, down = 0, update = 0;
  std::int64_t columns = 0;  ///< of a block
};

class Sharing {
 public:
  Sharing(KeptValues& kept, const std::set<std::string>& slots, const std::set<std::string>* among)
      : kept_(kept), units_(kept.lowered.units), core_(kept.core), among_(among) {
    for (const graph::Input& input : kept.around.graph.inputs()) {
      names_.emplace(input.value, input.name);
      if (slots.contains(input.name)) slots_.insert(input.value);
    }
  }

  void run() {
    std::vector<Update> updates;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (const auto update = find(i)) updates.push_back(*update);
    }
    std::vector<bool> goes(units_.size());
    std::vector<Unit> added;
    for (const Update& update : updates) {
      share(update, added);
      for (const std::size_t unit : {update.up, update.down, update.update}) goes[unit] = true;
    }
    std::vector<Unit> all;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (!goes[i]) all.push_back(std::move(units_[i]));
    }
    std::ranges::move(added, std::back_inserter(all));
    units_ = std::move(all);
  }

 private:
  std::vector<std::size_t> readers_of(int value) const {
    std::vector<std::size_t> readers;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (std::ranges::count(units_[i].reads, value) != 0) readers.push_back(i);
    }
    return readers;
  }
  bool is_result(int value) const {
    return std::ranges::any_of(kept_.lowered.results,
                               [&](const auto& result) { return result.second == value; });
  }
  bool is_sum(int value) const {
    const graph::Operation* maker = kept_.around.graph.maker(value);
    return maker != nullptr && is_core_sum(*maker);
  }

  /// The shared update of the sum that a unit sends up.
  std::optional<Update> find(std::size_t up) const {
    const Unit& unit = units_[up];
    if (unit.kernel() == nullptr || !unit.kernel()->meets_neighbours()) return {};
    const int sum = unit.writes.front();
    Update update{.sum = sum, .cores = graph::cores_of(*kept_.around.graph.maker(sum)), .up = up};
    update.down = up + 1;  // as they are written
    if (up + 1 == units_.size() || units_[up + 1].writes != unit.writes) return {};
    if (kept_.roots.at(sum).formats != std::vector{Format::kWord} || is_result(sum)) return {};
    std::vector<std::size_t> readers = readers_of(sum);
    std::erase(readers, update.down);
    if (readers.size() != 1) return {};
    update.update = readers.front();
    if (!may_share(units_[update.update], sum)) return {};
    update.columns = block_of(*units_[update.update].kernel(), update.cores);
    return update.columns > 0 ? std::optional(update) : std::nullopt;
  }

  bool may_share(const Unit& update, int sum) const {
    const KernelCode* code = update.kernel();
    if (code == nullptr || !code->can_follow_columns()) return false;
    if (code->rows * code->cols != graph::element_count(kept_.around.graph.type(sum).shape)) {
      return false;
    }
    const bool are_plain = std::ranges::all_of(std::array{&code->in, &code->out}, [](auto* ports) {
      return std::ranges::all_of(*ports, [](const Port& port) {
        return port.extent == Extent::kFull && port.view == View{} &&
               (port.format == Format::kWord || port.format == Format::kBf16);
      });
    });
    const bool is_the_sums = std::ranges::all_of(
        update.reads, [&](int value) { return value == sum || !is_sum(value); });
    return are_plain && is_the_sums && std::ranges::all_of(update.writes, [&](int value) {
             return kept_.replaces.contains(value) && readers_of(value).empty() &&
                    !is_result(value) && is_among(value) &&
                    (is_sent(value) || readers_of(kept_.replaces.at(value)).size() == 1);
           });
  }

  bool is_among(int value) const {
    return among_ == nullptr || among_->contains(names_.at(kept_.replaces.at(value)));
  }

  /// The columns of a block, a multiple of the lanes; 0 if there are not enough for all cores.
  /// Bursts of a few beats, and not too many blocks.
  std::int64_t block_of(const KernelCode& code, std::int64_t cores) const {
    constexpr std::int64_t kLeastWords = 2, kMostBlocks = 32;
    const std::int64_t words = ceil_div(code.cols, std::int64_t{kept_.around.lanes});
    const std::int64_t wanted = std::max(kLeastWords, ceil_div(words, kMostBlocks));
    return std::min(wanted, words / cores) * kept_.around.lanes;
  }

  void share(const Update& update, std::vector<Unit>& added) {
    const Unit& whole = units_[update.update];
    const std::int64_t cols = whole.kernel()->cols;
    const std::int64_t blocks = ceil_div(cols, update.columns);
    int turn = 0;
    const auto in_blocks = [&](std::int64_t first, const auto& work) {
      for (std::int64_t i = first; i < std::min(first + update.cores, blocks); ++i) {
        const std::int64_t at = i * update.columns;
        work(i % update.cores, Columns{at, std::min(update.columns, cols - at)});
      }
    };
    const auto add = [&](Unit unit, const Columns& columns, int level) {
      unit.columns = columns;
      unit.level = level;
      if (unit.kernel()->meets_neighbours()) {
        unit.sum = update.sum;
        unit.turn = turn;
      }
      added.push_back(std::move(unit));
    };
    const int level = units_[update.up].level;
    const std::int64_t middle = blocks / update.cores / 2 * update.cores;
    for (std::int64_t first = 0; first < blocks; first += update.cores) {
      if (first == middle) turn = place_bias(update, turn);
      in_blocks(first, [&](std::int64_t owner, const Columns& columns) {
        ++turn;
        add(upwards(update), columns, level);
        ++turn;
        if (core_ >= owner && owner + 1 < update.cores) {
          add(to_owner(update, owner), columns, level + 1);
        }
      });
      in_blocks(first, [&](std::int64_t owner, const Columns& columns) {
        if (owner == core_) add(whole, columns, whole.level);
      });
      in_blocks(first, [&](std::int64_t owner, const Columns& columns) {
        for (const int value : sent_of(whole)) {
          ++turn;
          if (core_ >= owner && owner + 1 < update.cores) {
            add(from_owner(update, value, owner, VectorStreamEnd::kDown, VectorStreamEnd::kUp),
                columns, whole.level + 1);
          }
          ++turn;
          if (core_ <= owner && owner > 0) {
            add(from_owner(update, value, owner, VectorStreamEnd::kUp, VectorStreamEnd::kDown),
                columns, whole.level + 1);
          }
        }
      });
    }
    for (const int value : whole.writes) {
      kept_.lowered.shared_updates.insert(names_.at(kept_.replaces.at(value)));
      if (!is_sent(value)) kept_.lowered.shared[kept_.replaces.at(value)] = {update.columns, cols};
    }
  }

  // A bias's gradient is there when all columns of its matrix's are, and the next step begins with
  // the bias. So its sum comes in the middle of those of the matrix, and its update at once.
  int place_bias(const Update& update, int turn) {
    const graph::Graph& graph = kept_.around.graph;
    int bias = -1;
    for (const Unit& unit : units_) {
      if (unit.sum < 0 || graph.producer(unit.sum) >= graph.producer(update.sum)) continue;
      if (bias < 0 || graph.producer(unit.sum) > graph.producer(bias)) bias = unit.sum;
    }
    const std::int64_t cols = units_[update.update].kernel()->cols;
    if (bias < 0 || graph::element_count(graph.type(bias).shape) != cols) return turn;
    for (Unit& unit : units_) {
      if (unit.sum != bias) continue;
      unit.sum = update.sum;
      unit.turn += turn + 1;
    }
    for (const std::size_t reader : readers_of(bias)) units_[reader].level = 0;
    return turn + 2;
  }

  // Also on a core without rows, which does not read it.
  bool is_sent(int value) const { return !slots_.contains(kept_.replaces.at(value)); }
  std::vector<int> sent_of(const Unit& update) const {
    std::vector<int> values;
    std::ranges::copy_if(update.writes, std::back_inserter(values),
                         [&](int value) { return is_sent(value); });
    return values;
  }

  /// A kernel over the elements of the update.
  Unit unit_of(const Update& update, KernelCode code, const std::string& name) const {
    const KernelCode& whole = *units_[update.update].kernel();
    code.rows = whole.rows;
    code.cols = whole.cols;
    Unit unit;
    unit.work = std::move(code);
    unit.name = name;
    return unit;
  }

  Unit upwards(const Update& update) const {
    const Unit& whole = units_[update.up];
    Unit unit = unit_of(update, *whole.kernel(), whole.name);
    go_in_halves(std::get<KernelCode>(unit.work));
    unit.reads = whole.reads;
    unit.writes = whole.writes;
    return unit;
  }

  Unit to_owner(const Update& update, std::int64_t owner) const {
    Passage passage = downwards(core_, update.cores);
    if (core_ == owner) passage.to = VectorStreamEnd::kMemory;
    std::vector<Format> formats;
    if (core_ == owner) formats.push_back(Format::kWord);
    Unit unit = unit_of(update, write_passage(kept_.around, update.sum, passage, formats),
                        units_[update.down].name);
    go_in_halves(std::get<KernelCode>(unit.work));
    if (core_ + 1 == update.cores) unit.reads.push_back(update.sum);
    if (core_ == owner) unit.writes.push_back(update.sum);
    return unit;
  }

  Unit from_owner(const Update& update, int value, std::int64_t owner, VectorStreamEnd before,
                  VectorStreamEnd after) const {
    const Unit& whole = units_[update.update];
    const bool is_last = core_ == (after == VectorStreamEnd::kUp ? update.cores - 1 : 0);
    const bool is_owner = core_ == owner;
    Passage passage{.from = before, .to = after};
    if (is_owner) passage.from = VectorStreamEnd::kMemory;
    if (is_last) passage.to = VectorStreamEnd::kMemory;
    std::vector<Format> formats;
    for (const Port& port : whole.kernel()->out) {
      if (port.value == value && !is_owner) formats.push_back(port.format);
    }
    Unit unit = unit_of(update, write_passage(kept_.around, value, passage, formats), whole.name);
    if (is_owner) {
      unit.reads.push_back(value);
    } else {
      unit.writes.push_back(value);
      unit.replaces.push_back(kept_.replaces.at(value));
    }
    return unit;
  }

  KeptValues& kept_;
  std::vector<Unit>& units_;
  std::int64_t core_;
  const std::set<std::string>* among_;
  std::set<int> slots_;               ///< inputs, by value
  std::map<int, std::string> names_;  ///< likewise
};

}  // namespace

void share_updates(KeptValues& kept, const std::set<std::string>& slots,
                   const std::set<std::string>* among) {
  Sharing(kept, slots, among).run();
}

}  // namespace systole::lowering
