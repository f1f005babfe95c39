#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/loops/machine_ports.h"
#include "hls/compiler/loops/stream_end.h"

namespace systole::compiler {

/// "systole_axi_reader_4_8", the module of AxiReader<4, 8>.
std::string axi_module(const char* engine, const AxiShape& shape);

/// The engines of a kernel's AxiArrays, systole::hls::AxiReader and AxiWriter, and their AXI4
/// ports.
///
/// Limits   a port has no id: one manager, whose answers come in order. RLAST is not looked at
class MachineAxi {
 public:
  MachineAxi(const LoweredKernel& kernel, MachinePorts& ports);

  StreamEnd end(const KernelStream& stream) const;
  /// Connects the ports; `starts` is set where a run of the kernel starts.
  void drive(llvm::Value* starts);

 private:
  void add_reader(int memory);
  void add_writer(int memory);
  void drive_reader(const std::string& name, const AxiShape& shape, int reader);
  void drive_writer(const std::string& name, const AxiShape& shape, int writer);
  /// An AXI port of the module: "a_arvalid".
  llvm::Value* input(const std::string& name, unsigned width);
  void output(const std::string& name, llvm::Value* value);
  void request(const std::string& channel, const AxiShape& shape, int engine, int first_output);

  const LoweredKernel& kernel_;
  MachinePorts& ports_;
  std::map<int, int> readers_;  ///< instances by memory
  std::map<int, int> writers_;
};

}  // namespace systole::compiler
