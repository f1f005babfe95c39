// What the device relies on where an engine writes: it takes every answer, is idle only when all its
// bursts are answered, and shows the fault of an answer that is an error before it is idle.
module write_answers (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       burst_valid_i,
  input  logic       burst_ready_i,
  input  logic       response_valid_i,
  input  logic       response_error_i,
  input  logic       response_ready_i,
  input  logic       stop_i,
  input  logic       fault_raised_i,
  input  logic       idle_i,
  output logic [6:0] owed_o,   // bursts taken and not answered
  output logic       failed_o  // one was answered with an error, and no fault or stop has come of it
);

  logic [6:0] owed_q;
  logic failed_q, stop_q, stops_q, told_q;
  assign owed_o = owed_q;
  assign failed_o = failed_q;
  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    owed_q <= rst_ni ? owed_q + 7'(burst_valid_i && burst_ready_i) - 7'(response_valid_i) : 7'd0;
    stop_q <= rst_ni && stop_i;
    stops_q <= rst_ni && stop_i && !(stop_q && idle_i);
    told_q <= rst_ni && fault_raised_i;
    failed_q <= rst_ni && !stop_i && !fault_raised_i
                && (failed_q || (response_valid_i && response_error_i));
    if (rst_ni && stops_q) stop_stays_until_idle: assume (stop_i);
    if (rst_ni && told_q) a_fault_stops_the_device: assume (stop_i);
    if (rst_ni && response_valid_i) memory_answers_requests: assume (owed_q != 7'd0);
    if (rst_ni) begin
      every_response_is_taken: assert (response_ready_i);
      an_idle_engine_offers_no_write: assert (!(idle_i && burst_valid_i));
      idle_once_all_is_answered: assert (!idle_i || (owed_q == 7'd0));
      not_idle_before_its_fault: assert (!failed_q || !idle_i || fault_raised_i || stop_i);
    end
  end

endmodule
