  // ---- Fences beside faults and writes: goes into systole_accelerator ----
  // Cut: engines, queues, fetcher, tokens and registers. They are idle and meet faults as they like;
  // what is assumed of them has a name.
  logic told;  // a fault is kept, or shown to the supervisor in this clock
  assign told = supervisor_status[1] | fetcher_fault_raised | sequencer_fault_raised
                | load_fault_raised | store_fault_raised | vector_fault_raised | tokens_overflow;
  logic write_is_taken, write_is_answered, write_fails;
  assign write_is_taken = memory_write_request_valid_o && memory_write_request_ready_i;
  assign write_is_answered = memory_response_valid_i && memory_response_ready_o;
  assign write_fails = write_is_answered && memory_response_data_i;

  logic told_q, stop_q, stops_q, cleared_q, refused_q, write_failed_q, store_failed_q, vector_failed_q;
  logic [7:0] owed_q, owed_was_q;  // bursts taken and not answered
  logic [31:0] marker_was_q;
  logic [23:0] head_was_q;
  logic counted_q;  // a clock has passed since reset
  logic began_q = 1'b0;
  logic marker_changes, stays;
  assign marker_changes = (sequencer_marker != marker_was_q) && !cleared_q;
  assign stays = (sequencer_head == head_was_q) || cleared_q;

  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    counted_q <= rst_ni;
    told_q <= rst_ni && told;
    stop_q <= rst_ni && supervisor_stop;
    stops_q <= rst_ni && supervisor_stop && !(stop_q && store_idle && vector_idle && bus_idle);
    cleared_q <= supervisor_clear;
    marker_was_q <= sequencer_marker;
    head_was_q <= sequencer_head;
    refused_q <= rst_ni && !supervisor_clear && (refused_q || sequencer_fault_raised);
    owed_q <= rst_ni ? owed_q + 8'(write_is_taken) - 8'(write_is_answered) : 8'd0;
    owed_was_q <= rst_ni ? owed_q : 8'd0;
    write_failed_q <= rst_ni && !supervisor_clear && (write_failed_q || write_fails);
    store_failed_q <= rst_ni && !supervisor_stop && !store_fault_raised
                      && (store_failed_q || (write_fails && store_response_valid));
    vector_failed_q <= rst_ni && !supervisor_stop && !vector_fault_raised
                       && (vector_failed_q || (write_fails && inputs_response_valid));
    if (rst_ni) begin
      memory_answers_requests: assume (!memory_response_valid_i || (owed_q != 8'd0));
      at_most_128_unanswered: assume (owed_q <= 8'd128);
      the_store_engine_takes_answers: assume (memory_response_ready_o);
      an_idle_engine_offers_no_write: assume (!(store_idle && store_burst_valid)
                                              && !(vector_idle && vector_write_burst_valid));
      store_is_not_idle_before_its_fault: assume (
        !store_failed_q || !store_idle || store_fault_raised || supervisor_stop);
      vector_is_not_idle_before_its_fault: assume (
        !vector_failed_q || !vector_idle || vector_fault_raised || supervisor_stop);
      lemma_owed: assert (8'(writes_count_q) + 8'(writes_asked_q) - 8'(writes_done_q) == owed_q);
      lemma_count: assert (writes_count_q <= 16'd129);
      lemma_none: assert (!(writes_none_q && !writes_asked_q) || (owed_q == 8'd0));
    end
    if (rst_ni && counted_q) begin
      a_fault_stops_the_device: assert (!told_q || supervisor_stop || supervisor_clear);
      stop_stays_until_idle: assert (!stops_q || supervisor_stop);
      no_marker_after_a_fault: assert (!told_q || (!marker_changes && !sequencer_fence));
      no_marker_before_an_answer: assert (!marker_changes || (owed_was_q == 8'd0));
      no_marker_after_a_failed_write: assert (!write_failed_q || !marker_changes);
      nothing_after_a_refusal: assert (!refused_q
        || (stays && !sequencer_load_valid && !sequencer_compute_valid && !sequencer_store_valid
            && !sequencer_vector_valid && !sequencer_waits_for_host));
    end
  end

