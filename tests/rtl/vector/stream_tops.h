#pragma once

#include <string>

#include "hls/kernels/vector/read_stream.h"
#include "hls/kernels/vector/write_stream.h"
#include "tests/rtl/ports.h"

namespace systole::tests {

/// The ports that the vector engine's streams have in common.
/// Calls `port` with the windows as the ports of RTL have them: bases, ends, and a bit for each
/// open.
void visit_windows(const kernels::Windows& windows, auto&& port) {
  hls::Vec<kernels::Address, kernels::kWindowCount> base, end;
  hls::UInt<kernels::kWindowCount> open;
  for (int i = 0; i < kernels::kWindowCount; ++i) {
    base[i] = windows[i].base;
    end[i] = windows[i].end;
    open = open | (hls::UInt<kernels::kWindowCount>(windows[i].open)
                   << hls::UInt<2>::from(static_cast<unsigned>(i)));
  }
  port(base, end, open);
}
void visit_windows(auto& model, const kernels::Windows& windows, auto&& visit) {
  visit_windows(windows, [&](const auto& base, const auto& end, const auto& open) {
    visit("windows_base_i", model.windows_base_i, base);
    visit("windows_end_i", model.windows_end_i, end);
    visit("windows_open_i", model.windows_open_i, open);
  });
}
void visit_stream(auto& model, const hls::Beat<kernels::VectorStream>& stream, auto&& visit) {
  visit("stream_valid_i", model.stream_valid_i, stream.valid);
  visit("stream_data_address_i", model.stream_data_address_i, stream.data.address);
  visit("stream_data_row_stride_i", model.stream_data_row_stride_i, stream.data.row_stride);
  visit("stream_data_rows_i", model.stream_data_rows_i, stream.data.rows);
  visit("stream_data_cols_i", model.stream_data_cols_i, stream.data.cols);
  visit("stream_data_format_i", model.stream_data_format_i, stream.data.format);
  visit("stream_data_broadcasts_i", model.stream_data_broadcasts_i, stream.data.broadcasts);
  visit("stream_data_command_i", model.stream_data_command_i, stream.data.command);
}
void visit_burst(auto& model, const hls::Beat<kernels::Burst>& burst, auto&& visit) {
  visit("burst_valid_o", model.burst_valid_o, burst.valid);
  if (!burst.valid) return;
  visit("burst_data_address_o", model.burst_data_address_o, burst.data.address);
  visit("burst_data_beats_less_one_o", model.burst_data_beats_less_one_o,
        burst.data.beats_less_one);
}
void visit_fault(auto& model, const kernels::EngineFault& fault, auto&& visit) {
  visit("fault_raised_o", model.fault_raised_o, fault.raised);
  if (!fault.raised) return;
  visit("fault_code_o", model.fault_code_o, fault.code);
  visit("fault_command_o", model.fault_command_o, fault.command);
  visit("fault_address_o", model.fault_address_o, fault.address);
}

/// A read stream in lock-step with its RTL. Data is compared while valid.
template <typename VerilatedModel, int kN>
struct VectorReadStreamTop {
  using Native = kernels::VectorReadStream<kN>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit_stream(model, in.stream, visit);
    visit_windows(model, in.windows, visit);
    visit("stop_i", model.stop_i, in.stop);
    visit("burst_ready_i", model.burst_ready_i, in.burst_ready);
    visit("read_valid_i", model.read_valid_i, in.read.valid);
    visit("read_data_data_i", model.read_data_data_i, in.read.data.data);
    visit("read_data_error_i", model.read_data_error_i, in.read.data.error);
    visit("read_data_last_i", model.read_data_last_i, in.read.data.last);
    visit("word_ready_i", model.word_ready_i, in.word_ready);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("stream_ready_o", model.stream_ready_o, out.stream_ready);
    visit("word_valid_o", model.word_valid_o, out.word.valid);
    if (out.word.valid) visit("word_data_o", model.word_data_o, out.word.data);
    visit("idle_o", model.idle_o, out.idle);
    if (!out.idle) visit("command_o", model.command_o, out.command);
    visit_burst(model, out.burst, visit);
    visit_fault(model, out.fault, visit);
  }
};

/// A write stream likewise.
template <typename VerilatedModel, int kN>
struct VectorWriteStreamTop {
  using Native = kernels::VectorWriteStream<kN>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit_stream(model, in.stream, visit);
    visit("word_valid_i", model.word_valid_i, in.word.valid);
    visit("word_data_i", model.word_data_i, in.word.data);
    visit_windows(model, in.windows, visit);
    visit("stop_i", model.stop_i, in.stop);
    visit("burst_ready_i", model.burst_ready_i, in.burst_ready);
    visit("write_ready_i", model.write_ready_i, in.write_ready);
    visit("response_valid_i", model.response_valid_i, in.response_valid);
    visit("response_error_i", model.response_error_i, in.response_error);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("stream_ready_o", model.stream_ready_o, out.stream_ready);
    visit("word_ready_o", model.word_ready_o, out.word_ready);
    visit("write_valid_o", model.write_valid_o, out.write.valid);
    if (out.write.valid) {
      visit("write_data_data_o", model.write_data_data_o, out.write.data.data);
      visit("write_data_strobe_o", model.write_data_strobe_o, out.write.data.strobe);
      visit("write_data_last_o", model.write_data_last_o, out.write.data.last);
    }
    visit("written_o", model.written_o, out.written);
    visit("idle_o", model.idle_o, out.idle);
    if (!out.idle) visit("command_o", model.command_o, out.command);
    visit_burst(model, out.burst, visit);
    visit_fault(model, out.fault, visit);
  }
};

}  // namespace systole::tests
