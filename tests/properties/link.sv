  // ---- No beat is lost, doubled or passed, and none waits for ever: goes into systole_link ----
  //
  // A place of the far end's queue is free and a credit of the near end, or is on its way there, or has a
  // beat that lies in it or is on its way to it. The lemmas say so of each register, so one clock of
  // induction proves the properties for all time, whatever the two cores do.
  localparam int Places = 20;  // of the far end's queue
  localparam int Flight = 8;
  (* hierconn *) logic [4:0] \u_sender.credits_q , \u_receiver.u_beats.count_q ;
  (* hierconn *) logic [4:0] \u_receiver.u_beats.look ;
  (* hierconn *) logic [128:0] \u_receiver.u_beats.looked_at ;
  logic [4:0] held;
  assign held = \u_receiver.u_beats.count_q ;

  logic sends, takes;
  assign sends = sent_valid_i && sent_ready_o;
  assign takes = received_valid_o && received_ready_i;

  (* anyseq *) logic watch;
  logic [4:0] under_way, ahead;
  logic watching;
  logic watched;  // `last` of the watched beat; its lanes move with it
  stream_order #(.Width(1), .Capacity(Places)) u_order (
    .clk_i, .rst_ni, .watch_i(watch), .push_valid_i(sent_valid_i), .push_ready_i(sent_ready_o),
    .push_data_i(sent_data_last_i), .pop_valid_i(received_valid_o),
    .pop_ready_i(received_ready_i), .pop_data_i(received_data_last_o),
    .held_o(under_way), .watching_o(watching), .ahead_o(ahead), .word_o(watched)
  );
  assign \u_receiver.u_beats.look = ahead;

  // From the far end on: beats before each place of the flight, and the watched one is where `ahead` says.
  logic [6:0] beats, places;
  logic is_in_order, flies_for_its_clocks;
  logic [Flight+1:0] sent_q, taken_q;  // a beat was, so many clocks and one ago
  always_comb begin
    beats = 7'(held);
    is_in_order = ahead >= held || \u_receiver.u_beats.looked_at [128] == watched;
    for (int i = Flight - 1; i >= 0; i--) begin
      if (beats_valid_q[i] && beats == 7'(ahead)) is_in_order &= beats_data_last_q[i] == watched;
      beats += 7'(beats_valid_q[i]);
    end
    if (sender_wire_valid && beats == 7'(ahead)) is_in_order &= sender_wire_data_last == watched;
    beats += 7'(sender_wire_valid);
    places = beats + 7'(receiver_credit) + 7'(\u_sender.credits_q );
    flies_for_its_clocks = sent_q[0] == sender_wire_valid && taken_q[0] == receiver_credit;
    for (int i = 0; i < Flight; i++) begin
      places += 7'(credits_q[i]);
      flies_for_its_clocks &= sent_q[i+1] == beats_valid_q[i] && taken_q[i+1] == credits_q[i];
    end
  end

  always @(posedge clk_i) begin
    sent_q <= rst_ni ? {sent_q[Flight:0], sends} : '0;
    taken_q <= rst_ni ? {taken_q[Flight:0], takes} : '0;
    if (rst_ni) begin
      no_beat_meets_a_full_queue: assert (!beats_valid_seen_q || held != 5'(Places));
      a_beat_is_offered_once_it_has_flown: assert (!sent_q[Flight+1] || received_valid_o);
      what_is_offered_was_sent: assert (!received_valid_o || under_way != '0);
      a_link_without_room_offers_a_beat: assert (sent_ready_o || received_valid_o);
      a_beat_that_is_taken_makes_room: assert (!taken_q[Flight+1] || sent_ready_o);

      lemma_places: assert (places == 7'(Places) && sent_ready_o == (\u_sender.credits_q != '0));
      lemma_beats: assert (beats == 7'(under_way) && (!watching || (ahead < under_way && is_in_order)));
      lemma_seen: assert (beats_valid_seen_q == beats_valid_q[7] && credits_seen_q == credits_q[7]
                          && beats_data_last_seen_q == beats_data_last_q[7]);
      lemma_flight: assert (flies_for_its_clocks);
    end
  end
