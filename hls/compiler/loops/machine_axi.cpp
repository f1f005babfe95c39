#include "hls/compiler/loops/machine_axi.h"

#include <fmt/format.h>
#include <llvm/Support/MathExtras.h>

namespace systole::compiler {
namespace {

// The ports of the engines, in the order of their instances here.
enum ReaderInput {
  kReadRunValid,
  kReadRunAddress,
  kReadRunCount,
  kReadElementReady,
  kReadClear,
  kReadRequestReady,
  kReadValid,
  kReadData,
  kReadError
};
enum ReaderOutput {
  kReadRunReady,
  kReadElementValid,
  kReadElementData,
  kReaderError,
  kReadRequest,  // valid, address, beats
  kReadReady = kReadRequest + 3
};
enum WriterInput {
  kWriteRunValid,
  kWriteRunAddress,
  kWriteRunCount,
  kWriteElementValid,
  kWriteElementData,
  kWriteClear,
  kWriteRequestReady,
  kWriteReady,
  kResponseValid,
  kResponseError
};
enum WriterOutput {
  kWriteRunReady,
  kWriteElementReady,
  kWriteIdle,
  kWriterError,
  kWriteRequest,
  kWriteValid = kWriteRequest + 3,
  kWriteData,
  kWriteStrobe,
  kWriteLast,
  kResponseReady
};

constexpr unsigned kResponseBits = 2;
constexpr unsigned kIncrementing = 1;  // AxBURST
constexpr unsigned kModifiable = 3;    // AxCACHE: normal memory, not cached
constexpr unsigned kDataAccess = 0;    // AxPROT

std::vector<Leaf> leaves(std::initializer_list<std::pair<const char*, unsigned>> ports) {
  std::vector<Leaf> all;
  for (const auto& [name, width] : ports) all.push_back(MachinePorts::leaf(name, width));
  return all;
}

}  // namespace

std::string axi_module(const char* engine, const AxiShape& shape) {
  return fmt::format("systole_axi_{}_{}_{}", engine, shape.element_bytes, shape.bus_bytes);
}

MachineAxi::MachineAxi(const LoweredKernel& kernel, MachinePorts& ports)
    : kernel_(kernel), ports_(ports) {
  for (const KernelStream& stream : kernel.streams) {
    if (stream.role == StreamRole::kReaderRun) add_reader(stream.memory);
    if (stream.role == StreamRole::kWriterRun) add_writer(stream.memory);
  }
}

void MachineAxi::add_reader(int memory) {
  const KernelMemory& array = kernel_.memories[static_cast<std::size_t>(memory)];
  const auto bus = static_cast<unsigned>(8 * array.axi->bus_bytes);
  readers_[memory] = ports_.add_instance(
      array.word.name + "_reader",
      {.name = axi_module("reader", *array.axi), .parameters = "", .has_reset = true}, 4,
      leaves({{"run_valid", 1},
              {"run_data_address", kAxiAddressBits},
              {"run_data_count", kAxiCountBits},
              {"element_ready", 1},
              {"clear", 1},
              {"request_ready", 1},
              {"read_valid", 1},
              {"read_data_data", bus},
              {"read_data_error", 1}}),
      leaves({{"run_ready", 1},
              {"element_valid", 1},
              {"element_data", array.word.width},
              {"error", 1},
              {"request_valid", 1},
              {"request_data_address", kAxiAddressBits},
              {"request_data_beats_less_one", 8},
              {"read_ready", 1}}));
}

void MachineAxi::add_writer(int memory) {
  const KernelMemory& array = kernel_.memories[static_cast<std::size_t>(memory)];
  const auto bus = static_cast<unsigned>(8 * array.axi->bus_bytes);
  writers_[memory] = ports_.add_instance(
      array.word.name + "_writer",
      {.name = axi_module("writer", *array.axi), .parameters = "", .has_reset = true}, 4,
      leaves({{"run_valid", 1},
              {"run_data_address", kAxiAddressBits},
              {"run_data_count", kAxiCountBits},
              {"element_valid", 1},
              {"element_data", array.word.width},
              {"clear", 1},
              {"request_ready", 1},
              {"write_ready", 1},
              {"response_valid", 1},
              {"response_data", 1}}),
      leaves({{"run_ready", 1},
              {"element_ready", 1},
              {"idle", 1},
              {"error", 1},
              {"request_valid", 1},
              {"request_data_address", kAxiAddressBits},
              {"request_data_beats_less_one", 8},
              {"write_valid", 1},
              {"write_data_data", bus},
              {"write_data_strobe", bus / 8},
              {"write_data_last", 1},
              {"response_ready", 1}}));
}

StreamEnd MachineAxi::end(const KernelStream& stream) const {
  const unsigned width = stream.element.width;
  switch (stream.role) {
    case StreamRole::kReaderRun:
      return {.instance = readers_.at(stream.memory),
              .there = kReadRunReady,
              .transfer = kReadRunValid,
              .fields = {{kReadRunAddress, 0, kAxiAddressBits},
                         {kReadRunCount, kAxiAddressBits, kAxiCountBits}}};
    case StreamRole::kReaderElement:
      return {.instance = readers_.at(stream.memory),
              .there = kReadElementValid,
              .transfer = kReadElementReady,
              .data = kReadElementData};
    case StreamRole::kWriterRun:
      return {.instance = writers_.at(stream.memory),
              .there = kWriteRunReady,
              .transfer = kWriteRunValid,
              .fields = {{kWriteRunAddress, 0, kAxiAddressBits},
                         {kWriteRunCount, kAxiAddressBits, kAxiCountBits}}};
    case StreamRole::kWriterElement:
      return {.instance = writers_.at(stream.memory),
              .there = kWriteElementReady,
              .transfer = kWriteElementValid,
              .fields = {{kWriteElementData, 0, width}}};
    default:
      return {.instance = writers_.at(stream.memory), .there = kWriteIdle};
  }
}

llvm::Value* MachineAxi::input(const std::string& name, unsigned width) {
  return ports_.input(ports_.add_input(MachinePorts::leaf(name, width)));
}

void MachineAxi::output(const std::string& name, llvm::Value* value) {
  ports_.add_output(MachinePorts::leaf(name, value->getType()->getIntegerBitWidth()), value);
}

void MachineAxi::request(const std::string& channel, const AxiShape& shape, int engine,
                         int first_output) {
  llvm::IRBuilder<>& builder = ports_.builder();
  output(channel + "valid", ports_.output_of(engine, first_output));
  output(channel + "addr", ports_.output_of(engine, first_output + 1));
  output(channel + "len", ports_.output_of(engine, first_output + 2));
  output(channel + "size",
         builder.getIntN(3, llvm::Log2_32(static_cast<unsigned>(shape.bus_bytes))));
  output(channel + "burst", builder.getIntN(2, kIncrementing));
  output(channel + "cache", builder.getIntN(4, kModifiable));
  output(channel + "prot", builder.getIntN(3, kDataAccess));
}

void MachineAxi::drive_reader(const std::string& name, const AxiShape& shape, int reader) {
  llvm::IRBuilder<>& builder = ports_.builder();
  request(name + "_ar", shape, reader, kReadRequest);
  ports_.drive(reader, kReadRequestReady, input(name + "_arready", 1));
  ports_.drive(reader, kReadValid, input(name + "_rvalid", 1));
  ports_.drive(reader, kReadData,
               input(name + "_rdata", static_cast<unsigned>(8 * shape.bus_bytes)));
  llvm::Value* response = input(name + "_rresp", kResponseBits);
  ports_.drive(reader, kReadError,
               builder.CreateICmpNE(response, builder.getIntN(kResponseBits, 0)));
  output(name + "_rready", ports_.output_of(reader, kReadReady));
}

void MachineAxi::drive_writer(const std::string& name, const AxiShape& shape, int writer) {
  llvm::IRBuilder<>& builder = ports_.builder();
  request(name + "_aw", shape, writer, kWriteRequest);
  ports_.drive(writer, kWriteRequestReady, input(name + "_awready", 1));
  output(name + "_wvalid", ports_.output_of(writer, kWriteValid));
  output(name + "_wdata", ports_.output_of(writer, kWriteData));
  output(name + "_wstrb", ports_.output_of(writer, kWriteStrobe));
  output(name + "_wlast", ports_.output_of(writer, kWriteLast));
  ports_.drive(writer, kWriteReady, input(name + "_wready", 1));
  ports_.drive(writer, kResponseValid, input(name + "_bvalid", 1));
  llvm::Value* response = input(name + "_bresp", kResponseBits);
  ports_.drive(writer, kResponseError,
               builder.CreateICmpNE(response, builder.getIntN(kResponseBits, 0)));
  output(name + "_bready", ports_.output_of(writer, kResponseReady));
}

void MachineAxi::drive(llvm::Value* starts) {
  if (readers_.empty() && writers_.empty()) return;
  llvm::Value* error = ports_.builder().getFalse();
  for (std::size_t i = 0; i < kernel_.memories.size(); ++i) {
    const KernelMemory& array = kernel_.memories[i];
    const auto drive = [&](const std::map<int, int>& engines, int clear, int failed, auto connect) {
      const auto found = engines.find(static_cast<int>(i));
      if (found == engines.end()) return;
      (this->*connect)(array.word.name, *array.axi, found->second);
      ports_.drive(found->second, clear, starts);
      error = ports_.builder().CreateOr(error, ports_.output_of(found->second, failed));
    };
    drive(readers_, kReadClear, kReaderError, &MachineAxi::drive_reader);
    drive(writers_, kWriteClear, kWriterError, &MachineAxi::drive_writer);
  }
  output("error", error);
}

}  // namespace systole::compiler
