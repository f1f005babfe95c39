#include "sim/systemc/axi_to_tlm.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/memory/next_reader.h"

namespace systole::sim {
namespace {

constexpr std::uint8_t kNotRead = 0xa5;  // as AxiMemory fills the bytes before a burst's address

}  // namespace

AxiToTlm::AxiToTlm(const sc_core::sc_module_name& name, sc_core::sc_time period, Failure& failure)
    : sc_module(name), period_(std::move(period)), failure_(failure) {
  SC_HAS_PROCESS(AxiToTlm);
  SC_METHOD(clock);
  sensitive << clk.pos();
  dont_initialize();
}

void AxiToTlm::restart(int bus_bytes, const MemoryBehaviour& behaviour) {
  bus_bytes_ = bus_bytes;
  most_bursts_ = behaviour.bursts;
  mix_reads_ = behaviour.mix_reads;
  pace_.emplace(bus_bytes, behaviour);
  now_ = 0;
  for (auto& queue : reads_) queue.clear();
  writes_.clear();
  responses_.clear();
  reads_outstanding_ = writes_outstanding_ = 0;
  shown_ = {};
  to->write(shown_);
}

void AxiToTlm::clock() {
  failure_.guard([&] {
    take(from->read());
    ++now_;
    pace_->tick();
    show_next();
    to->write(shown_);
  });
}

void AxiToTlm::take(const AxiFromDevice& in) {
  if (shown_.read.valid && in.read_ready) {
    if (shown_.read.last) --reads_outstanding_;
    shown_.read.valid = false;
  }
  if (shown_.response.valid && in.response_ready) {
    --writes_outstanding_;
    shown_.response.valid = false;
  }
  if (in.write.valid && shown_.write_ready) take_write(in.write);
  if (in.read_request.valid && shown_.read_request_ready) take_read_request(in.read_request);
  if (in.write_request.valid && shown_.write_request_ready) {
    WriteBurst& burst = writes_.push({});
    burst.address = in.write_request.address;
    burst.beats = in.write_request.beats_less_one + 1;
    ++writes_outstanding_;
  }
}

void AxiToTlm::take_read_request(const MemoryRequest& request) {
  ReadBurst& burst = reads_[request.id % kReaders].push({});
  ++reads_outstanding_;
  burst.beats = request.beats_less_one + 1;
  const int before = static_cast<int>(request.address) & (bus_bytes_ - 1);
  std::memset(burst.bytes.data(), kNotRead, static_cast<std::size_t>(before));
  burst.ready_at = transport(tlm::TLM_READ_COMMAND, request.address, burst.bytes.data() + before,
                             nullptr, burst.beats * bus_bytes_ - before, burst.error);
}

void AxiToTlm::take_write(const MemoryWrite& write) {
  pace_->count_write();
  WriteBurst& burst = writes_.front();
  const int first = burst.taken * bus_bytes_;
  std::memcpy(burst.bytes.data() + first, write.data.data(), static_cast<std::size_t>(bus_bytes_));
  for (int i = 0; i < bus_bytes_; ++i) {
    const bool is_set = write.strobe[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1;
    burst.enables[static_cast<std::size_t>(first + i)] =
        is_set ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  if (++burst.taken != burst.beats) return;
  const int before = static_cast<int>(burst.address) & (bus_bytes_ - 1);
  Response& response = responses_.push({});
  response.ready_at =
      transport(tlm::TLM_WRITE_COMMAND, burst.address, burst.bytes.data() + before,
                burst.enables.data() + before, burst.beats * bus_bytes_ - before, response.error);
  writes_.pop();
}

std::uint64_t AxiToTlm::transport(tlm::tlm_command command, std::uint64_t address,
                                  std::uint8_t* bytes, std::uint8_t* enables, int size,
                                  bool& error) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(bytes);
  payload_.set_data_length(static_cast<unsigned>(size));
  payload_.set_streaming_width(static_cast<unsigned>(size));
  payload_.set_byte_enable_ptr(enables);
  payload_.set_byte_enable_length(enables != nullptr ? static_cast<unsigned>(size) : 0);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  memory->b_transport(payload_, delay);
  error = !payload_.is_response_ok();
  return now_ + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(delay / period_)));
}

void AxiToTlm::show_next() {
  shown_.read_request_ready =
      reads_outstanding_ < most_bursts_ && !pace_->stalled(ChannelPace::kReadRequest);
  shown_.write_request_ready =
      writes_outstanding_ < most_bursts_ && !pace_->stalled(ChannelPace::kWriteRequest);
  shown_.write_ready = !writes_.empty() && pace_->may_write();
  if (!shown_.read.valid && reads_outstanding_ != 0) show_read(shown_.read);
  if (!shown_.response.valid && !responses_.empty() && responses_.front().ready_at <= now_ &&
      !pace_->stalled(ChannelPace::kResponse)) {
    shown_.response = {.valid = true, .error = responses_.front().error};
    responses_.pop();
  }
}

void AxiToTlm::show_read(MemoryRead& read) {
  if (!pace_->may_read()) return;
  const int id = next_reader(reads_, now_, mix_reads_, *pace_);
  if (id < 0) return;
  pace_->count_read();
  ReadBurst& burst = reads_[id].front();
  read.valid = true;
  read.id = static_cast<std::uint8_t>(id);
  read.error = burst.error;
  std::memcpy(read.data.data(), burst.bytes.data() + burst.shown * bus_bytes_,
              static_cast<std::size_t>(bus_bytes_));
  read.last = ++burst.shown == burst.beats;
  if (read.last) reads_[id].pop();
}

}  // namespace systole::sim
