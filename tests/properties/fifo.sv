// Inserted into systole_fifo: it keeps every word, in order, at any depth.
//
// The rules are stream_order's; the rest is what makes them inductive: where places and count say
// that the watched word must lie, it lies.
  (* anyseq *) logic watch;
  logic [CountWidth-1:0] held, ahead;
  logic watching;
  logic [Width-1:0] watched_word;
  stream_order #(.Width(Width), .Capacity(Depth)) u_order (
    .clk_i, .rst_ni, .watch_i(watch), .push_valid_i, .push_ready_i(push_ready_o), .push_data_i,
    .pop_valid_i(pop_valid_o), .pop_ready_i, .pop_data_i(pop_data_o), .held_o(held),
    .watching_o(watching), .ahead_o(ahead), .word_o(watched_word)
  );

  localparam int SumWidth = CountWidth + 1;
  localparam logic [SumWidth-1:0] Places = SumWidth'(Depth);
  logic [SumWidth-1:0] after_last, watched, write_place, watched_place;
  assign after_last    = SumWidth'(read_q) + SumWidth'(count_q);
  assign watched       = SumWidth'(read_q) + SumWidth'(ahead);
  assign write_place   = (after_last < Places) ? after_last : after_last - Places;
  assign watched_place = (watched < Places) ? watched : watched - Places;

  always @(posedge clk_i) begin
    if (rst_ni) begin
      lemma_count: assert (count_q == held && count_q <= Full);
      lemma_places: assert (read_q <= Last && SumWidth'(write_q) == write_place);
      if (watching) lemma_watched: assert (
        ahead < held && word_q[watched_place[PlaceWidth-1:0]] == watched_word);
    end
  end
