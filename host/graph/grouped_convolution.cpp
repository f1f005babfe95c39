#include "host/graph/grouped_convolution.h"

#include "host/graph/convolution.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

// Of convolution's attributes.
constexpr std::size_t kBatchGroups = 0, kLayout = 1, kFeatureGroups = 2;
constexpr std::int64_t kMostGroups = 4096;

}  // namespace

Value grouped_convolution(const Operation& convolution, const std::vector<Value>& operands,
                          int asked, Element result, Products products) {
  const auto by_batch = std::get<std::int64_t>(convolution.attributes[kBatchGroups]);
  const auto by_feature = std::get<std::int64_t>(convolution.attributes[kFeatureGroups]);
  if (by_batch == 1 && by_feature == 1) {
    return asked_product(convolution, operands, asked, result, products);
  }
  const ConvolutionDimensions dimensions =
      parse_convolution(std::get<std::string>(convolution.attributes[kLayout]));
  const std::int64_t groups = std::max(by_batch, by_feature);
  const bool are_alike = operands[0].type().rank() == dimensions.rank() &&
                         operands[1].type().rank() == dimensions.rank();
  const std::int64_t of_input = by_feature > 1 ? dimensions.input.second : dimensions.input.first;
  const std::int64_t of_kernel = dimensions.kernel.second;
  if (std::min(by_batch, by_feature) != 1 || groups > kMostGroups || !are_alike ||
      operands[0].dimension(of_input) % groups != 0 ||
      operands[1].dimension(of_kernel) % groups != 0) {
    throw GraphError(fmt::format("convolution({}, {}) has {} groups of batches and {} of features",
                                 to_string(operands[0].type()), to_string(operands[1].type()),
                                 by_batch, by_feature));
  }
  Operation one = convolution;
  one.attributes[kBatchGroups] = one.attributes[kFeatureGroups] = std::int64_t{1};
  const auto part = [groups](Value value, std::int64_t dimension, std::int64_t i) {
    const std::int64_t size = value.dimension(dimension) / groups;
    return take(value, dimension, i * size, (i + 1) * size);
  };
  std::vector<Value> results;
  for (std::int64_t i = 0; i < groups; ++i) {
    results.push_back(
        asked_product(one, {part(operands[0], of_input, i), part(operands[1], of_kernel, i)}, asked,
                      result, products));
  }
  return concatenate(results, dimensions.output.second);
}

}  // namespace systole::graph
