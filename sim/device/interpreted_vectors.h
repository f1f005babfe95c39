#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/device/interpreted_links.h"
#include "sim/device/vector_interpreter.h"
#include "sim/device/windowed_memory.h"

namespace systole {

/// The vector engine for ProgramInterpreter: its streams, programs and runs, command by command.
///
/// A stream that reads is read when its command comes. A run happens once its input words are
/// there, and its output words are written as streams for them come. Streams and runs may come in
/// any order.
///
/// Numbers  docs/numerics.md section 8 and docs/vector.md, in every bit
/// Limits   words that wait are kept without a bound, so a program that blocks the device because
///          its queues are full runs here
/// Errors   faults are returned with their command's number: illegal_command for a run over
///          instructions that no program has brought, or with its address for an instruction that
///          the unit does not have; windows and memory errors of streams and programs; link_stall
///          for a stream whose neighbour is not there or has sent none, link_length for one of
///          another length
class InterpretedVectors {
 public:
  InterpretedVectors(int lanes, const WindowedMemory& memory);

  ProgramFault load(const device::VectorProgram& command, std::uint32_t index);
  ProgramFault start(const device::VectorStream& stream, std::uint32_t index);
  ProgramFault run(const device::VectorRun& command, std::uint32_t index);

  void set_links(const InterpretedLinks& links) { links_ = links; }
  /// Whether the stream is one that a neighbour has still to send.
  bool waits_for_neighbour(const device::VectorStream& stream) const;

  /// Forgets programs, streams and runs; registers and constants stay.
  void reset();

 private:
  struct Output {
    device::VectorStream stream;
    std::uint32_t index = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;              ///< of the next word's first element
    std::vector<std::uint32_t> sent = {};  ///< lanes for a neighbour, until all are there
  };

  InterpretedLink* link_of(const device::VectorStream& stream) const;
  ProgramFault receive(const device::VectorStream& stream);
  ProgramFault send_word(Output& output, std::span<const std::uint32_t> word);
  ProgramFault read(const device::VectorStream& stream);
  ProgramFault proceed();
  bool has_words_for(const device::VectorRun& command) const;
  std::array<std::size_t, 4> words_taken_by(const device::VectorRun& command) const;
  void execute(const device::VectorRun& command);
  ProgramFault write_out(unsigned number);
  ProgramFault write_word(Output& output, std::span<const std::uint32_t> word);

  std::size_t lanes_;
  const WindowedMemory* memory_;
  vector::Interpreter unit_;
  std::array<vector::Instruction, 64> code_{};
  std::uint64_t loaded_ = 0;  ///< a bit for each instruction that is there
  std::vector<std::uint32_t> constants_;
  std::array<std::vector<std::uint32_t>, 4> in_, out_;  ///< words that wait
  std::deque<device::VectorRun> runs_;
  std::array<std::deque<Output>, 4> outputs_;
  std::vector<std::byte> bytes_;
  InterpretedLinks links_;
};

}  // namespace systole
