#include "sim/systemc/link_module.h"

namespace systole::sim {
namespace {

using hls::UInt1;

/// What a link does in a clock in which its ends showed these signals.
void move(kernels::Link<LinkBeat>& link, const LinkFromDevice& near, const LinkFromDevice& far,
          const LinkToDevice& shown) {
  link.clock({.sent = {.valid = UInt1::from(near.out.valid), .data = near.out},
              .received_ready = UInt1::from(far.in_ready && shown.in.valid)});
}

LinkBeat offered(const kernels::Link<LinkBeat>& link, bool is_held) {
  const auto received = link.outputs().received;
  LinkBeat beat = received.data;
  beat.valid = static_cast<bool>(received.valid) && !is_held;
  return beat;
}

}  // namespace

LinkModule::LinkModule(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(LinkModule);
  SC_METHOD(clock);
  sensitive << clk.pos();
  dont_initialize();
}

void LinkModule::restart(bool joins) {
  joins_ = joins;
  stalls_ = 0;
  up_.reset();
  down_.reset();
  show();
}

void LinkModule::clock() {
  if (!joins_) return;
  move(up_, lower_from->read(), upper_from->read(), upper_to->read());
  move(down_, upper_from->read(), lower_from->read(), lower_to->read());
  if (stalls_ > 0) --stalls_;
  show();
}

void LinkModule::show() {
  LinkToDevice lower, upper;
  if (joins_) {
    lower = {.in = offered(down_, false), .out_ready = static_cast<bool>(up_.outputs().sent_ready)};
    upper = {.in = offered(up_, stalls_ > 0),
             .out_ready = static_cast<bool>(down_.outputs().sent_ready)};
  }
  lower_to->write(lower);
  upper_to->write(upper);
}

}  // namespace systole::sim
