#pragma once

#include <array>
#include <cstdint>

namespace systole::sim {

/// The accelerator's inputs and outputs in one clock, as plain data. A transfer happens at the edge
/// that ends a clock in which a channel's valid and ready are both set.
///
/// Shapes   data byte i is lane i of the bus: a beat's bytes lie at lanes address mod the bus's
///          width and up. Strobe bit i of word i / 64 goes with byte i. Only as many bytes and bits
///          as the bus has count.
/// Limits   buses of up to kMaxBusBytes
inline constexpr int kMaxBusBytes = 512;
inline constexpr int kMaxLinkLanes = 32;

/// Who reads, by the id of AR and R.
enum ReaderId : std::uint8_t { kReadsCommands, kReadsLoads, kReadsVectors };
inline constexpr int kReaders = 3;

/// AR or AW: an INCR burst of beats_less_one + 1 beats, each as wide as the bus.
struct MemoryRequest {
  std::uint64_t address = 0;
  std::uint8_t beats_less_one = 0;
  std::uint8_t id = 0;  ///< AR only: a ReaderId
  bool valid = false;
  bool operator==(const MemoryRequest&) const = default;
};

/// W
struct MemoryWrite {
  bool valid = false;
  bool last = false;
  std::array<std::uint64_t, kMaxBusBytes / 64> strobe{};
  alignas(64) std::array<std::uint8_t, kMaxBusBytes> data{};
  bool operator==(const MemoryWrite&) const = default;
};

/// R
struct MemoryRead {
  bool valid = false;
  bool last = false;
  bool error = false;
  std::uint8_t id = 0;
  alignas(64) std::array<std::uint8_t, kMaxBusBytes> data{};
  bool operator==(const MemoryRead&) const = default;
};

/// B
struct MemoryResponse {
  bool valid = false;
  bool error = false;
  bool operator==(const MemoryResponse&) const = default;
};

/// The device's side of AXI4, as manager.
struct AxiFromDevice {
  MemoryRequest read_request;
  MemoryRequest write_request;
  MemoryWrite write;
  bool read_ready = false;
  bool response_ready = false;
  bool operator==(const AxiFromDevice&) const = default;
};

/// The memory's side of AXI4.
struct AxiToDevice {
  MemoryRead read;
  MemoryResponse response;
  bool read_request_ready = false;
  bool write_request_ready = false;
  bool write_ready = false;
  bool operator==(const AxiToDevice&) const = default;
};

/// The device's side of AXI4-Lite, as subordinate. Responses: 0 OKAY, 2 SLVERR.
struct LiteFromDevice {
  bool write_address_ready = false;
  bool write_data_ready = false;
  bool write_response_valid = false;
  bool read_address_ready = false;
  bool read_data_valid = false;
  std::uint8_t write_response = 0;
  std::uint8_t read_response = 0;
  std::uint32_t read_data = 0;
  bool operator==(const LiteFromDevice&) const = default;
};

/// The host's side of AXI4-Lite.
struct LiteToDevice {
  bool write_address_valid = false;
  bool write_data_valid = false;
  bool write_response_ready = false;
  bool read_address_valid = false;
  bool read_data_ready = false;
  std::uint8_t write_strobe = 0;
  std::uint16_t write_address = 0;
  std::uint16_t read_address = 0;
  std::uint32_t write_data = 0;
  bool operator==(const LiteToDevice&) const = default;
};

/// A beat of a link between two cores: a quarter of a word, its lowest lanes first.
struct LinkBeat {
  bool valid = false;
  bool last = false;  ///< of its stream
  std::array<std::uint32_t, kMaxLinkLanes> lanes{};
  bool operator==(const LinkBeat&) const = default;
};

/// The device's side of its links to one neighbour, and the neighbour's side.
struct LinkFromDevice {
  LinkBeat out;
  bool in_ready = false;
  bool operator==(const LinkFromDevice&) const = default;
};
struct LinkToDevice {
  LinkBeat in;
  bool out_ready = false;
  bool operator==(const LinkToDevice&) const = default;
};

struct FromDevice {
  AxiFromDevice axi;
  LiteFromDevice lite;
  bool interrupt = false;
  LinkFromDevice up, down;
};

/// A device alone has no neighbours: nothing is offered to it, and nothing is taken.
struct ToDevice {
  AxiToDevice axi;
  LiteToDevice lite;
  LinkToDevice up, down;
};

}  // namespace systole::sim
