#pragma once

#include "hls/kernels/at_rest.h"
#include "hls/kernels/compute_engine.h"
#include "hls/kernels/engine.h"
#include "hls/kernels/fetcher.h"
#include "hls/kernels/load_engine.h"
#include "hls/kernels/matrix_unit.h"
#include "hls/kernels/registers.h"
#include "hls/kernels/sequencer.h"
#include "hls/kernels/store_engine.h"
#include "hls/kernels/supervisor.h"
#include "hls/kernels/tokens.h"
#include "hls/kernels/vector/engine.h"
#include "systole/hls/ram.h"

namespace systole::kernels {

/// The whole device: registers on AXI4-Lite, an AXI4 master of kBus bytes, an interrupt.
///
/// Shapes   each channel of AXI is a stream; the shell (rtl/shell) gives the pins their AXI names.
///          up and down are links to the cores above and below in a line (link.h); a core without
///          such a neighbour is offered no beat there, and none is taken
/// Timing   docs/accelerator.md; counters count it
/// Errors   faults: docs/device.md
/// Limits   kN = 4, 8, 16, 32, and 64 and 128 without data; kBus = kN, 2 kN or 4 kN. kData = false
///          is for host programs that count clocks: what moves, when, and where to, but no numbers.
///          kStages are those of the multiply-add: more of them reach a higher clock and delay the
///          last row of a product by kN clocks each
template <int kN, int kBankRows = kDefaultBankRows, bool kData = true, int kBus = kN,
          int kStages = kMacStages>
class Accelerator {
 public:
  struct Inputs {
    Beat<UInt<12>> write_address;  ///< AW: the register to write
    Beat<LiteWrite> write_data;    ///< W: the word to write and its strobes
    UInt1 write_response_ready;
    Beat<UInt<12>> read_address;  ///< AR: the register to read
    UInt1 read_data_ready;

    UInt1 memory_read_request_ready;
    Beat<MemoryRead<kBus>> memory_read;  ///< R: a beat and the id of who reads
    UInt1 memory_write_request_ready;
    UInt1 memory_write_ready;
    Beat<UInt1> memory_response;  ///< data: whether the write failed

    Beat<LinkBeat<kN, kData>> up_in;    ///< from the core above
    Beat<LinkBeat<kN, kData>> down_in;  ///< from the core below
    UInt1 up_out_ready;
    UInt1 down_out_ready;
  };
  struct Outputs {
    UInt1 write_address_ready;
    UInt1 write_data_ready;
    Beat<UInt<2>> write_response;  ///< B: OKAY or SLVERR
    UInt1 read_address_ready;
    Beat<LiteRead> read_data;  ///< R: the word and OKAY or SLVERR
    UInt1 interrupt;           ///< the interrupt pin

    Beat<ReadRequest> memory_read_request;  ///< AR: a burst and the id of who reads
    UInt1 memory_read_ready;
    Beat<Burst> memory_write_request;           ///< AW: a burst to write
    Beat<WriteBeat<kBus, kData>> memory_write;  ///< W: a beat
    UInt1 memory_response_ready;

    UInt1 up_in_ready;
    UInt1 down_in_ready;
    Beat<LinkBeat<kN, kData>> up_out;    ///< to the core above
    Beat<LinkBeat<kN, kData>> down_out;  ///< to the core below
  };

  Outputs outputs() const {
    const auto registers = registers_.outputs();
    const auto store = store_.outputs();
    const auto vector = vector_.outputs();
    return {.write_address_ready = registers.write_address_ready,
            .write_data_ready = registers.write_data_ready,
            .write_response = registers.write_response,
            .read_address_ready = registers.read_address_ready,
            .read_data = registers.read_data,
            .interrupt = registers.interrupt,
            .memory_read_request = requests_.front(),
            .memory_read_ready = arriving_.outputs().push_ready,
            .memory_write_request = write_request(store.burst, vector.write_burst),
            .memory_write = write(store.write, vector.write),
            .memory_response_ready = store.response_ready,
            .up_in_ready = vector.up_in_ready,
            .down_in_ready = vector.down_in_ready,
            .up_out = vector.up_out,
            .down_out = vector.down_out};
  }

  /// For a simulation that draws what the engines do; no part of the hardware.
  struct Activity {
    Beat<Command> handed_on;  ///< by the sequencer, in this clock
    /// Taken by the engine at the edge that ends this clock.
    Beat<Command> load, compute, store, vector;
    UInt1 load_idle, compute_idle, store_idle, vector_idle;
    UInt1 fetching;
  };
  Activity activity() const {
    const auto sequencer = sequencer_.outputs();
    Activity activity{.handed_on = sequencer.load,
                      .load = load_queue_.front(),
                      .compute = compute_queue_.front(),
                      .store = store_queue_.front(),
                      .vector = vector_queue_.front(),
                      .load_idle = load_.outputs().idle,
                      .compute_idle = compute_.outputs().idle,
                      .store_idle = store_.outputs().idle,
                      .vector_idle = vector_.outputs().idle,
                      .fetching = ~fetcher_.outputs().idle};
    if (sequencer.compute.valid) activity.handed_on = sequencer.compute;
    if (sequencer.store.valid) activity.handed_on = sequencer.store;
    if (sequencer.vector.valid) activity.handed_on = sequencer.vector;
    activity.load.valid = activity.load.valid & load_.outputs().command_ready;
    activity.compute.valid = activity.compute.valid & compute_.outputs().command_ready;
    activity.store.valid = activity.store.valid & store_.outputs().command_ready;
    activity.vector.valid = activity.vector.valid & vector_.outputs().command_ready;
    return activity;
  }
  /// What counter i (device_map.h) has counted.
  UInt<64> counter(int i) const { return registers_.counter(i); }

  void clock(const Inputs& in) {
    const State now{.read = arriving_.outputs().pop,
                    .registers = registers_.outputs(),
                    .fetcher = fetcher_.outputs(),
                    .sequencer = sequencer_.outputs(),
                    .tokens = tokens_.outputs(),
                    .supervisor = supervisor_.outputs(),
                    .load = load_.outputs(),
                    .compute = compute_.outputs(),
                    .store = store_.outputs(),
                    .vector = vector_.outputs()};
    const UInt1 bus_idle = reads_.rests() & writes_.rests() & ~requests_.front().valid;
    const UInt1 engines_done = load_state(now).idle & compute_state(now).idle &
                               store_state(now).idle & vector_state(now).idle & bus_idle;
    supervise(now, bus_idle);
    count(now, in);
    fetch(now, in, engines_done);
    move_data(now, in);
    run_vectors(now, in);
    watch_bus(now, in);
    share_bus(now, in, bus_idle);
    tokens_.clock({.given = {.load = now.load.given,
                             .compute = now.compute.given,
                             .store = now.store.given,
                             .vector = now.vector.given},
                   .taken = {.load = now.load.taken,
                             .compute = now.compute.taken,
                             .store = now.store.taken,
                             .vector = now.vector.taken},
                   .clear = now.supervisor.clear});
    load_queue_.update();
    compute_queue_.update();
    store_queue_.update();
    vector_queue_.update();
    requests_.update();
    arriving_.clock({.push = in.memory_read, .pop_ready = takes_read(now)});
  }

  void reset() {
    registers_.reset();
    fetcher_.reset();
    sequencer_.reset();
    tokens_.reset();
    supervisor_.reset();
    load_.reset();
    compute_.reset();
    store_.reset();
    vector_.reset();
    reset_unit();
    load_queue_.reset();
    compute_queue_.reset();
    store_queue_.reset();
    vector_queue_.reset();
    arriving_.reset();
    writing_.reset();
    answering_.reset();
    vector_reads_ = UInt1(0);
    requests_.reset();
    reads_.reset();
    writes_.reset();
  }

 private:
  static constexpr int kQueueDepth = kQueuedCommands;
  /// Who writes, by its place among the streams of the arbiter.
  using Writer = UInt<2>;
  static constexpr int kWriterStore = 0;
  static constexpr int kWriterVector = 1;
  /// Write bursts whose beats are to come, and whose answers are; the engines have no more of
  /// those, so that there is always room for another.
  static constexpr int kWrites = 32;
  static constexpr int kAnswers = 128;
  using Operands = Vec<UInt16, kN>;
  using Unit = MatrixUnit<kN, kBankRows, kStages>;
  using SumRow = typename Unit::Row;

  /// Transactions that the bus owes an answer: counted a clock after they were asked for or done,
  /// when no engine rests yet that took part.
  struct Owed {
    UInt16 count;
    UInt1 none;  ///< of those that are counted
    UInt1 asked;
    UInt1 done;

    UInt1 rests() const { return none & ~asked; }
    void move(bool is_asked, bool is_done) {
      none = as_bit((count == 0 && asked == done) || (count == 1 && done && !asked));
      if (asked & ~done) count = truncate<UInt16>(count + UInt1(1));
      if (done & ~asked) count = truncate<UInt16>(count - UInt1(1));
      asked = as_bit(is_asked);
      done = as_bit(is_done);
    }
    void reset() {
      count = UInt16(0);
      none = UInt1(1);
      asked = UInt1(0);
      done = UInt1(0);
    }
  };

  void reset_unit() {
    if constexpr (kData) {
      unit_.reset();
    } else {
      unit_.clear();
    }
  }

  /// What every part shows before the edge.
  struct State {
    Beat<MemoryRead<kBus>> read;
    typename Registers<kN, kBankRows, kBus>::Outputs registers;
    typename Fetcher<kBus>::Outputs fetcher;
    typename Sequencer<kN>::Outputs sequencer;
    Tokens::Outputs tokens;
    Supervisor::Outputs supervisor;
    typename LoadEngine<kN, kData, kBus>::Outputs load;
    typename ComputeEngine<kN, kData, kStages>::Outputs compute;
    typename StoreEngine<kN, kData, kBus>::Outputs store;
    typename VectorEngine<kN, kData, kBus>::Outputs vector;
  };

  EngineState load_state(const State& now) const {
    return {.idle = as_bit(now.load.idle && !load_queue_.front().valid),
            .waits = now.load.waits,
            .waiting_command = now.load.waiting_command};
  }
  EngineState compute_state(const State& now) const {
    return {.idle = as_bit(now.compute.idle && !compute_queue_.front().valid),
            .waits = now.compute.waits,
            .waiting_command = now.compute.waiting_command};
  }
  EngineState store_state(const State& now) const {
    return {.idle = as_bit(now.store.idle && !store_queue_.front().valid),
            .waits = now.store.waits,
            .waiting_command = now.store.waiting_command};
  }
  EngineState vector_state(const State& now) const {
    return {.idle = as_bit(now.vector.idle && !vector_queue_.front().valid),
            .waits = now.vector.waits,
            .waiting_command = now.vector.waiting_command};
  }

  void supervise(const State& now, const UInt1& bus_idle) {
    supervisor_.clock({.fetcher = now.fetcher.fault,
                       .sequencer = now.sequencer.fault,
                       .load = now.load.fault,
                       .store = now.store.fault,
                       .vector = now.vector.fault,
                       .token_overflow = now.tokens.overflow,
                       .head = now.sequencer.head,
                       .load_state = load_state(now),
                       .compute_state = compute_state(now),
                       .store_state = store_state(now),
                       .vector_state = vector_state(now),
                       .front_idle = now.fetcher.idle & now.sequencer.idle,
                       .ring_empty = as_bit(now.fetcher.next == now.registers.ring.tail),
                       .bus_idle = bus_idle,
                       .draining = now.vector.draining,
                       .handed_on = now.sequencer.handed_on,
                       .waits_for_host = now.sequencer.waits_for_host,
                       .reset = now.registers.reset});
  }

  /// Load alone may delay its beats.
  static UInt1 takes_read(const State& now) {
    return now.load.read_ready | as_bit(now.read.data.id != kReaderLoad);
  }

  /// Counters and registers: what happened in this clock.
  void count(const State& now, const Inputs& in) {
    UInt<kCounters>::Raw counts = 0;
    const auto add = [&](int counter, const UInt1& one) {
      counts |= static_cast<UInt<kCounters>::Raw>(one.raw()) << counter;
    };
    add(kCountCycles, now.supervisor.busy);
    add(kCountCommands, now.sequencer.handed_on);
    add(kCountRows, now.compute.rows);
    add(kCountTiles, now.compute.tiles);
    add(kCountWaitForLoad, now.compute.wait_for_load);
    add(kCountWaitForStore, now.compute.wait_for_store);
    add(kCountWaitForWeights, now.compute.wait_for_weights);
    add(kCountWaitForSums, now.compute.wait_for_sums);
    add(kCountWaitForCommand, now.compute.wait_for_command & now.supervisor.busy);
    add(kCountLoadBusy, now.load.busy);
    add(kCountLoadWaitForCompute, now.load.wait_for_compute);
    add(kCountLoadWaitForStore, now.load.wait_for_store);
    add(kCountLoadWaitForBus, now.load.wait_for_bus);
    add(kCountLoadWaitForData, now.load.wait_for_data);
    add(kCountStoreBusy, now.store.busy);
    add(kCountStoreWaitForCompute, now.store.wait_for_compute);
    add(kCountStoreWaitForLoad, now.store.wait_for_load);
    add(kCountStoreWaitForBus, now.store.wait_for_bus);
    add(kCountReadBeats, now.read.valid & takes_read(now));
    add(kCountWriteBeats, write(now.store.write, now.vector.write).valid & in.memory_write_ready);
    add(kCountWaitForVector, now.compute.wait_for_vector);
    add(kCountLoadWaitForVector, now.load.wait_for_vector);
    add(kCountStoreWaitForVector, now.store.wait_for_vector);
    add(kCountVectorBusy, now.vector.busy);
    add(kCountVectorWaitForLoad, now.vector.wait_for_load);
    add(kCountVectorWaitForCompute, now.vector.wait_for_compute);
    add(kCountVectorWaitForStore, now.vector.wait_for_store);
    add(kCountVectorWaitForVector, now.vector.wait_for_vector);
    add(kCountVectorWaitForInput, now.vector.wait_for_input);
    add(kCountVectorWaitForOutput, now.vector.wait_for_output);
    add(kCountLinkWaitForBeat, now.vector.link_wait_for_beat);
    add(kCountLinkWaitForRoom, now.vector.link_wait_for_room);
    registers_.clock({.write_address = in.write_address,
                      .write_data = in.write_data,
                      .write_response_ready = in.write_response_ready,
                      .read_address = in.read_address,
                      .read_data_ready = in.read_data_ready,
                      .clear = now.supervisor.clear,
                      .status = now.supervisor.status,
                      .fault_code = now.supervisor.fault.code,
                      .fault_command = now.supervisor.fault.command,
                      .fault_address = now.supervisor.fault.address,
                      .head = now.sequencer.head,
                      .marker = now.sequencer.marker,
                      .links = concat(in.down_in.valid, in.up_in.valid),
                      .interrupts = concat(now.supervisor.fault_interrupt, now.sequencer.fence,
                                           now.supervisor.done_interrupt),
                      .counts = UInt<kCounters>::from_raw(counts)});
  }

  /// Whether an engine, the fetcher or a token has met a fault that stops the device a clock later:
  /// no fence may be passed in between, although all engines may be idle.
  static UInt1 meets_fault(const State& now) {
    return now.fetcher.fault.raised | now.load.fault.raised | now.store.fault.raised |
           now.vector.fault.raised | now.tokens.overflow;
  }

  /// From the ring to the engines' queues.
  void fetch(const State& now, const Inputs& in, const UInt1& engines_done) {
    const Reader reader = next_reader(now);
    Beat<Burst> burst = now.fetcher.burst;
    if (reader == kReaderLoad) burst = now.load.burst;
    if (reader == kReaderVector) burst = now.vector.read_burst;
    requests_.push({.valid = burst.valid,
                    .data = {.address = burst.data.address,
                             .beats_less_one = burst.data.beats_less_one,
                             .id = reader}});
    requests_.pop(in.memory_read_request_ready);
    fetcher_.clock({.ring = now.registers.ring,
                    .head = now.sequencer.head,
                    .windows = now.registers.read_windows,
                    .stop = now.supervisor.stop,
                    .clear = now.supervisor.clear,
                    .burst_ready = requests_.ready(),
                    .read_valid = now.read.valid & as_bit(now.read.data.id == kReaderFetcher),
                    .read_data = now.read.data.data,
                    .read_error = now.read.data.error,
                    .read_last = now.read.data.last,
                    .command_ready = now.sequencer.command_ready});
    sequencer_.clock({.command = now.fetcher.command,
                      .load_ready = load_queue_.ready(),
                      .compute_ready = compute_queue_.ready(),
                      .store_ready = store_queue_.ready(),
                      .vector_ready = vector_queue_.ready(),
                      .engines_done = engines_done,
                      .resume = now.registers.resume,
                      .stop = now.supervisor.stop | meets_fault(now),
                      .clear = now.supervisor.clear});
    load_queue_.push(now.sequencer.load);
    compute_queue_.push(now.sequencer.compute);
    store_queue_.push(now.sequencer.store);
    vector_queue_.push(now.sequencer.vector);
  }

  /// The engines, the buffers and the matrix unit.
  void move_data(const State& now, const Inputs& in) {
    load_.clock({.command = load_queue_.front(),
                 .tokens = now.tokens.available.load,
                 .windows = now.registers.read_windows,
                 .stop = now.supervisor.stop,
                 .burst_ready = may_read<kReaderLoad>(now),
                 .read = {.valid = now.read.valid & as_bit(now.read.data.id == kReaderLoad),
                          .data = {.data = carried(now.read.data.data),
                                   .error = now.read.data.error,
                                   .last = now.read.data.last}}});
    load_queue_.pop(now.load.command_ready);

    const auto rows = read_rows(now);
    const auto weights = read_weights(now);
    compute_.clock({.command = compute_queue_.front(),
                    .tokens = now.tokens.available.compute,
                    .stop = now.supervisor.stop,
                    .rows_data = rows,
                    .weights_data = weights});
    compute_queue_.pop(now.compute.command_ready);

    const Result result = multiply(now);
    const auto mask = read_mask(now);
    store_.clock({.command = store_queue_.front(),
                  .tokens = now.tokens.available.store,
                  .windows = now.registers.write_windows,
                  .stop = now.supervisor.stop,
                  .result_valid = result.valid,
                  .result = result.sums,
                  .mask = mask,
                  .burst_ready = in.memory_write_request_ready & may_request<kWriterStore>(),
                  .write_ready = in.memory_write_ready & may_write<kWriterStore>(),
                  .response_valid = in.memory_response.valid & is_answered<kWriterStore>(),
                  .response_error = in.memory_response.data});
    store_queue_.pop(now.store.command_ready);
  }

  void run_vectors(const State& now, const Inputs& in) {
    const typename VectorEngine<kN, kData, kBus>::Inputs inputs = {
        .command = vector_queue_.front(),
        .tokens = now.tokens.available.vector,
        .read_windows = now.registers.read_windows,
        .write_windows = now.registers.write_windows,
        .stop = now.supervisor.stop,
        .read_burst_ready = may_read<kReaderVector>(now),
        .read = {.valid = now.read.valid & as_bit(now.read.data.id == kReaderVector),
                 .data = {.data = now.read.data.data,
                          .error = now.read.data.error,
                          .last = now.read.data.last}},
        .write_burst_ready = in.memory_write_request_ready & may_request<kWriterVector>(),
        .write_ready = in.memory_write_ready & may_write<kWriterVector>(),
        .response_valid = in.memory_response.valid & is_answered<kWriterVector>(),
        .response_error = in.memory_response.data,
        .up_in = in.up_in,
        .down_in = in.down_in,
        .up_out_ready = in.up_out_ready,
        .down_out_ready = in.down_out_ready,
        .link_patience = now.registers.link_patience};
    vector_.clock(inputs);
    vector_queue_.pop(now.vector.command_ready);
  }

  /// Whose burst may go to the bus: the fetcher's before the others, and those take turns.
  Reader next_reader(const State& now) const {
    if (now.fetcher.burst.valid) return Reader(kReaderFetcher);
    const UInt1 vector_goes = now.vector.read_burst.valid & (vector_reads_ | ~now.load.burst.valid);
    return vector_goes ? Reader(kReaderVector) : Reader(kReaderLoad);
  }

  /// Whether a burst of load or the vector engine would be taken: what its own valid does not tell.
  template <int kReader>
  UInt1 may_read(const State& now) const {
    const UInt1 first = kReader == kReaderVector ? vector_reads_ | ~now.load.burst.valid
                                                 : ~(vector_reads_ & now.vector.read_burst.valid);
    return requests_.ready() & ~now.fetcher.burst.valid & first;
  }

  // AW goes to store and vector in turns, W follows AW's order, and B does.
  Beat<Burst> write_request(const Beat<Burst>& store, const Beat<Burst>& vector) const {
    const auto writing = writing_.outputs();
    Beat<Burst> burst = store;
    if (writing.selected == kWriterVector) burst = vector;
    burst.valid = burst.valid & writing.has_room;
    return burst;
  }
  using Write = Beat<WriteBeat<kBus, kData>>;
  Write write(const Write& store, const Write& vector) const {
    const auto owner = writing_.outputs().owner;
    Write beat = store;
    if (owner.data == kWriterVector) beat = vector;
    beat.valid = beat.valid & owner.valid;
    return beat;
  }
  template <int kWriter>
  UInt1 may_request() const {
    const auto writing = writing_.outputs();
    return writing.has_room & as_bit(writing.selected == kWriter);
  }
  template <int kWriter>
  UInt1 may_write() const {
    const auto owner = writing_.outputs().owner;
    return owner.valid & as_bit(owner.data == kWriter);
  }
  template <int kWriter>
  UInt1 is_answered() const {
    return as_bit(answering_.outputs().pop.data == UInt1(kWriter));
  }
  void share_bus(const State& now, const Inputs& in, const UInt1& rests) {
    const Reader reader = next_reader(now);
    const UInt1 reads = reader == kReaderVector ? now.vector.read_burst.valid
                                                : now.load.burst.valid & ~now.fetcher.burst.valid;
    if (reads & requests_.ready()) {
      vector_reads_ = as_bit(reader == kReaderLoad);
    } else if (rests & ~reads) {
      vector_reads_ = UInt1(0);  // as after reset: a program's clocks do not depend on the last one
    }
    const UInt1 taken = write_request(now.store.burst, now.vector.write_burst).valid &
                        in.memory_write_request_ready;
    const UInt1 is_vectors = as_bit(writing_.outputs().selected == kWriterVector);
    const Write beat = write(now.store.write, now.vector.write);
    writing_.clock(
        {.offers = concat(UInt<2>(0), now.vector.write_burst.valid, now.store.burst.valid),
         .taken = taken,
         .done = beat.valid & beat.data.last & in.memory_write_ready,
         .rests = rests});
    answering_.clock(
        {.push = {.valid = taken, .data = is_vectors}, .pop_ready = in.memory_response.valid});
  }

  template <typename T>
  static Carried<T, kData> carried(const T& data) {
    if constexpr (kData) {
      return data;
    } else {
      return {};
    }
  }

  Carried<Operands, kData> read_rows(const State& now) {
    if constexpr (kData) {
      return rows_
          .clock({.read_enable = now.compute.rows_read,
                  .read_address = now.compute.rows_address,
                  .write_enable = now.load.rows_valid,
                  .write_address = now.load.row,
                  .write_data = now.load.operands})
          .read_data;
    } else {
      return {};
    }
  }

  Carried<Operands, kData> read_weights(const State& now) {
    if constexpr (kData) {
      return weights_
          .clock({.read_enable = now.compute.weights_read,
                  .read_address = now.compute.weights_address,
                  .write_enable = now.load.weights_valid,
                  .write_address = truncate<UInt<12>>(now.load.row),
                  .write_data = now.load.operands})
          .read_data;
    } else {
      return {};
    }
  }

  Carried<UInt<kN>, kData> read_mask(const State& now) {
    if constexpr (kData) {
      return masks_
          .clock({.read_enable = now.store.mask_read,
                  .read_address = now.store.mask_row,
                  .write_enable = now.load.masks_valid,
                  .write_address = truncate<UInt<11>>(now.load.row),
                  .write_data = now.load.mask})
          .read_data;
    } else {
      return {};
    }
  }

  struct Result {
    UInt1 valid;
    Carried<Vec<UInt32, kN>, kData> sums;
  };
  Result multiply(const State& now) {
    if constexpr (kData) {
      const auto unit = unit_.clock({.row_valid = now.compute.row_valid,
                                     .activation = now.compute.activation,
                                     .plane = now.compute.plane,
                                     .is_int8 = now.compute.is_int8,
                                     .row = now.compute.row,
                                     .accumulate = now.compute.accumulate,
                                     .weight_valid = now.compute.weight_valid,
                                     .weight = now.compute.weight,
                                     .weight_column = now.compute.weight_column,
                                     .weight_plane = now.compute.weight_plane,
                                     .preload_valid = now.load.accumulators_valid,
                                     .preload_row = truncate<SumRow>(now.load.row),
                                     .preload = now.load.sums,
                                     .read_valid = now.store.read_valid,
                                     .read_row = now.store.read_row});
      return {.valid = unit.result_valid, .sums = unit.result};
    } else {
      const UInt1 valid = unit_.front();
      unit_.move(now.store.read_valid);
      return {.valid = valid, .sums = {}};
    }
  }

  /// Transactions that the bus owes an answer.
  void watch_bus(const State& now, const Inputs& in) {
    const bool read_asked = requests_.front().valid && in.memory_read_request_ready;
    const bool read_done = now.read.valid && takes_read(now) && now.read.data.last;
    const bool write_asked = write_request(now.store.burst, now.vector.write_burst).valid &&
                             in.memory_write_request_ready;
    const bool write_done = in.memory_response.valid && now.store.response_ready;
    reads_.move(read_asked, read_done);
    writes_.move(write_asked, write_done);
  }

  Registers<kN, kBankRows, kBus> registers_;
  Fetcher<kBus> fetcher_;
  Simulated<Sequencer<kN>, kData> sequencer_;
  Tokens tokens_;
  Simulated<Supervisor, kData> supervisor_;
  Channel<ReadRequest, 2> requests_;
  RegisterSlice<MemoryRead<kBus>> arriving_;
  Channel<Command, kQueueDepth> load_queue_;
  Channel<Command, kQueueDepth> compute_queue_;
  Channel<Command, kQueueDepth> store_queue_;
  Channel<Command, kQueueDepth> vector_queue_;
  Simulated<LoadEngine<kN, kData, kBus>, kData> load_;
  Simulated<ComputeEngine<kN, kData, kStages>, kData> compute_;
  Simulated<StoreEngine<kN, kData, kBus>, kData> store_;
  Simulated<VectorEngine<kN, kData, kBus>, kData> vector_;
  BurstArbiter<kWrites> writing_;
  Fifo<UInt1, kAnswers> answering_;  ///< whose write burst is answered next
  UInt1 vector_reads_;               ///< its burst before load's
  Carried<Ram<Operands, kRowBufferRows>, kData> rows_;
  Carried<Ram<Operands, kWeightBufferRows>, kData> weights_;
  Carried<Ram<UInt<kN>, kMaskRows>, kData> masks_;
  std::conditional_t<kData, Unit, DelayLine<Unit::kReadCycles>> unit_;
  Owed reads_;
  Owed writes_;
};

}  // namespace systole::kernels
