  // ---- A beat waits for its neighbour as long as there is patience: goes into systole_vector_link_writer ----
  logic waits_now;  // but not with the one beat that a stop has left, before others come
  assign waits_now = !stop_i && !failed_q && !(is_left_q && !beats_pop_valid)
                     && ((up_out_valid_o && !up_out_ready_i) || (down_out_valid_o && !down_out_ready_i));
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
      a_wait_for_room_ends: assert (still_q <= 33'(patience_i) || fault_raised_o);
      no_stall_within_patience: assert (!fault_raised_o || still_q == 33'(patience_i) + 33'd1);
      lemma_waited: assert (fault_raised_o || still_q == 33'(patience_waited_q));
      lemma_still: assert (still_q <= 33'(patience_i) + 33'd1 && patience_waited_q <= patience_i);
      lemma_failed: assert (!failed_q || patience_waited_q == '0);
      lemma_fault: assert (!fault_raised_o || failed_q);
    end
  end
