#include "host/nn/layers/dropout.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace systole::nn {

std::string Dropout::description() const { return fmt::format("{}({})", kind(), rate); }

// Each sample takes whole blocks of the generator's counter, so its bits do not depend on where its
// batch begins.
Value Dropout::operator()(Builder& builder, Value x) const {
  if (!(rate >= 0 && rate < 1)) {
    throw std::invalid_argument(fmt::format("Dropout: rate {} is not in 0..1", rate));
  }
  if (!builder.training() || rate == 0) return x;
  constexpr std::int64_t kBlock = 4;
  const std::int64_t rows = x.dimension(0), size = size_of(sample_shape(x));
  const std::int64_t blocks = (size + kBlock - 1) / kBlock;
  const std::uint64_t seed = builder.seed();
  const Value step = convert(builder.update_number() - 1, graph::Element::kU32);
  const Value first_row = convert(builder.first_row(), graph::Element::kU32);
  const auto word = [](Value v) { return reshape(v, {1}); };
  const auto number = [&](std::uint64_t v) {
    return word(constant_like(step, static_cast<double>(v & 0xffff'ffffU)));
  };
  const std::vector<Value> state = {
      number(seed), word(step), word(first_row) * static_cast<double>(blocks), number(seed >> 32)};
  const Value bits = rng_bit_generator(concatenate(state, 0), {rows, blocks * kBlock}).bits;
  const Value own = reshape(slice(bits, {0, 0}, {rows, size}), x.shape());
  const Value kept = compare(own, "GE", std::floor(static_cast<double>(rate) * 0x1p32));
  return select(kept, x * (1.0 / (1.0 - static_cast<double>(rate))), constant_like(x, 0));
}

}  // namespace systole::nn
