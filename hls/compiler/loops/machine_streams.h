#pragma once

#include <map>
#include <vector>

#include "hls/compiler/loops/machine_axi.h"
#include "hls/compiler/loops/machine_ports.h"
#include "hls/compiler/loops/stream_end.h"

namespace systole::compiler {

/// The streams of a kernel's machine, each behind a register slice or an engine, so that no path
/// leads from one port to another and whether the machine may move depends on registers alone.
class MachineStreams {
 public:
  MachineStreams(const std::vector<KernelStream>& streams, const MachineAxi& axi,
                 MachinePorts& ports);

  void pop(int stream, llvm::Value* when);
  void push(int stream, llvm::Value* when, llvm::Value* value);
  /// The element that is popped, in the same clock.
  llvm::Value* popped(int stream);
  /// Whether no pop waits for an element and no push for a place; null without streams. After the
  /// last pop and push.
  llvm::Value* moves();
  /// Connects every port. Where `idle` is set, a stream that is emptied loses what waits.
  void drive(llvm::Value* moves, llvm::Value* idle);

 private:
  struct Use {
    llvm::Value* when;
    llvm::Value* value;
  };
  StreamEnd add_slice(const KernelStream& stream);
  llvm::Value* wanted(int stream) const;
  void drive_port(const KernelStream& stream, const StreamEnd& end);

  const std::vector<KernelStream>& streams_;
  MachinePorts& ports_;
  std::map<int, StreamEnd> ends_;
  std::map<int, std::vector<Use>> uses_;
};

}  // namespace systole::compiler
