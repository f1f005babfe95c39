#include "host/graph/convolution.h"

#include <fmt/ranges.h>

namespace systole::graph {
namespace {

using Layout = ConvolutionDimensions::Layout;

// "b, 0, 1, f" with its two required letters.
Layout parse_layout(std::string_view text, char first, char second) {
  Layout layout{.first = -1, .second = -1, .spatial = {}};
  std::vector<char> letters;
  for (const char c : text) {
    if (c != ' ' && c != ',') letters.push_back(c);
  }
  layout.spatial.assign(letters.size() < 2 ? 0 : letters.size() - 2, -1);
  const auto set = [](std::int64_t& place, std::size_t d) {
    if (place >= 0) throw std::invalid_argument("a dimension is named twice");
    place = static_cast<std::int64_t>(d);
  };
  for (std::size_t d = 0; d < letters.size(); ++d) {
    const char c = letters[d];
    const auto number = static_cast<std::size_t>(c - '0');
    if (c == first) {
      set(layout.first, d);
    } else if (c == second) {
      set(layout.second, d);
    } else if (c >= '0' && c <= '9' && number < layout.spatial.size()) {
      set(layout.spatial[number], d);
    } else {
      throw std::invalid_argument(fmt::format("'{}' is not a dimension here", c));
    }
  }
  if (layout.first < 0 || layout.second < 0) {
    throw std::invalid_argument(fmt::format("[{}] lacks {} or {}", text, first, second));
  }
  return layout;
}

std::string print(const Layout& layout, char first, char second) {
  std::vector<std::string> letters(layout.spatial.size() + 2);
  const auto place = [&](std::int64_t d) -> std::string& {
    return letters.at(static_cast<std::size_t>(d));
  };
  place(layout.first) = first;
  place(layout.second) = second;
  for (std::size_t i = 0; i < layout.spatial.size(); ++i)
    place(layout.spatial[i]) = std::to_string(i);
  return fmt::format("[{}]", fmt::join(letters, ", "));
}

// The text in the next pair of brackets, after `between`.
std::string_view next(std::string_view& text, std::string_view between) {
  const std::size_t end = text.find(']');
  if (!text.starts_with(between) || end == std::string_view::npos) {
    throw std::invalid_argument("write it as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
  }
  const std::string_view inside = text.substr(between.size(), end - between.size());
  text.remove_prefix(end + 1);
  return inside;
}

}  // namespace

ConvolutionDimensions parse_convolution(std::string_view text) {
  ConvolutionDimensions dimensions;
  dimensions.input = parse_layout(next(text, "["), 'b', 'f');
  dimensions.kernel = parse_layout(next(text, "x["), 'i', 'o');
  dimensions.output = parse_layout(next(text, "->["), 'b', 'f');
  if (!text.empty() || dimensions.kernel.spatial.size() != dimensions.input.spatial.size() ||
      dimensions.output.spatial.size() != dimensions.input.spatial.size()) {
    throw std::invalid_argument("the three parts differ in rank");
  }
  return dimensions;
}

std::string to_string(const ConvolutionDimensions& dimensions) {
  return fmt::format("{}x{}->{}", print(dimensions.input, 'b', 'f'),
                     print(dimensions.kernel, 'i', 'o'), print(dimensions.output, 'b', 'f'));
}

WindowDimension place_window(const Call& call, WindowDimension window) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const auto fits = [](std::int64_t n, std::int64_t least) { return n >= least && n <= kMost; };
  call.need(fits(window.input, 0) && fits(window.size, 1) && fits(window.stride, 1) &&
                fits(window.low, -kMost) && fits(window.high, -kMost) &&
                fits(window.base_dilation, 1) && fits(window.dilation, 1),
            "a window of {}, stride {}, padding {} and {}, dilations {} and {} on {} elements is "
            "impossible",
            window.size, window.stride, window.low, window.high, window.base_dilation,
            window.dilation, window.input);
  const std::int64_t room = WindowDimension::dilated(window.input, window.base_dilation) +
                            window.low + window.high -
                            WindowDimension::dilated(window.size, window.dilation);
  window.output = room < 0 ? 0 : room / window.stride + 1;
  return window;
}

std::vector<WindowDimension> convolution_windows(const Call& call,
                                                 const ConvolutionDimensions& dimensions) {
  const Shape &x = call.operands[0].shape, &w = call.operands[1].shape;
  const std::size_t rank = dimensions.input.spatial.size();
  const Integers& padding = call.integers("padding");
  call.need(padding.size() == 2 * rank, "padding has {} numbers, not {}", padding.size(), 2 * rank);
  for (const auto name : {"lhs_dilation", "rhs_dilation", "window_strides"}) {
    call.need(call.integers(name).size() == rank, "{} has {} numbers, not {}", name,
              call.integers(name).size(), rank);
  }
  std::vector<WindowDimension> windows;
  for (std::size_t d = 0; d < rank; ++d) {
    windows.push_back(
        place_window(call, {.input = x.at(static_cast<std::size_t>(dimensions.input.spatial[d])),
                            .size = w.at(static_cast<std::size_t>(dimensions.kernel.spatial[d])),
                            .stride = call.integers("window_strides")[d],
                            .low = padding[2 * d],
                            .high = padding[2 * d + 1],
                            .base_dilation = call.integers("lhs_dilation")[d],
                            .dilation = call.integers("rhs_dilation")[d]}));
  }
  return windows;
}

std::vector<WindowDimension> pooling_windows(const Call& call) {
  const Shape& x = call.operands[0].shape;
  const Integers &padding = call.integers("padding"), &size = call.integers("window_dimensions"),
                 &strides = call.integers("window_strides");
  const bool dilates = call.kind.name == "reduce_window";
  const Integers ones(x.size(), 1);
  const Integers& base = dilates ? call.integers("base_dilations") : ones;
  const Integers& dilation = dilates ? call.integers("window_dilations") : ones;
  call.need(padding.size() == 2 * x.size() && size.size() == x.size() &&
                strides.size() == x.size() && base.size() == x.size() &&
                dilation.size() == x.size(),
            "the window needs numbers for each of {} dimensions", x.size());
  std::vector<WindowDimension> windows;
  for (std::size_t d = 0; d < x.size(); ++d) {
    windows.push_back(place_window(call, {.input = x[d],
                                          .size = size[d],
                                          .stride = strides[d],
                                          .low = padding[2 * d],
                                          .high = padding[2 * d + 1],
                                          .base_dilation = base[d],
                                          .dilation = dilation[d]}));
  }
  return windows;
}

}  // namespace systole::graph
