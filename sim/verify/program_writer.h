#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/vector/program.h"
#include "sim/verify/program.h"
#include "sim/verify/token_planner.h"
#include "sim/verify/use_map.h"
#include "systole/cosim/random.h"

namespace systole::verify {

/// What a core does in a step that cores of a line do together: words come from one neighbour, go
/// to one, or both.
struct Meeting {
  device::VectorStreamEnd from = device::VectorStreamEnd::kMemory;  ///< kMemory: from none
  device::VectorStreamEnd to = device::VectorStreamEnd::kMemory;    ///< kMemory: to none
  int words = 0;                                                    ///< that come, and go
};

/// Writes a random program: loads of every kind, products of loaded operands, stores of their sums,
/// and fences. The program uses only words that it has written itself, with the same type, and
/// tokens order all accesses of one place; its result is therefore defined.
class ProgramWriter {
 public:
  /// `number` is that of the program in its case.
  ProgramWriter(int array_size, const Layout& layout, cosim::Random& random, int number = 0);

  /// A program of about `actions` commands besides shapes, with the given ending.
  Program write(int actions, Ending ending);

  /// The same with these meetings in their order, and actions between them. The fault, if one is
  /// to be, comes before meeting `fault_before`.
  Program write_meetings(std::span<const Meeting> meetings, Ending ending = Ending::kDone,
                         int fault_before = 0);

  /// The same without a fault, and first a product that waits for sums in flight.
  Program write_waiting_for_sums(int actions);

  /// The same with a command whose shape no earlier command has set.
  Program write_missing_shape(int actions);

 private:
  /// A loaded block in the rows or the weights buffer: word (m, t) at row + t stride + m.
  struct Region {
    device::LoadType type;
    int row, rows, words, stride;
    int tail;  // elements in the last word of a row
    int id;
  };
  struct Extent {  // of a region
    int rows, words;
  };
  struct Operands {  // a buffer of regions
    explicit Operands(std::size_t words) : uses(words), region_of(words, -1) {}
    UseMap uses;
    std::vector<int> region_of;  // of each word, the region that wrote it last
    std::vector<Region> regions;
  };
  struct Rows {  // accumulator or mask rows in use
    int row, count;
  };
  /// One side of a product, cut from a region.
  struct Side {
    int row, tile_stride;
    int lines;  // rows of A, columns of B
    int depth;  // elements of depth from there on
    bool transposed = false;
  };
  /// A tensor of the vector engine.
  struct Tensor {
    device::VectorStream stream;
    std::uint64_t extent = 0;  // in bytes
    std::uint64_t end() const { return stream.address + extent; }
  };
  using Commands = std::vector<device::CommandWord>;
  struct Product {
    device::Matmul word;
    int lines;  // including the row of ones
    int tiles;
    int last_depth;
  };

  // program_writer.cpp
  void act();
  void add_fence();
  std::uint64_t pick_address(std::uint64_t extent, bool writes);
  void memory_needs(std::uint64_t first, std::uint64_t size, Needs& needs) const;
  void use_memory(std::uint64_t first, std::uint64_t size, Engine engine, int command);
  template <typename Body>
  void each_chunk(std::uint64_t first, std::uint64_t size, const Body& body) const;
  void add_shape(std::optional<device::CommandWord>& current, const device::CommandWord& shape);
  bool chance(unsigned in_256) { return random_.below(256) < in_256; }
  int small(int most);  // 1 .. most, usually small
  static std::size_t bank_of(int sum_row) { return static_cast<std::size_t>(sum_row) / 512; }

  // random_loads.cpp
  void add_load(device::LoadBuffer buffer);
  void add_load(device::LoadBuffer buffer, device::LoadType type, int rows, int cols);
  void order_sums_before_load(Needs& needs);
  device::LoadPatches random_patches(int pixel_bytes);
  void note_loaded(device::LoadBuffer buffer, const Region& region, int command);

  // random_products.cpp
  void add_matmul();
  Region operand_region(Operands& operands, device::LoadBuffer buffer, device::LoadType type,
                        Extent least);
  Side cut_a(const Region& region, bool transposed, Extent least);
  Side cut_b(const Region& region, bool transposed, Extent least);
  void multiply(const Side& a, const Side& b, bool is_int8, int least_tiles);
  void add_product(const Side& a, const Side& b, const Product& which);
  void add_product_that_waits_for_sums();
  void add_scale();
  void add_store();
  void add_store(Rows sums, const Block& block, Needs needs);

  // random_vectors.cpp
  bool add_vectors(const Meeting& meeting = {});  // false if there is no room
  void add_meeting_code(const Meeting& meeting, std::vector<vector::Instruction>& code);
  device::VectorStream link_stream(const Meeting& meeting, bool writes);
  std::uint64_t place(std::span<const std::byte> bytes);  // 0 if there is no room
  bool bring(std::span<const vector::Instruction> code, int place, Commands& commands);
  bool prepare_vectors(Commands& commands);
  std::optional<Tensor> random_tensor(int words, bool writes, std::span<const Tensor> others);
  static bool is_alone(const Tensor& tensor, std::span<const Tensor> tensors);
  void order_vectors(Commands commands, std::span<const Tensor> tensors,
                     const device::VectorRun& run);
  void add_illegal_vectors();
  void add_failing_input(std::uint64_t address);
  void add_failing_output(const Block& block);
  void add_starving_run();
  void add_lone_stream();

  // random_faults.cpp
  void add_fault(Ending ending);
  void add_failing_read(std::uint64_t address);
  void add_failing_write(const Block& block);
  void add_failing_load(std::uint64_t address);
  void add_failing_store(const Block& block);
  device::CommandWord random_illegal();

  static constexpr std::uint64_t kChunk = 16;  // bytes

  int size_;
  Layout layout_;
  cosim::Random& random_;
  TokenPlanner planner_;
  Operands rows_, weights_;
  UseMap sum_uses_, mask_uses_, memory_uses_;
  // An accumulator bank has one port for reading and one for writing. For each bank: who reads it
  // (store, and products that add) and who writes it (load, and products).
  UseMap bank_reads_{2}, bank_writes_{2};
  std::vector<bool> sums_known_;
  std::vector<Rows> sums_, masks_;
  int regions_ = 0;
  bool stochastic_seeded_ = false;
  Block code_;  // for what the program places
  std::vector<Placed> placed_;
  bool vectors_prepared_ = false;
  std::vector<bool> vector_writes_;  // of memory, since the vector engine last waited for itself
  std::optional<device::CommandWord> load_shape_, load_patches_, matmul_shape_, store_shape_,
      store_scale_;
};

/// Calls `body` for each unit in which uses of memory are tracked.
template <typename Body>
void ProgramWriter::each_chunk(std::uint64_t first, std::uint64_t size, const Body& body) const {
  const std::uint64_t begin = first - layout_.inputs.base;
  for (std::uint64_t at = begin / kChunk; at <= (begin + size - 1) / kChunk; ++at) body(at);
}

}  // namespace systole::verify
