#pragma once

#include "systole/hls/ram.h"
#include "tests/rtl/ports.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// The hand-written cell rtl/cells/systole_ram.sv against systole::hls::Ram.
template <typename VerilatedModel, typename Word, int kDepth>
struct RamTop {
  using Native = hls::Ram<Word, kDepth>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("read_enable_i", model.read_enable_i, in.read_enable);
    visit("read_address_i", model.read_address_i, in.read_address);
    visit("write_enable_i", model.write_enable_i, in.write_enable);
    visit("write_address_i", model.write_address_i, in.write_address);
    visit("write_data_i", model.write_data_i, in.write_data);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("read_data_o", model.read_data_o, out.read_data);
  }

  struct Stimulus {
    /// Writes every word and reads one.
    static constexpr int kPrimeClocks = kDepth + 1;
    void prime(int clock, Inputs& in) {
      in.read_enable = hls::as_bit(clock == kDepth);
      in.read_address = Native::Address::from(0);
      in.write_enable = hls::UInt1(1);
      in.write_address = Native::Address::from(static_cast<unsigned>(clock) % kDepth);
    }

    Inputs next(Random& random) {
      Inputs in;
      in.read_enable = read_enable_.next(random);
      in.read_address = Native::Address::from(random.below(kDepth));
      in.write_enable = write_enable_.next(random);
      // Often the word read at the same edge.
      in.write_address =
          random.below(3) ? Native::Address::from(random.below(kDepth)) : in.read_address;
      in.write_data = word(random, in.write_data);
      return in;
    }

   private:
    template <int kBits>
    static Word word(Random& random, const hls::UInt<kBits>&) {
      return Word::from(random.bits());
    }
    template <int kBits, int kLanes>
    static Word word(Random& random, const hls::Vec<hls::UInt<kBits>, kLanes>&) {
      Word word;
      for (int n = 0; n < kLanes; ++n) word[n] = hls::UInt<kBits>::from(random.bits());
      return word;
    }

    Traffic read_enable_;
    Traffic write_enable_;
  };
};

}  // namespace systole::tests
