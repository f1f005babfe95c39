// The write side of systole_vector_engine: what it does about an answer that is an error.
//
// Cut: the unit, its drain, the program loader and the read streams. Words come whenever they are
// taken; commands are any.
module vector_path_properties (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         command_valid_i,
  input logic [127:0] command_data_word_i,
  input logic [23:0]  command_data_index_i,
  input logic [159:0] windows_base_i,
  input logic [159:0] windows_end_i,
  input logic [3:0]   windows_open_i,
  input logic         stop_i,
  input logic         write_burst_ready_i,
  input logic         write_ready_i,
  input logic         response_valid_i,
  input logic         response_error_i
);

  logic write_burst_valid, fault_raised, idle;
  systole_vector_engine u_dut (
    .clk_i, .rst_ni, .command_valid_i, .command_data_word_i, .command_data_index_i,
    .tokens_i(4'd7), .read_windows_base_i('0), .read_windows_end_i('0), .read_windows_open_i('0),
    .write_windows_base_i(windows_base_i), .write_windows_end_i(windows_end_i),
    .write_windows_open_i(windows_open_i), .stop_i,
    .read_burst_ready_i(1'b0), .read_valid_i(1'b0), .read_data_data_i('0), .read_data_error_i(1'b0),
    .read_data_last_i(1'b0),
    .write_burst_ready_i, .write_ready_i, .response_valid_i, .response_error_i,
    .write_burst_valid_o(write_burst_valid), .fault_raised_o(fault_raised), .idle_o(idle)
  );

  logic taken, failed_q, stop_q, stops_q, told_q;
  assign taken = write_burst_valid && write_burst_ready_i;
  logic [6:0] owed_q;  // bursts taken and not answered
  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    owed_q <= rst_ni ? owed_q + 7'(taken) - 7'(response_valid_i) : 7'd0;
    stop_q <= rst_ni && stop_i;
    stops_q <= rst_ni && stop_i && !(stop_q && idle);
    told_q <= rst_ni && fault_raised;
    if (rst_ni && stops_q) stop_stays_until_idle: assume (stop_i);
    if (rst_ni && told_q) a_fault_stops_the_device: assume (stop_i);
    failed_q <= rst_ni && !stop_i && !fault_raised
                && (failed_q || (response_valid_i && response_error_i));
    if (rst_ni) begin
      memory_answers_requests: assume (!response_valid_i || (owed_q != 7'd0));
      an_idle_engine_offers_no_write: assert (!(idle && write_burst_valid));
      idle_once_all_is_answered: assert (!idle || (owed_q == 7'd0));
      not_idle_before_its_fault: assert (!failed_q || !idle || fault_raised || stop_i);
    end
  end

endmodule
