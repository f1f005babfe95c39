#include "host/lowering/step_builder.h"

#include <algorithm>

#include "host/lowering/kernel_commands.h"
#include "host/runtime/program_builder.h"

namespace systole::lowering {

StepBuilder::StepBuilder(const LoweredGraph& lowered, const MemoryPlan& plan, std::uint64_t base,
                         const DeviceSizes& sizes)
    : lowered_(lowered),
      plan_(plan),
      base_(base),
      sizes_(sizes),
      lowering_(sizes, Keep::kSteps, &uses_) {
  std::vector<Product> products;
  for (const Unit& unit : lowered.units) {
    if (const MatrixMatch* match = unit.product()) products.push_back(product_of(*match));
  }
  for (const Product& product : products) check_product(product);
  plans_ = choose_plans(products, sizes);
}

std::uint64_t StepBuilder::address(int value, Format format) const {
  return base_ + static_cast<std::uint64_t>(plan_.places[value].of(format));
}

namespace {

device::CommandWord patches_of(const graph::Images& images, std::int64_t bytes) {
  return device::encode(
      device::LoadPatches{.height = static_cast<std::uint16_t>(images.y.input),
                          .width = static_cast<std::uint16_t>(images.x.input),
                          .pixel_bytes = static_cast<std::uint16_t>(bytes * images.channels),
                          .out_height = static_cast<std::uint16_t>(images.y.output),
                          .out_width = static_cast<std::uint16_t>(images.x.output),
                          .kernel_height = static_cast<std::uint8_t>(images.y.size),
                          .kernel_width = static_cast<std::uint8_t>(images.x.size),
                          .stride = static_cast<std::uint8_t>(images.y.stride),
                          .pad_top = static_cast<std::uint8_t>(images.y.low),
                          .pad_left = static_cast<std::uint8_t>(images.x.low)});
}

}  // namespace

Product StepBuilder::product_of(const MatrixMatch& match) const {
  const auto word = [&](int value) { return value < 0 ? 0 : address(value, Format::kWord); };
  const auto bias = [&](int value) {
    return match.adds_terms ? address(value, Format::kTerms) : word(value);
  };
  const auto bf16 = [&](int value) { return value < 0 ? 0 : address(value, Format::kBf16); };
  return {.a = address(match.a, format_of_a(match)),
          .b = address(match.b, format_of_b(match)),
          .c = match.stays ? bf16(match.result) : word(match.result),
          .bias = bias(match.bias),
          .mask = bf16(match.mask),
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
          .format = match.stays ? device::StoreFormat::kBf16 : device::StoreFormat::kWord32};
}

StepProgram::Cost StepBuilder::add_product(const Unit& unit) {
  const MatrixMatch& match = *unit.product();
  const BlockPlan& plan = plans_[next_plan_++];
  lowering_.add(product_of(match), plan);
  macs_ += product_of(match).macs();
  return {.clocks = lowering_.product_clocks(product_of(match), plan)};
}

StepProgram::Cost StepBuilder::add_kernel(const Unit& unit, std::uint64_t code) {
  const KernelCode& kernel = *unit.kernel();
  const KernelPlaces places{
      .port =
          [&](const Port& port) {
            const auto elements = graph::element_count(lowered_.graph->type(port.value).shape);
            return address(port.value, port.format) +
                   static_cast<std::uint64_t>(port.term * elements * stream_bytes(port.format));
          },
      .table =
          [&](int scalar) {
            const auto place = std::ranges::find(lowered_.table, scalar) - lowered_.table.begin();
            return base_ + static_cast<std::uint64_t>(plan_.table + 4 * place);
          },
      .code = code};
  std::int64_t clocks = 0;
  for (KernelPart& part : kernel_parts(kernel, places, sizes_.array_size)) {
    Step step;
    step.command = part.commands.back();
    part.commands.pop_back();
    step.before = std::move(part.commands);
    step.after = uses_.before(kVectors, part.reads, part.writes);
    step.clocks = std::max<std::int64_t>(1, part.clocks);
    uses_.note(kVectors, lowering_.add_vector(step, part.writes), part.reads, part.writes);
    clocks += part.clocks;
  }
  return {.clocks = clocks};
}

void move_address(device::CommandWord& command, std::uint64_t first, std::int64_t bytes,
                  std::int64_t shift) {
  switch (device::opcode_of(command)) {
    case device::Opcode::kLoad:
    case device::Opcode::kStore:
    case device::Opcode::kVectorProgram:
    case device::Opcode::kVectorStream:
      break;
    default:
      return;
  }
  constexpr int kLow = 16, kBits = 40;  // of every command's address
  const std::uint64_t address = device::field(command, kLow, kBits);
  if (address < first || address >= first + static_cast<std::uint64_t>(bytes)) return;
  constexpr std::uint64_t kMask = ((std::uint64_t{1} << kBits) - 1) << kLow;
  command.low = (command.low & ~kMask) | (address + static_cast<std::uint64_t>(shift)) << kLow;
}

}  // namespace systole::lowering
