#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "systole/cosim/ports.h"
#include "systole/cosim/random.h"
#include "systole/hls/axi_array.h"
#include "systole/hls/kernel_stream.h"

namespace systole::cosim {

template <typename T>
inline constexpr bool is_stream = false;
template <typename T>
inline constexpr bool is_stream<hls::Stream<T>> = true;

template <typename T>
inline constexpr bool is_axi_array = false;
template <typename T, int kSize, int kBusBytes>
inline constexpr bool is_axi_array<hls::AxiArray<T, kSize, kBusBytes>> = true;

/// Visits the words of an argument that is no stream, in order.
template <typename Value, typename Visit>
void for_each_word(Value& value, Visit visit) {
  if constexpr (is_axi_array<std::remove_cvref_t<Value>>) {
    for (auto& element : value.element) visit(element);
  } else {
    for_each_leaf(value, visit);
  }
}

/// A parameter of a function over arrays: its words, as the bench's memory or queue holds them.
struct KernelArgument {
  std::string name;
  int width = 0;
  std::vector<Bits> words;  ///< one for a scalar; of a stream those to pop, or those pushed

  std::size_t taken = 0;  ///< of a stream's words, by the RTL
  bool offers = false;    ///< the bench offers the next one
  bool takes = false;     ///< the bench is ready for one
};

/// The ports of a flat top by name.
class KernelPorts {
 public:
  KernelPorts(std::span<const Port> inputs, std::span<const Port> outputs)
      : inputs_(inputs), outputs_(outputs), in_(total_width(inputs)), out_(total_width(outputs)) {}

  PortBits& in() { return in_; }
  PortBits& out() { return out_; }

  bool has_input(const std::string& name) const { return place(inputs_, name).low >= 0; }
  bool has_output(const std::string& name) const { return place(outputs_, name).low >= 0; }
  void set(const std::string& name, Bits bits) {
    const Place at = place(inputs_, name);
    if (at.low >= 0) in_.set(at.low, at.width, bits);
  }
  Bits get(const std::string& name) const {
    const Place at = place(outputs_, name);
    return at.low < 0 ? 0 : out_.get(at.low, at.width);
  }

  /// Bits of a port; 0 for none of that name.
  int input_width(const std::string& name) const { return place(inputs_, name).width; }
  int output_width(const std::string& name) const { return place(outputs_, name).width; }
  /// One byte of a port that may be wider than Bits.
  void set_byte(const std::string& name, int byte, std::uint8_t value) {
    in_.set(place(inputs_, name).low + 8 * byte, 8, value);
  }
  std::uint8_t get_byte(const std::string& name, int byte) const {
    return static_cast<std::uint8_t>(out_.get(place(outputs_, name).low + 8 * byte, 8));
  }

  /// Whether the argument is a stream that comes in, or one that goes out.
  bool pops(const KernelArgument& one) const { return has_input(one.name + "_valid_i"); }
  bool pushes(const KernelArgument& one) const { return has_output(one.name + "_valid_o"); }

  /// Offers elements and places for this clock; in `stalls` of 256 clocks none. What was offered
  /// stays until it is taken.
  void drive_streams(std::vector<KernelArgument>& arguments, Random& random, unsigned stalls) {
    for (KernelArgument& one : arguments) {
      const bool goes = stalls == 0 || random.below(256) >= stalls;
      if (pops(one)) {
        one.offers = one.taken < one.words.size() && (one.offers || goes);
        set(one.name + "_valid_i", one.offers ? 1 : 0);
        set(one.name + "_data_i", one.offers ? one.words[one.taken] : random.bits());
      } else if (pushes(one)) {
        one.takes = goes;
        set(one.name + "_ready_i", goes ? 1 : 0);
      }
    }
  }

  /// The transfers at the edge that ends this clock.
  void transfer_streams(std::vector<KernelArgument>& arguments) {
    for (KernelArgument& one : arguments) {
      if (pops(one) && one.offers && get(one.name + "_ready_o") != 0) {
        ++one.taken;
        one.offers = false;
      } else if (pushes(one) && one.takes && get(one.name + "_valid_o") != 0) {
        one.words.push_back(get(one.name + "_data_o"));
      }
    }
  }

  /// Whether an element that was pushed waits to be taken.
  bool offers_elements(const std::vector<KernelArgument>& arguments) const {
    for (const KernelArgument& one : arguments) {
      if (pushes(one) && get(one.name + "_valid_o") != 0) return true;
    }
    return false;
  }

 private:
  struct Place {
    int low = -1;
    int width = 0;
  };
  static Place place(std::span<const Port> ports, const std::string& name) {
    int low = 0;
    for (const Port& port : ports) {
      if (port.name == name) return {low, port.width};
      low += port.width;
    }
    return {};
  }

  std::span<const Port> inputs_;
  std::span<const Port> outputs_;
  PortBits in_;
  PortBits out_;
};

/// What serves the AXI ports of a function's AxiArrays.
class AxiPorts {
 public:
  virtual ~AxiPorts() = default;
  /// Before a run: places the arrays in memory and sets the inputs with their addresses.
  virtual void start(const std::vector<KernelArgument>& arguments, KernelPorts& ports,
                     Random& random) = 0;
  virtual void drive(KernelPorts& ports) = 0;     ///< the inputs of this clock
  virtual void transfer(KernelPorts& ports) = 0;  ///< at the edge that ends this clock
  /// After a run: reads the arrays; what is wrong, in words, or "".
  virtual std::string finish(std::vector<KernelArgument>& arguments) = 0;
};

}  // namespace systole::cosim
