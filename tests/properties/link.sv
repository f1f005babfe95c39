  // ---- No beat is lost, doubled or passed, and none waits for ever: goes into systole_link ----
  localparam int Places = 20;  // of the far end's queue
  localparam int Patience = 24;  // clocks in which a far end that takes all has made room
  (* anyseq *) logic watch;
  logic sends, takes;
  assign sends = sent_valid_i && sent_ready_o;
  assign takes = received_valid_o && received_ready_i;

  logic [5:0] under_way_q;  // sent and not taken
  logic [4:0] held_q;       // of them in the queue
  logic [4:0] closed_q;     // clocks without room although the far end takes all
  logic [4:0] quiet_q;      // clocks in which the far end takes all and gets nothing
  logic watching_q, watched_q;
  logic [5:0] ahead_q;  // of the watched beat
  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    under_way_q <= rst_ni ? under_way_q + 6'(sends) - 6'(takes) : 6'd0;
    held_q <= rst_ni ? held_q + 5'(beats_valid_q[7]) - 5'(takes) : 5'd0;
    closed_q <= rst_ni && received_ready_i && !sent_ready_o ? closed_q + 5'd1 : 5'd0;
    quiet_q <= rst_ni && received_ready_i && !takes && under_way_q != 6'd0 ? quiet_q + 5'd1 : 5'd0;
    if (!rst_ni) watching_q <= 1'b0;
    else if (!watching_q) begin
      watching_q <= sends && watch;
      watched_q <= sent_data_last_i;
      ahead_q <= under_way_q - 6'(takes);
    end else if (takes) begin
      watching_q <= ahead_q != 6'd0;
      ahead_q <= ahead_q - 6'd1;
    end
    if (rst_ni) begin
      no_beat_meets_a_full_queue: assert (!beats_valid_q[7] || held_q != 5'(Places));
      what_is_held_is_offered: assert (received_valid_o == (held_q != 5'd0));
      room_comes_back: assert (closed_q < 5'(Patience));
      beats_arrive: assert (quiet_q < 5'(Patience));
      if (takes && watching_q && ahead_q == 6'd0) in_order: assert (received_data_last_o == watched_q);
    end
  end
