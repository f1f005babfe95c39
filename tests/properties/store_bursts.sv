  // ---- What makes the properties of its engines inductive: goes into systole_store_bursts ----
  (* hierconn *) logic [6:0] \u_answers.count_q ;
  always @(posedge clk_i) if (rst_ni) begin
    lemma_outstanding: assert (8'(outstanding_q) == 8'(\u_answers.count_q ) + 8'(burst_valid_q));
    lemma_room: assert (outstanding_q <= 7'd63 + 7'(!has_room_q));
  end
