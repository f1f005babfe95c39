// The write side of systole_vector_engine: what it does about an answer that is an error.
//
// Cut: the unit, its drain, the program loader, the read streams and the beats. Words come whenever
// they are taken; commands are any.
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

  logic [6:0] owed;
  logic failed;
  write_answers u_answers (
    .clk_i, .rst_ni, .burst_valid_i(write_burst_valid), .burst_ready_i(write_burst_ready_i),
    .response_valid_i, .response_error_i, .response_ready_i(1'b1), .stop_i,
    .fault_raised_i(fault_raised), .idle_i(idle), .owed_o(owed), .failed_o(failed)
  );

  // ---- What makes them inductive ----
  (* hierconn *) logic \u_dut.quiet_q , \u_dut.may_ask_q ;
  (* hierconn *) logic [1:0] \u_dut.answering_pop_data ;
  (* hierconn *) logic [6:0] \u_dut.asked_q , \u_dut.u_answering.count_q ,
    \u_dut.gen_writer[0].u_writer.u_bursts.outstanding_q , \u_dut.gen_writer[0].u_writer.u_bursts.u_answers.count_q ,
    \u_dut.gen_writer[1].u_writer.u_bursts.outstanding_q , \u_dut.gen_writer[1].u_writer.u_bursts.u_answers.count_q ,
    \u_dut.gen_writer[2].u_writer.u_bursts.outstanding_q , \u_dut.gen_writer[2].u_writer.u_bursts.u_answers.count_q ,
    \u_dut.gen_writer[3].u_writer.u_bursts.outstanding_q , \u_dut.gen_writer[3].u_writer.u_bursts.u_answers.count_q ;
  (* hierconn *) logic
    \u_dut.gen_writer[0].u_writer.u_bursts.failed_q , \u_dut.gen_writer[0].u_writer.u_bursts.fault_raised_o ,
    \u_dut.gen_writer[1].u_writer.u_bursts.failed_q , \u_dut.gen_writer[1].u_writer.u_bursts.fault_raised_o ,
    \u_dut.gen_writer[2].u_writer.u_bursts.failed_q , \u_dut.gen_writer[2].u_writer.u_bursts.fault_raised_o ,
    \u_dut.gen_writer[3].u_writer.u_bursts.failed_q , \u_dut.gen_writer[3].u_writer.u_bursts.fault_raised_o ;
  logic [27:0] outstanding, unanswered;
  logic [3:0] failed_streams, told_streams;
  assign outstanding = {
    \u_dut.gen_writer[3].u_writer.u_bursts.outstanding_q , \u_dut.gen_writer[2].u_writer.u_bursts.outstanding_q ,
    \u_dut.gen_writer[1].u_writer.u_bursts.outstanding_q , \u_dut.gen_writer[0].u_writer.u_bursts.outstanding_q };
  assign unanswered = {
    \u_dut.gen_writer[3].u_writer.u_bursts.u_answers.count_q , \u_dut.gen_writer[2].u_writer.u_bursts.u_answers.count_q ,
    \u_dut.gen_writer[1].u_writer.u_bursts.u_answers.count_q , \u_dut.gen_writer[0].u_writer.u_bursts.u_answers.count_q };
  assign failed_streams = {
    \u_dut.gen_writer[3].u_writer.u_bursts.failed_q , \u_dut.gen_writer[2].u_writer.u_bursts.failed_q ,
    \u_dut.gen_writer[1].u_writer.u_bursts.failed_q , \u_dut.gen_writer[0].u_writer.u_bursts.failed_q };
  assign told_streams = {
    \u_dut.gen_writer[3].u_writer.u_bursts.fault_raised_o , \u_dut.gen_writer[2].u_writer.u_bursts.fault_raised_o ,
    \u_dut.gen_writer[1].u_writer.u_bursts.fault_raised_o , \u_dut.gen_writer[0].u_writer.u_bursts.fault_raised_o };

  always @(posedge clk_i) if (rst_ni) begin
    // Queues keep their words, proved of systole_fifo; a burst enters its stream's and u_answering at once.
    the_owner_has_a_burst: assume (!response_valid_i
                                   || 7'(unanswered >> 7 * \u_dut.answering_pop_data ) != 7'd0);
    lemma_owed: assert (\u_dut.asked_q == owed && \u_dut.u_answering.count_q == owed);
    lemma_may_ask: assert (owed <= 7'd63 + 7'(!\u_dut.may_ask_q ));
    lemma_answers: assert (9'(unanswered[6:0]) + 9'(unanswered[13:7]) + 9'(unanswered[20:14])
                           + 9'(unanswered[27:21]) == 9'(owed));
    lemma_quiet: assert (!\u_dut.quiet_q || outstanding == '0);
    lemma_told: assert ((failed_streams & ~told_streams) == '0 || fault_raised || stop_i);
    lemma_failed: assert (!failed || fault_raised || stop_i
                          || (told_streams != '0 && !\u_dut.quiet_q ));
  end

endmodule
