  // ---- A stream waits for its neighbour as long as it has patience: goes into systole_vector_link_reader ----
  logic waits_now;
  assign waits_now = !stop_i && !stopping_q
                     && ((up_in_ready_o && !up_in_valid_i) || (down_in_ready_o && !down_in_valid_i));
  logic [32:0] still_q;  // clocks in a row
  logic [31:0] patience_was_q;
  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    patience_was_q <= patience_i;
    reset_first: assume (began_q || !rst_ni);
    patience_holds_still: assume (!began_q || patience_i == patience_was_q);
    still_q <= rst_ni && waits_now ? still_q + 33'd1 : 33'd0;
    if (rst_ni) begin
      a_wait_for_a_beat_ends: assert (still_q <= 33'(patience_i) || fault_raised_o);
      no_stall_within_patience: assert (
        !fault_raised_o || fault_code_o != 4'd10 || still_q == 33'(patience_i) + 33'd1);
      nothing_is_taken_after_a_fault: assert (!failed_q || stopping_q || !(up_in_ready_o || down_in_ready_o));
      lemma_waited: assert (fault_raised_o || still_q == 33'(patience_waited_q));
      lemma_still: assert (still_q <= 33'(patience_i) + 33'd1 && patience_waited_q <= patience_i);
      lemma_failed: assert (!failed_q || (!active_q && patience_waited_q == '0));
      lemma_fault: assert (!fault_raised_o || failed_q);
    end
  end
