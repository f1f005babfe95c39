// Counts what the accelerator does by its own enables and handshakes, for action_watch_test: each
// watch hands its clock's actions to C++ by their place in systole::Action.

package action_watch_pkg;
  import "DPI-C" function void systole_watch_action(input int action, input int amount);

  typedef enum int {
    MultiplyAddsBf16, MultiplyAddsInt8, WeightLoads,
    AddsFp32, AddsInt32, SumWrites, SumReads,
    RowWrites, RowReads, WeightWrites, WeightReads, MaskWrites, MaskReads, StoredSums,
    CommandBeats, LoadRowBeats, LoadWeightBeats, LoadSumBeats, LoadMaskBeats,
    VectorProgramBeats, VectorReadBeats, StoreBeats, VectorWriteBeats,
    VectorWordsTaken, VectorWordsSent, VectorRegisterReads, VectorRegisterWrites,
    LinkWordsReceived, LinkWordsSent, VectorEmptySlots, VectorOperations
  } action_e;

  localparam int Lanes = 4;

  function automatic void watch(input logic happens, input int action, input int amount);
    if (happens) systole_watch_action(action, amount);
  endfunction
endpackage

module array_watch import action_watch_pkg::*; (
  input logic clk_i, rst_ni, row, is_int8, weight
);
  always_ff @(posedge clk_i) if (rst_ni) begin
    watch(row && !is_int8, MultiplyAddsBf16, Lanes * Lanes);
    watch(row && is_int8, MultiplyAddsInt8, Lanes * Lanes);
    watch(weight, WeightLoads, Lanes);
  end
endmodule
bind systole_matrix_unit array_watch u_watch (
  .clk_i, .rst_ni, .row(row_valid_i), .is_int8(is_int8_i), .weight(weight_valid_i));

module sums_watch import action_watch_pkg::*; (
  input logic clk_i, rst_ni, sum, adds, is_int8, read0, read1, write0, write1
);
  always_ff @(posedge clk_i) if (rst_ni) begin
    watch(sum && adds && !is_int8, AddsFp32, Lanes);
    watch(sum && adds && is_int8, AddsInt32, Lanes);
    watch(read0, SumReads, 1);
    watch(read1, SumReads, 1);
    watch(write0, SumWrites, 1);
    watch(write1, SumWrites, 1);
  end
endmodule
bind systole_accumulators sums_watch u_watch (
  .clk_i, .rst_ni, .sum(sum_valid_i), .adds(accumulate_i), .is_int8(is_int8_i),
  .read0(u_bank0.read_enable_i), .read1(u_bank1.read_enable_i),
  .write0(u_bank0.write_enable_i), .write1(u_bank1.write_enable_i));

module buffers_watch import action_watch_pkg::*; (
  input logic clk_i, rst_ni, row_write, row_read, weight_write, weight_read, mask_write, mask_read
);
  always_ff @(posedge clk_i) if (rst_ni) begin
    watch(row_write, RowWrites, 1);
    watch(row_read, RowReads, 1);
    watch(weight_write, WeightWrites, 1);
    watch(weight_read, WeightReads, 1);
    watch(mask_write, MaskWrites, 1);
    watch(mask_read, MaskReads, 1);
  end
endmodule
bind systole_accelerator buffers_watch u_watch (
  .clk_i, .rst_ni,
  .row_write(u_rows.write_enable_i), .row_read(u_rows.read_enable_i),
  .weight_write(u_weights.write_enable_i), .weight_read(u_weights.read_enable_i),
  .mask_write(u_masks.write_enable_i), .mask_read(u_masks.read_enable_i));

module fetcher_watch import action_watch_pkg::*; (input logic clk_i, rst_ni, beat);
  always_ff @(posedge clk_i) if (rst_ni) watch(beat, CommandBeats, 1);
endmodule
bind systole_fetcher fetcher_watch u_watch (.clk_i, .rst_ni, .beat(read_valid_i));

module load_watch import action_watch_pkg::*; (
  input logic clk_i, rst_ni, beat, input logic [1:0] buffer
);
  always_ff @(posedge clk_i) if (rst_ni) watch(beat, LoadRowBeats + int'(buffer), 1);
endmodule
bind systole_load_engine load_watch u_watch (
  .clk_i, .rst_ni, .beat(read_valid_i && read_ready_o), .buffer(u_words.block_buffer_q));

module store_watch import action_watch_pkg::*; (input logic clk_i, rst_ni, row, beat);
  always_ff @(posedge clk_i) if (rst_ni) begin
    watch(row, StoredSums, Lanes);
    watch(beat, StoreBeats, 1);
  end
endmodule
bind systole_store_engine store_watch u_watch (
  .clk_i, .rst_ni, .row(u_rows.read_valid_o), .beat(write_valid_o && write_ready_i));

// A program starts when stream 0 rests, so the first beats that stream 0 brings are the program's.
module vector_bus_watch import action_watch_pkg::*; (
  input logic clk_i, rst_ni, read, read0, write, starts, constants,
  input logic [39:0] address, input logic [6:0] count
);
  int unsigned left_q;
  always_ff @(posedge clk_i) if (!rst_ni) left_q <= 0; else begin
    if (starts) left_q <= (int'(address[1:0]) + int'(count) * (constants ? 4 : 8) + 3) / 4;
    else if (read0 && left_q != 0) left_q <= left_q - 1;
    watch(read0 && left_q != 0, VectorProgramBeats, 1);
    watch(read && !(read0 && left_q != 0), VectorReadBeats, 1);
    watch(write, VectorWriteBeats, 1);
  end
endmodule
bind systole_vector_engine vector_bus_watch u_watch (
  .clk_i, .rst_ni, .read(read_valid_i), .read0(gen_reader[0].u_reader.read_valid_i),
  .write(write_valid_o && write_ready_i), .starts(start_program),
  .constants(vector_program.constants), .address(vector_program.address),
  .count(vector_program.count));

module vector_unit_watch import action_watch_pkg::*; (
  input logic clk_i, rst_ni, issues, has_word, takes, input logic [4:0] operation,
  input logic read_a, read_b, read_c, write_a, write_b, write_c, sent0, sent1, sent2, sent3
);
  always_ff @(posedge clk_i) if (rst_ni) begin
    watch(issues && has_word, VectorOperations + int'(operation), Lanes);
    watch(issues && !has_word, VectorEmptySlots, 1);
    watch(issues && takes, VectorWordsTaken, 1);
    watch(read_a, VectorRegisterReads, 1);
    watch(read_b, VectorRegisterReads, 1);
    watch(read_c, VectorRegisterReads, 1);
    watch(write_a, VectorRegisterWrites, 1);
    watch(write_b, VectorRegisterWrites, 1);
    watch(write_c, VectorRegisterWrites, 1);
    watch(sent0, VectorWordsSent, 1);
    watch(sent1, VectorWordsSent, 1);
    watch(sent2, VectorWordsSent, 1);
    watch(sent3, VectorWordsSent, 1);
  end
endmodule
bind systole_vector_unit vector_unit_watch u_watch (
  .clk_i, .rst_ni, .issues(issue_moves), .has_word(issue_has_word), .takes(issue_takes),
  .operation(now_operation_q),
  .read_a(u_registers_a.read_enable_i), .read_b(u_registers_b.read_enable_i),
  .read_c(u_registers_c.read_enable_i),
  .write_a(u_registers_a.write_enable_i), .write_b(u_registers_b.write_enable_i),
  .write_c(u_registers_c.write_enable_i),
  .sent0(out0_valid_o && out0_ready_i), .sent1(out1_valid_o && out1_ready_i),
  .sent2(out2_valid_o && out2_ready_i), .sent3(out3_valid_o && out3_ready_i));

// A word is four beats, whichever neighbour it goes to or comes from.
module link_watch import action_watch_pkg::*; #(parameter int Action = 0) (
  input logic clk_i, rst_ni, beat
);
  logic [1:0] beats_q;
  always_ff @(posedge clk_i) if (!rst_ni) beats_q <= 0; else begin
    if (beat) beats_q <= beats_q + 1;
    watch(beat && beats_q == 3, Action, 1);
  end
endmodule
bind systole_vector_link_reader link_watch #(.Action(action_watch_pkg::LinkWordsReceived)) u_watch (
  .clk_i, .rst_ni,
  .beat((up_in_valid_i && up_in_ready_o) || (down_in_valid_i && down_in_ready_o)));
bind systole_vector_link_writer link_watch #(.Action(action_watch_pkg::LinkWordsSent)) u_watch (
  .clk_i, .rst_ni,
  .beat((up_out_valid_o && up_out_ready_i) || (down_out_valid_o && down_out_ready_i)));
