#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "host/device/memory_range.h"
#include "sim/device/interpreted_links.h"
#include "sim/device/program_interpreter.h"
#include "sim/device/vector_interpreter.h"

namespace systole {

/// Computes the effect of a kernel's commands on memory: the vector engine's programs, streams and
/// runs, in some order in which the engine may take them. Thousands of elements go through an
/// instruction at once, and large runs are shared between threads.
///
/// Limits   legal commands whose streams have as many words as their runs take and send; no output
///          overwrites what a later run reads, or another element of its own run reads; each
///          neighbour whose words are taken has sent them
/// Numbers  docs/numerics.md section 8: the device's bits
class KernelRunner {
 public:
  KernelRunner(int lanes, int threads, ProgramMemory& memory);

  /// The neighbours of this core; it has none unless told.
  void set_links(const InterpretedLinks& links) { links_ = links; }
  /// Whether neighbours have sent all that the commands take from them, in streams as long.
  bool has_words_of_neighbours(std::span<const device::CommandWord> commands) const;

  /// Whether all that the commands touch lies in memory.
  bool can_run(std::span<const device::CommandWord> commands) const;

  /// Limits   can_run
  /// Errors   std::invalid_argument for commands that are none of a kernel
  void run(std::span<const device::CommandWord> commands);

 private:
  /// A stream of the kernel: its words are numbered on from the streams before it. Rows that follow
  /// each other in memory, with no padding between their words, are one row here.
  struct Piece {
    device::VectorStreamFormat format = {};
    bool broadcasts = false;
    std::byte* memory = nullptr;  ///< of the first row
    std::size_t first = 0, words = 0;
    std::size_t words_a_row = 1, elements_a_row = 0, row_stride = 0;

    /// The place of these words if they lie in memory as the lanes have them.
    std::uint32_t* lanes_at(std::size_t word, std::size_t count, std::size_t lanes) const;
  };
  /// The streams of one port in the order of their commands, and the next word.
  struct Port {
    std::vector<Piece> pieces;
    std::size_t next = 0;
    bool overlaps = false;  ///< a row of an output reaches into the next one

    /// Errors   std::invalid_argument if the streams end before so many more words
    void need(std::size_t words) const;
  };
  /// What one thread needs.
  struct Worker {
    explicit Worker(int lanes) : unit(lanes) {}
    vector::Interpreter unit;
    std::array<std::vector<std::uint32_t>, 4> in, out;
  };

  void add(const device::VectorStream& stream);
  std::byte* words_of_link(const device::VectorStream& stream);
  std::size_t lanes_of(const device::VectorStream& stream) const;  ///< of all its words
  void load(const device::VectorProgram& command);
  void run(const device::VectorRun& command);
  void run_part(Worker& worker, const vector::Program& program, const vector::Flow& flow,
                const device::VectorRun& command, std::uint32_t first, std::uint32_t words) const;
  std::uint32_t* place(std::size_t number, std::size_t word, std::size_t count,
                       const vector::Flow& flow, const vector::Interpreter::Places& places) const;
  std::span<const std::uint32_t> read(const Port& port, std::size_t word, std::size_t count,
                                      std::vector<std::uint32_t>& buffer) const;
  void write(const Port& port, std::size_t word, std::span<const std::uint32_t> lanes) const;

  std::size_t lanes_;
  ProgramMemory* memory_;
  std::vector<Worker> workers_;
  std::array<Port, 4> in_, out_;
  std::array<vector::Instruction, 64> code_;
  std::vector<std::uint32_t> constants_;
  InterpretedLinks links_;
  std::deque<std::vector<std::uint32_t>> received_;  ///< by this kernel
  struct Sent {
    InterpretedLink* link = nullptr;
    std::vector<std::uint32_t> lanes;
  };
  std::deque<Sent> sent_;
};

/// The memory that a kernel's commands write, links aside.
std::vector<MemoryRange> written_by(std::span<const device::CommandWord> kernel);

}  // namespace systole
