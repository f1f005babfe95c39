#include "host/compiler/program/step_builder.h"

#include <algorithm>
#include <map>
#include <set>

#include "host/compiler/program/kernel_order.h"
#include "host/compiler/schedule/known_plans.h"
#include "host/compiler/schedule/patches.h"
#include "host/compiler/schedule/product_lowering.h"
#include "host/compiler/schedule/product_numbers.h"
#include "host/compiler/units/image_products.h"
#include "host/device/command_address.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

/// The clocks of a product by itself.
std::int64_t clocks_alone(const Product& product, const BlockPlan& plan, const DeviceSizes& sizes) {
  ProductLowering lowering(sizes, Keep::kTimes);
  lowering.add(product, plan);
  return lowering.streams().times().clocks();
}

}  // namespace

StepBuilder::StepBuilder(const LoweredGraph& lowered, const MemoryPlan& plan, std::uint64_t base,
                         const DeviceSizes& sizes, const DiskCache& disk)
    : lowered_(lowered),
      plan_(plan),
      base_(base),
      sizes_(sizes),
      plans_(lowered.units.size()),
      code_(lowered.units.size()),
      columns_(lowered.units.size()) {
  std::vector<Product> products;
  std::int64_t code = plan.programs();
  for (std::size_t i = 0; i < lowered.units.size(); ++i) {
    if (const MatrixMatch* match = lowered.units[i].product()) {
      products.push_back(product_of(*match, 0));
      macs_ += products.back().macs() / static_cast<std::uint64_t>(match->all_columns) *
               static_cast<std::uint64_t>(match->kernel_columns * match->form.batch);
    } else {
      code_[i] = code;
      code += std::ssize(code_image(*lowered.units[i].kernel()));
    }
  }
  const std::vector<BlockPlan> chosen = known_plans(products, sizes, disk, Bus::kShared);
  auto next = chosen.begin();
  for (std::size_t i = 0; i < lowered.units.size(); ++i) {
    if (lowered.units[i].product() != nullptr) plans_[i] = *next++;
  }
  find_columns();
  const ProductLowering lowering(sizes, Keep::kTimes);
  for (std::size_t i = 0; i < lowered.units.size(); ++i) {
    std::int64_t clocks = 0;
    if (const MatrixMatch* match = lowered.units[i].product()) {
      clocks = match->form.batch * lowering.product_clocks(product_of(*match, 0), plans_[i]);
    } else {
      for (const KernelPart& part : parts_of(i, 0, block_of(i))) clocks += part.clocks;
    }
    costs_.push_back(clocks);
  }
}

// An update goes by the columns in which the next step reads the matrix.
void StepBuilder::find_columns() {
  const std::int64_t n = sizes_.array_size;
  std::map<int, std::vector<std::size_t>> read_by;  // products, by matrix
  std::map<int, std::size_t> made_by;               // likewise, by result
  for (std::size_t i = 0; i < lowered_.units.size(); ++i) {
    const MatrixMatch* match = lowered_.units[i].product();
    if (match == nullptr) continue;
    made_by.emplace(match->result, i);
    if (!match->form.transpose_b) read_by[match->b].push_back(i);
  }
  for (std::size_t i = 0; i < lowered_.units.size(); ++i) {
    const Unit& unit = lowered_.units[i];
    if (unit.kernel() == nullptr || !unit.kernel()->can_follow_columns()) continue;
    if (unit.columns.count > 0) continue;
    std::vector<std::size_t> readers;
    for (const int input : unit.replaces) {
      if (const auto found = read_by.find(input); found != read_by.end()) readers = found->second;
    }
    if (readers.empty() || !fits(readers)) continue;
    // Bursts of a few beats, and not too many parts: what is done of the first and the last part
    // overlaps with nothing.
    constexpr std::int64_t kLeastWords = 2, kMostParts = 32;
    const std::int64_t cols = unit.kernel()->cols;
    const std::int64_t most = std::max(kLeastWords, ceil_div(cols, kMostParts * n));
    std::int64_t columns = n;
    for (const std::size_t reader : readers) {
      go_by_columns(reader, most);
      columns = std::max(columns, plans_[reader].group_tiles * n);
    }
    columns *= std::max<std::int64_t>(1, most * n / columns);
    if (2 * columns > cols) continue;
    columns_[i] = columns;
    for (const int value : unit.reads) {
      const auto maker = made_by.find(value);
      if (maker != made_by.end()) go_by_columns(maker->second, most);
    }
  }
  find_shared(read_by, made_by);
}

// What cores share goes by their blocks.
void StepBuilder::find_shared(const std::map<int, std::vector<std::size_t>>& read_by,
                              const std::map<int, std::size_t>& made_by) {
  std::set<std::size_t> products;
  for (std::size_t i = 0; i < lowered_.units.size(); ++i) {
    const Unit& unit = lowered_.units[i];
    if (unit.columns.count == 0) continue;
    columns_[i] = unit.columns.count;
    const std::int64_t tiles = ceil_div(unit.columns.count, std::int64_t{sizes_.array_size});
    const auto go = [&](std::size_t product) {
      if (products.insert(product).second) go_by_columns(product, tiles);
    };
    for (const int input : unit.replaces) {
      const auto found = read_by.find(input);
      if (found != read_by.end() && fits(found->second)) std::ranges::for_each(found->second, go);
    }
    for (const int value : unit.reads) {
      const auto maker = made_by.find(value);
      if (maker != made_by.end()) go(maker->second);
    }
  }
}

// With larger batches the array binds, and reading them once for each group would cost more.
bool StepBuilder::fits(const std::vector<std::size_t>& products) const {
  return std::ranges::all_of(products, [&](std::size_t product) {
    const MatrixMatch& match = *lowered_.units[product].product();
    return match.form.rows * ceil_div(match.form.depth, std::int64_t{sizes_.array_size}) <=
           sizes_.row_words;
  });
}

ColumnParts StepBuilder::block_of(std::size_t unit) const {
  const Columns& columns = lowered_.units[unit].columns;
  return {.each = columns.count, .first = columns.first, .count = columns.count};
}

std::vector<KernelPart> StepBuilder::parts_of(std::size_t unit, std::int64_t step,
                                              const ColumnParts& columns) const {
  return kernel_parts(*lowered_.units[unit].kernel(), places_of(unit, step), sizes_.array_size,
                      sizes_.beat_bytes(), columns);
}

// In groups of at most so many tiles, unless the buffers do not hold the operands, which would be
// loaded more often.
void StepBuilder::go_by_columns(std::size_t unit, std::int64_t most_tiles) {
  constexpr std::int64_t kPerCent = 105;
  const Product product = product_of(*lowered_.units[unit].product(), 0);
  std::int64_t least = kPerCent * clocks_alone(product, plans_[unit], sizes_) / 100 + 1;
  for (BlockPlan plan : candidate_plans(product, sizes_)) {
    if (plan.group_tiles > most_tiles) continue;
    plan.by_columns = true;
    const std::int64_t clocks = clocks_alone(product, plan, sizes_);
    if (clocks >= least) continue;
    least = clocks;
    plans_[unit] = plan;
  }
}

// What a step has of its own lies at the same distance from step to step.
std::uint64_t StepBuilder::at(std::int64_t offset, std::int64_t step) const {
  if (offset >= plan_.step()) offset += step * plan_.step_bytes;
  return base_ + static_cast<std::uint64_t>(offset);
}

Product StepBuilder::product_of(const MatrixMatch& match, std::int64_t step,
                                std::int64_t number) const {
  const auto word = [&](int value) { return value < 0 ? 0 : address(value, Format::kWord, step); };
  const auto bias = [&](int value) {
    return match.adds_terms ? address(value, Format::kTerms, step) : word(value);
  };
  const auto matrix = [&](int value, Format format, std::int64_t elements) {
    const auto before = static_cast<std::uint64_t>(number * elements * bytes_of(format));
    return value < 0 ? 0 : address(value, format, step) + before;
  };
  const graph::DotForm& form = match.form;
  return {.a = matrix(match.a, format_of_a(match), form.rows * form.depth),
          .b = matrix(match.b, format_of_b(match), form.depth * form.cols),
          .c = matrix(match.result, match.rounds ? Format::kBf16 : Format::kWord,
                      form.rows * form.cols),
          .bias = bias(match.bias),
          .mask = matrix(match.mask, Format::kBf16, form.rows * form.cols),
          .column_sums = word(match.column_sums),
          .ones = match.adds_terms ? base_ + static_cast<std::uint64_t>(plan_.ones) : 0,
          .rows = match.form.rows,
          .depth = match.form.depth,
          .cols = match.form.cols,
          .type = match.type,
          .transpose_a = match.form.transpose_a,
          .transpose_b = match.form.transpose_b,
          .patches = match.images ? patches_of(*match.images, operand_size_bytes(match.type))
                                  : device::CommandWord{},
          .relu = match.relu,
          .format = match.rounds ? device::StoreFormat::kBf16 : device::StoreFormat::kWord32};
}

KernelPlaces StepBuilder::places_of(std::size_t unit, std::int64_t step) const {
  return {.port =
              [this, step](const Port& port) {
                const auto elements = graph::element_count(lowered_.graph->type(port.value).shape);
                return address(port.value, port.format, step) +
                       static_cast<std::uint64_t>(port.term * elements * stream_bytes(port.format));
              },
          .table =
              [this, step](int scalar) {
                const auto found = std::ranges::find(lowered_.table, scalar);
                if (found == lowered_.table.end()) return address(scalar, Format::kWord, step);
                return at(plan_.table + 4 * (found - lowered_.table.begin()), step);
              },
          .code = at(code_[unit], 0)};
}

/// Steps under way.
class StepBuilder::Schedule {
 public:
  explicit Schedule(const StepBuilder& builder)
      : builder_(builder),
        lowering_(builder.sizes_, Keep::kSteps, &uses_),
        order_(lowering_, uses_) {
    for (std::size_t i = 0; i < builder.columns_.size(); ++i) {
      if (builder.columns_[i] > 0) follow_columns(i);
    }
  }

  void add(std::size_t number, std::int64_t step) {
    const Unit& unit = builder_.lowered_.units[number];
    order_.settle(memory_of(unit.reads, step), memory_of(unit.writes, step));
    if (const MatrixMatch* match = unit.product()) {
      for (std::int64_t i = 0; i < match->form.batch; ++i) {
        const Product product = builder_.product_of(*match, step, i);
        lowering_.add(product, builder_.plans_[number]);
        const auto patches = find_patches(product, builder_.sizes_);
        units_.push_back(ProductUnit{product, patches ? patches->stretch() : 0});
      }
      return;
    }
    const KernelCode& kernel = *unit.kernel();
    const ColumnParts block = builder_.block_of(number);
    const bool is_shared = block.each > 0;
    auto parts = builder_.parts_of(
        number, step, is_shared ? block : ColumnParts{.each = builder_.columns_[number]});
    // What it computes does not depend on the order of its columns.
    KernelUnit whole;
    for (const KernelPart& part : builder_.parts_of(number, step, block)) {
      whole.commands.insert(whole.commands.end(), part.commands.begin(), part.commands.end());
    }
    units_.push_back(std::move(whole));
    // Where cores share updates, those take all the time that is left.
    const bool may_wait =
        kernel.has_one_program() && !kernel.meets_neighbours() && builder_.lowered_.shared.empty();
    if (!unit.replaces.empty() && may_wait) {
      order_.add_later(std::move(parts), number);
    } else {
      order_.add(std::move(parts));
    }
  }

  Steps finish() {
    order_.settle();
    return {.commands = lowering_.streams().commands(),
            .units = std::move(units_),
            .estimated_clocks = lowering_.streams().times().clocks(),
            .longest_stretch = order_.longest_stretch()};
  }

 private:
  void follow_columns(std::size_t number) {
    const KernelCode& kernel = *builder_.lowered_.units[number].kernel();
    const KernelPlaces places = builder_.places_of(number, 0);
    for (const auto* ports : {&kernel.in, &kernel.out}) {
      for (const Port& port : *ports) {
        if (port.extent != Extent::kFull) continue;
        const std::uint64_t first = places.port(port);
        const auto stride = static_cast<std::uint64_t>(kernel.cols * stream_bytes(port.format));
        uses_.follow_columns(first, first + static_cast<std::uint64_t>(kernel.rows) * stride,
                             stride);
      }
    }
  }

  // All that may be read or written of them.
  std::vector<MemorySpan> memory_of(const std::vector<int>& values, std::int64_t step) const {
    const std::int64_t past = kSlots * builder_.sizes_.array_size * bytes_of(Format::kWord);
    std::vector<MemorySpan> spans;
    for (const int value : values) {
      const auto elements = graph::element_count(builder_.lowered_.graph->type(value).shape);
      for (const Format format : kAllFormats) {
        if (builder_.plan_.places[value].of(format) < 0) continue;
        const std::uint64_t first = builder_.address(value, format, step);
        const std::int64_t bytes = elements * bytes_of(format) + past;
        spans.push_back({first, first + static_cast<std::uint64_t>(bytes)});
      }
    }
    return spans;
  }

  const StepBuilder& builder_;
  MemoryUses uses_;
  ProductLowering lowering_;
  KernelOrder order_;
  std::vector<ProgramUnit> units_;
};

StepBuilder::Steps StepBuilder::build(std::int64_t count) const {
  Schedule schedule(*this);
  for (std::int64_t step = 0; step < count; ++step) {
    for (std::size_t i = 0; i < lowered_.units.size(); ++i) schedule.add(i, step);
  }
  return schedule.finish();
}

device::CommandWord Move::operator()(const device::CommandWord& command) const {
  return with_address(command, *this);
}

ProgramUnit Move::operator()(ProgramUnit unit) const {
  if (auto* kernel = std::get_if<KernelUnit>(&unit)) {
    for (device::CommandWord& command : kernel->commands) command = (*this)(command);
    return unit;
  }
  for (std::uint64_t* address : addresses_of(std::get<ProductUnit>(unit).product)) {
    *address = (*this)(*address);
  }
  return unit;
}

}  // namespace systole::lowering
