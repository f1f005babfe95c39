#include "host/graph/arranged_convolution.h"

#include "host/graph/attribute.h"
#include "host/graph/convolution.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

// Of convolution's attributes.
constexpr std::size_t kDimensions = 1, kHoles = 3, kPadding = 4, kDilation = 5, kStrides = 6;
constexpr std::string_view kForward = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                           kInputGradient = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                           kKernelGradient = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";

bool are_ones(const Attribute& attribute) {
  const auto& numbers = std::get<Integers>(attribute);
  return std::ranges::count(numbers, 1) == std::ssize(numbers);
}

// Whether image_convolution of host/cpu takes it.
bool lies_right(const Operation& convolution, Value kernel) {
  const auto& layout = std::get<std::string>(convolution.attributes[kDimensions]);
  if (layout == kInputGradient) {
    const Operation* made = kernel.graph().maker(kernel.id());
    const bool is_mirrored = made != nullptr && made->kind->name == "reverse" &&
                             attribute<Integers>(*made, "dimensions") == Integers{0, 1};
    const bool is_point = kernel.dimension(0) == 1 && kernel.dimension(1) == 1;
    return (is_mirrored || is_point) && are_ones(convolution.attributes[kStrides]);
  }
  return (layout == kForward || layout == kKernelGradient) &&
         are_ones(convolution.attributes[kHoles]);
}

Value transposed(Value x, const Integers& order) {
  return std::ranges::is_sorted(order) ? x : transpose(x, order);
}

// Zeros between the pixels, where the images have holes.
Value filled(Value x, const Integers& holes) {
  Integers interior(4), none(4);
  for (std::size_t d = 0; d < holes.size(); ++d) interior[d + 1] = holes[d] - 1;
  return pad(x, constant_like(x, 0), none, none, interior);
}

}  // namespace

Value ArrangedConvolution::result(Value y) const {
  if (order.empty()) return y;
  return transposed(y.shape() == shape ? y : reshape(y, shape), order);
}

ArrangedConvolution arranged_convolution(const Operation& convolution,
                                         const std::vector<Value>& operands) {
  ArrangedConvolution arranged{.convolution = convolution, .operands = operands};
  const auto dimensions =
      parse_convolution(std::get<std::string>(convolution.attributes[kDimensions]));
  const std::size_t spatial = dimensions.input.spatial.size();
  if (spatial < 1 || spatial > 2 || lies_right(convolution, operands[1])) return arranged;
  const auto with = [](std::int64_t first, Integers middle, std::int64_t last) {
    middle.insert(middle.begin(), first);
    middle.push_back(last);
    return middle;
  };
  Integers kernel = dimensions.kernel.spatial;
  kernel.insert(kernel.end(), {dimensions.kernel.first, dimensions.kernel.second});
  Value x = transposed(
      operands[0], with(dimensions.input.first, dimensions.input.spatial, dimensions.input.second));
  Value w = transposed(operands[1], kernel);
  const Value y = operands[0].graph().add(convolution, operands)[0];  // unused, but for its type
  const Integers to_canonical =
      with(dimensions.output.first, dimensions.output.spatial, dimensions.output.second);
  arranged.order.resize(to_canonical.size());
  for (std::size_t d = 0; d < to_canonical.size(); ++d) {
    arranged.shape.push_back(y.dimension(to_canonical[d]));
    arranged.order[static_cast<std::size_t>(to_canonical[d])] = static_cast<std::int64_t>(d);
  }
  auto& attributes = arranged.convolution.attributes;
  if (spatial == 1) {
    x = reshape(x, {x.dimension(0), 1, x.dimension(1), x.dimension(2)});
    w = reshape(w, {1, w.dimension(0), w.dimension(1), w.dimension(2)});
    for (const std::size_t number : {kHoles, kDilation, kStrides}) {
      auto& numbers = std::get<Integers>(attributes[number]);
      numbers.insert(numbers.begin(), 1);
    }
    auto& padding = std::get<Integers>(attributes[kPadding]);
    padding.insert(padding.begin(), {0, 0});
  }
  auto& holes = std::get<Integers>(attributes[kHoles]);
  if (!are_ones(attributes[kHoles])) x = filled(x, holes);
  holes = {1, 1};
  attributes[kDimensions] = std::string(kForward);
  arranged.operands = {x, w};
  return arranged;
}

}  // namespace systole::graph
