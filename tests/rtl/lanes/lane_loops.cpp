// Loops as Verilator writes them, and a few that it does not. Compiled once with the pass
// systole-lanes and once without: lanes_test.cpp compares their results, and lanes_remarks_test
// checks the pass's remarks against those below. A loop without a remark must stay unchanged.
#include "tests/rtl/lanes/lane_loops.h"

namespace systole::tests::SYSTOLE_LANES {
namespace {

void elements_of_other_size(LaneModel* self) {
  unsigned lane = 0U;
  // expected-remark@+1 {{loop over 128 independent lanes}}
  while ((0x80U > lane)) {
    self->sum_q[(0x7fU & lane)] = self->sum_q[(0x7fU & lane)] * 3U + self->value_q[(0x7fU & lane)];
    self->flag_q[(0x7fU & lane)] = (1U & (self->sum_q[(0x7fU & lane)] >> 5U));
    lane = ((1U) + lane);
  }
}

void uniform_register(LaneModel* self) {
  unsigned lane = 0U;
  // expected-remark@+2 {{loop over 128 independent lanes}}
  // expected-remark@+1 {{versions for a register that is equal in all lanes}}
  while ((0x80U > lane)) {
    const unsigned value =
        (self->is_int8_q[(0x7fU & lane)] ? 7U : self->sum_q[(0x7fU & lane)] / 5U);
    self->total_q[(0x7fU & lane)] = (value + self->is_int8_q[(0x7fU & lane)]);
    lane = ((1U) + lane);
  }
}

void choice_of_stores(LaneModel* self) {
  unsigned lane = 0U;
  // expected-remark@+2 {{loop over 128 independent lanes}}
  // expected-remark@+1 {{versions for a register that is equal in all lanes}}
  while ((0x80U > lane)) {
    if (self->is_int8_q[(0x7fU & lane)]) {
      if (self->flag_q[(0x7fU & lane)]) self->sum_q[(0x7fU & lane)] = lane;
    } else {
      self->value_q[(0x7fU & lane)] = (0xffffU & self->sum_q[(0x7fU & lane)]);
    }
    lane = ((1U) + lane);
  }
}

// Reads of another table, at any index, do not matter.
void read_of_any_element(LaneModel* self) {
  unsigned lane = 0U;
  // expected-remark@+1 {{loop over 128 independent lanes}}
  while ((0x80U > lane)) {
    self->sum_q[(0x7fU & lane)] = self->total_q[(0xffU & self->value_q[(0x7fU & lane)])];
    lane = ((1U) + lane);
  }
}

// The register is also read in the neighbouring lane, so the loop gets no versions.
void uniform_register_of_a_neighbour(LaneModel* self) {
  unsigned lane = 0U;
  // expected-remark@+1 {{loop over 128 independent lanes}}
  while ((0x80U > lane)) {
    self->sum_q[(0x7fU & lane)] =
        (self->is_int8_q[(0x7fU & lane)] ^ self->is_int8_q[(0x7fU & ((1U) + lane))]);
    lane = ((1U) + lane);
  }
}

// Here not every lane reads the register.
void uniform_register_under_a_condition(LaneModel* self) {
  unsigned lane = 0U;
  // expected-remark@+1 {{loop over 128 independent lanes}}
  while ((0x80U > lane)) {
    if (self->sum_q[(0x7fU & lane)] == 9U) {
      self->total_q[(0x7fU & lane)] = self->is_int8_q[(0x7fU & lane)];
    }
    lane = ((1U) + lane);
  }
}

void value_after_the_loop(LaneModel* self) {
  unsigned lane = 0U;
  unsigned last = 0U;
  // expected-remark@+2 {{loop over 128 independent lanes}}
  // expected-remark@+1 {{versions for a register that is equal in all lanes}}
  while ((0x80U > lane)) {
    last = (self->is_int8_q[(0x7fU & lane)] ? last + 1U : last ^ self->sum_q[(0x7fU & lane)]);
    self->total_q[(0x7fU & lane)] = 5U * self->is_int8_q[(0x7fU & lane)];
    lane = ((1U) + lane);
  }
  self->one_q = last;
}

// The loops from here on must stay unchanged.

void shift_towards_0(LaneModel* self) {
  unsigned lane = 0U;
  while ((0x7fU > lane)) {
    self->sum_q[(0x7fU & lane)] = self->sum_q[(0x7fU & ((1U) + lane))] + 1U;
    lane = ((1U) + lane);
  }
}

void lanes_that_meet(LaneModel* self) {
  unsigned lane = 0U;
  while ((0x80U > lane)) {
    self->total_q[(0x3fU & lane)] = self->total_q[(0x3fU & lane)] * 3U + lane;
    lane = ((1U) + lane);
  }
}

void write_of_any_element(LaneModel* self) {
  unsigned lane = 0U;
  while ((0x80U > lane)) {
    self->total_q[(0xffU & self->value_q[(0x7fU & lane)])] = lane;
    lane = ((1U) + lane);
  }
}

void halves_that_overlap(LaneModel* self) {
  unsigned lane = 0U;
  while ((0x80U > lane)) {
    self->total_q[(0x7fU & lane)] = self->total_q[((0x7fU & lane) + 64U)] + 3U;
    lane = ((1U) + lane);
  }
}

void two_models(LaneModel* self) {
  LaneModel* other = self + self->one_q % 2U;
  unsigned lane = 0U;
  while ((0x80U > lane)) {
    self->sum_q[(0x7fU & lane)] = other->sum_q[(0x7fU & (lane ^ 1U))] + 1U;
    lane = ((1U) + lane);
  }
}

void number_of_lanes_unknown(LaneModel* self) {
  const unsigned lanes = self->one_q & 0x7fU;
  unsigned lane = 0U;
  while ((lanes > lane)) {
    self->sum_q[(0x7fU & lane)] = self->sum_q[(0x7fU & lane)] / 3U;
    lane = ((1U) + lane);
  }
}

void volatile_register(LaneModel* self) {
  unsigned lane = 0U;
  while ((0x80U > lane)) {
    self->sum_q[(0x7fU & lane)] = self->seen + lane;
    lane = ((1U) + lane);
  }
}

}  // namespace

const std::vector<LaneFunction>& lane_functions() {
  static const std::vector<LaneFunction> all{elements_of_other_size,
                                             uniform_register,
                                             choice_of_stores,
                                             read_of_any_element,
                                             uniform_register_of_a_neighbour,
                                             uniform_register_under_a_condition,
                                             value_after_the_loop,
                                             shift_towards_0,
                                             lanes_that_meet,
                                             write_of_any_element,
                                             halves_that_overlap,
                                             two_models,
                                             number_of_lanes_unknown,
                                             volatile_register};
  return all;
}

}  // namespace systole::tests::SYSTOLE_LANES
