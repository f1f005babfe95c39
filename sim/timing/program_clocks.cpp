#include "sim/timing/program_clocks.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "hls/kernels/fetcher.h"
#include "sim/timing/timing_bus.h"
#include "sim/timing/timing_compute.h"
#include "sim/timing/timing_load.h"
#include "sim/timing/timing_store.h"

namespace systole {
namespace timing {

UnitClocks unit_clocks(int array_size) {
  const auto of = [](auto size) {
    using Unit = kernels::MatrixUnit<decltype(size)::value, kernels::kDefaultBankRows>;
    return UnitClocks{Unit::kArrayCycles, Unit::kLoopCycles};
  };
  switch (array_size) {
    case 4:
      return of(std::integral_constant<int, 4>());
    case 8:
      return of(std::integral_constant<int, 8>());
    case 16:
      return of(std::integral_constant<int, 16>());
    case 32:
      return of(std::integral_constant<int, 32>());
    case 64:
      return of(std::integral_constant<int, 64>());
    default:
      return of(std::integral_constant<int, 128>());
  }
}

namespace {

using device::Count;

/// Tokens that wait, by who gave them and who may take them.
class TimingTokens {
 public:
  /// By the giver's bit.
  int for_load() const { return available_[kL]; }
  int for_compute() const { return available_[kC]; }
  int for_store() const { return available_[kS]; }

  /// What engines give and take in a clock, by the other engine's bit; false where too many wait.
  bool move(const std::array<int, 3>& given, const std::array<int, 3>& taken) {
    for (int giver = 0; giver < 3; ++giver) {
      for (int taker = 0; taker < 3; ++taker) {
        const int gives = given[static_cast<std::size_t>(giver)] >> taker & 1;
        const int takes = taken[static_cast<std::size_t>(taker)] >> giver & 1;
        count_[giver][taker] += gives - takes;
        if (count_[giver][taker] > device::kMostTokens) return false;
        const int bit = 1 << giver;
        available_[taker] = (available_[taker] & ~bit) | (count_[giver][taker] != 0 ? bit : 0);
      }
    }
    return true;
  }

 private:
  enum { kL, kC, kS };
  int count_[3][3] = {};
  int available_[3] = {};
};

class Program {
 public:
  Program(int array_size, const sim::MemoryBehaviour& behaviour,
          std::span<const device::CommandWord> commands)
      : fetch_beats_(array_size < 16 ? 16 / array_size : 1),
        bus_(array_size, behaviour),
        load_(array_size),
        compute_(array_size, unit_clocks(array_size)),
        store_(array_size) {
    commands_.reserve(commands.size());
    for (const device::CommandWord& word : commands) commands_.push_back(timed(word));
  }

  std::optional<ProgramCounts> run() {
    constexpr std::size_t kPiece = std::size_t{1} << 15;
    for (std::size_t first = 0; first < commands_.size(); first += kPiece) {
      tail_ = std::min(first + kPiece, commands_.size());
      if (!run_piece()) return std::nullopt;
    }
    count(Count::kRows) = compute_.rows;
    count(Count::kTiles) = compute_.tiles;
    count(Count::kWaitForLoad) = compute_.wait_for_load;
    count(Count::kWaitForStore) = compute_.wait_for_store;
    count(Count::kWaitForWeights) = compute_.wait_for_weights;
    count(Count::kWaitForSums) = compute_.wait_for_sums;
    count(Count::kWaitForCommand) = compute_.wait_for_command;
    return counts_;
  }

 private:
  struct Request {
    bool loads;
    int beats;
  };
  enum class Target { kNone, kFence, kLoad, kCompute, kStore };
  static constexpr std::size_t kAhead = kernels::Fetcher<16>::kAhead;
  static constexpr std::size_t kQueue = device::kQueuedCommands;
  static constexpr std::size_t kRequests = 2;
  /// Clocks in which nothing moves that tell of engines that wait for each other.
  static constexpr Clock kPatience = 100'000;

  int fetch_beats_;
  std::vector<TimedCommand> commands_;
  TimingBus bus_;
  TimingLoad load_;
  TimingCompute compute_;
  TimingStore store_;
  TimingTokens tokens_;
  ProgramCounts counts_{};
  Clock now_ = 0;
  bool busy_ = false;
  bool load_awake_ = false, store_awake_ = false;
  bool load_stands_ = false, store_stands_ = false;  // until tokens move

  // The fetcher.
  std::size_t tail_ = 0, next_ = 0, arrived_ = 0, owed_ = 0;
  bool fetch_valid_ = false;
  sim::Ring<const TimedCommand*, kAhead> fetched_;
  // The sequencer.
  Target target_ = Target::kNone;
  const TimedCommand* held_ = nullptr;
  bool handed_on_ = false;
  // Queues.
  sim::Ring<const TimedCommand*, kQueue> load_queue_, compute_queue_, store_queue_;
  sim::Ring<Request, kRequests> requests_;
  int reads_in_flight_ = 0, writes_in_flight_ = 0;

  std::uint64_t& count(Count which) { return counts_[static_cast<std::size_t>(which)]; }

  bool run_piece() {
    bus_.rest();
    Clock moved = now_;
    std::uint64_t last = ~std::uint64_t{0};
    do {
      if (!clock()) return false;
      if (!bus_.moving()) skip();
      if ((now_ & 0xfff) != 0) continue;
      const std::uint64_t done = progress();
      if (done != last) {
        last = done;
        moved = now_;
      }
      if (now_ - moved > kPatience) return false;
    } while (busy_ || next_ != tail_ || handed_on_);
    return true;
  }
  std::uint64_t progress() const {
    return compute_.rows + counts_[static_cast<std::size_t>(Count::kReadBeats)] +
           counts_[static_cast<std::size_t>(Count::kWriteBeats)] + next_;
  }

  template <typename Queue>
  static const TimedCommand* front(const Queue& queue) {
    return queue.empty() ? nullptr : queue.front();
  }

  bool engines_done() const {
    return load_queue_.empty() && compute_queue_.empty() && store_queue_.empty() &&
           reads_in_flight_ == 0 && writes_in_flight_ == 0 && requests_.empty() && load_.idle() &&
           store_.idle() && compute_.idle(now_);
  }

  bool clock() {
    count_clock();

    // What every part shows before the edge.
    const bool fetch_idle = owed_ == 0 && !fetch_valid_;
    const bool finished =
        target_ == Target::kNone && fetch_idle && next_ == tail_ && engines_done();
    const bool fence_done = target_ == Target::kFence && engines_done();
    const bool requests_ready = requests_.size() != kRequests;
    const bool load_offers = load_.offered();
    const bool beat_taken = bus_.read_valid && load_.read_ready();
    const bool fetch_beat = beat_taken && !bus_.read_loads;
    const bool response = bus_.response;
    const TimingStore::Inputs store{.command = front(store_queue_),
                                    .tokens = tokens_.for_store(),
                                    .burst_ready = bus_.write_request_ready,
                                    .write_ready = bus_.write_ready,
                                    .response = response};
    const TimingLoad::Inputs load{.command = front(load_queue_),
                                  .tokens = tokens_.for_load(),
                                  .burst_ready = requests_ready && !fetch_valid_,
                                  .beat = bus_.read_valid && bus_.read_loads,
                                  .last = bus_.read_last};
    const TimingCompute::Inputs compute{.command = front(compute_queue_),
                                        .tokens = tokens_.for_compute()};
    const std::array given = {load_.given(), compute_.given(now_), store_.given()};
    const std::array taken = {load_.taken(), compute_.taken(), store_.taken()};

    // The edge: memory and the bus first, which see the device as it shows itself.
    const BusFromDevice from{.read_ready = load_.read_ready(),
                             .request = !requests_.empty(),
                             .request_loads = !requests_.empty() && requests_.front().loads,
                             .request_beats = requests_.empty() ? 0 : requests_.front().beats,
                             .write_request = store_.burst_valid(),
                             .write_beats = store_.burst_beats(),
                             .write = store_.beat_valid()};
    const bool arrives = fetch_beat && bus_.read_last;
    const bool read_asked = from.request && bus_.read_request_ready;
    reads_in_flight_ += read_asked - (beat_taken && bus_.read_last);
    writes_in_flight_ += (from.write_request && bus_.write_request_ready) - response;
    bus_.tick(now_, from);

    if (read_asked) requests_.pop();
    if (requests_ready && (fetch_valid_ || load_offers)) {
      requests_.push(fetch_valid_ ? Request{false, fetch_beats_}
                                  : Request{true, load_.burst_beats()});
    }
    sequence(fence_done, requests_ready, arrives);

    if (load_.command_ready() && load.command != nullptr) load_queue_.pop();
    if (compute_.command_ready() && compute.command != nullptr) compute_queue_.pop();
    if (store_.command_ready() && store.command != nullptr) store_queue_.pop();
    if (load_awake_ ? !load_stands_ : load.command != nullptr) {
      load_.clock(load);
      load_awake_ = !load_.idle();
      load_stands_ = load_.stands(load.tokens);
    }
    if (store_awake_ ? !store_stands_ : store.command != nullptr) {
      store_.clock(store);
      store_awake_ = !store_.asleep();
      store_stands_ = store_.stands(store.tokens);
    }
    busy_ = !finished;
    compute_.clock(now_, compute, busy_);
    ++now_;
    if (held_ != nullptr && target_ == Target::kFence &&
        device::decode_fence(held_->word).wait_for_host) {
      return false;
    }
    if ((given[0] | given[1] | given[2] | taken[0] | taken[1] | taken[2]) == 0) return true;
    load_stands_ = store_stands_ = false;
    return tokens_.move(given, taken);
  }

  /// Goes on to the next clock in which something happens, where nothing does but rows that enter
  /// the array, and engines that wait.
  void skip() {
    const bool fetch_stands = !fetch_valid_ && (next_ == tail_ || owed_ == kAhead);
    if (!fetch_stands || !requests_.empty() || !sequencer_stands()) return;
    if (!(load_awake_ ? load_stands_ : load_queue_.empty())) return;
    if (!(store_awake_ ? store_stands_ : store_queue_.empty())) return;
    const Clock quiet =
        compute_.quiet(now_, front(compute_queue_) != nullptr, tokens_.for_compute());
    if (quiet <= 0) return;
    const auto clocks = static_cast<std::uint64_t>(quiet);
    count(Count::kCycles) += clocks;
    if (load_awake_) {
      count(Count::kLoadWaitForCompute) += clocks * load_.wait_for_compute();
      count(Count::kLoadWaitForStore) += clocks * load_.wait_for_store();
    }
    if (store_awake_) {
      count(Count::kStoreWaitForCompute) += clocks * store_.wait_for_compute();
      count(Count::kStoreWaitForLoad) += clocks * store_.wait_for_load();
    }
    compute_.rows += clocks;
    bus_.rest(quiet);
    now_ += quiet;
  }

  /// Whether the sequencer can do nothing before an engine moves.
  bool sequencer_stands() const {
    if (handed_on_) return false;
    switch (target_) {
      case Target::kNone:
        return fetched_.empty();
      case Target::kFence:
        return true;
      case Target::kLoad:
        return load_queue_.size() == kQueue;
      case Target::kCompute:
        return compute_queue_.size() == kQueue;
      default:
        return store_queue_.size() == kQueue;
    }
  }

  void count_clock() {
    count(Count::kCycles) += busy_;
    count(Count::kCommands) += handed_on_;
    count(Count::kReadBeats) += bus_.read_valid && load_.read_ready();
    if (load_awake_) {
      count(Count::kLoadBusy) += load_.busy();
      count(Count::kLoadWaitForCompute) += load_.wait_for_compute();
      count(Count::kLoadWaitForStore) += load_.wait_for_store();
      count(Count::kLoadWaitForBus) += load_.wait_for_bus();
      count(Count::kLoadWaitForData) += load_.wait_for_data();
    }
    if (store_awake_) {
      count(Count::kStoreBusy) += store_.busy();
      count(Count::kStoreWaitForCompute) += store_.wait_for_compute();
      count(Count::kStoreWaitForLoad) += store_.wait_for_load();
      count(Count::kStoreWaitForBus) += store_.wait_for_bus();
      count(Count::kWriteBeats) += store_.beat_valid() && bus_.write_ready;
    }
  }

  /// The edge of fetcher and sequencer.
  void sequence(bool fence_done, bool requests_ready, bool arrives) {
    const bool takes = target_ == Target::kNone && !fetched_.empty();
    handed_on_ = fence_done;
    const auto hand = [&](auto& queue) {
      handed_on_ = queue.size() != kQueue;
      if (handed_on_) queue.push(held_);
    };
    if (target_ == Target::kLoad) hand(load_queue_);
    if (target_ == Target::kCompute) hand(compute_queue_);
    if (target_ == Target::kStore) hand(store_queue_);
    if (handed_on_) target_ = Target::kNone;

    const bool free = !fetch_valid_ || requests_ready;
    const bool issued = free && next_ != tail_ && owed_ != kAhead;
    if (free) fetch_valid_ = issued;
    next_ += issued;
    owed_ += issued;
    owed_ -= takes;
    if (takes) {
      held_ = fetched_.front();
      fetched_.pop();
      target_ = target_of(held_->opcode);
    }
    if (arrives) fetched_.push(&commands_[arrived_++]);
  }

  static Target target_of(device::Opcode opcode) {
    switch (static_cast<int>(opcode) / 16) {
      case 0:
        return Target::kFence;
      case 1:
        return Target::kLoad;
      case 2:
        return Target::kCompute;
      default:
        return Target::kStore;
    }
  }
};

}  // namespace
}  // namespace timing

bool has_program_clocks(int array_size, const sim::MemoryBehaviour& behaviour) {
  const auto& stalls = behaviour.stalls;
  const bool stalled = (stalls.read_request | stalls.read | stalls.write_request | stalls.write |
                        stalls.response) != 0;
  // A memory that gave a beat less often than this might still be gathering its first bytes when
  // the doorbell rings.
  const int bytes = behaviour.bytes_per_cycle;
  const bool gathers = bytes != 0 && array_size / bytes > 32;
  return !stalled && !gathers && !behaviour.mix_reads && behaviour.error_ranges.empty() &&
         behaviour.read_error_every == 0 && behaviour.write_error_every == 0;
}

std::optional<ProgramCounts> program_clocks(int array_size, const sim::MemoryBehaviour& behaviour,
                                            std::span<const device::CommandWord> commands) {
  if (!has_program_clocks(array_size, behaviour)) return std::nullopt;
  return timing::Program(array_size, behaviour, commands).run();
}

}  // namespace systole
