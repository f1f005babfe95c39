  // ---- The word that link.sv looks at: goes into systole_fifo ----
  (* keep *) logic [CountWidth-1:0] look;  // set in systole_link: so many words before it
  logic [Width-1:0] looked_at;
  logic [CountWidth:0] place, end_place;
  assign place = (CountWidth+1)'(read_q) + (CountWidth+1)'(look);
  assign end_place = (CountWidth+1)'(read_q) + (CountWidth+1)'(count_q);
  assign looked_at = word_q[PlaceWidth'(place < (CountWidth+1)'(Depth) ? place : place - (CountWidth+1)'(Depth))];
  always @(posedge clk_i) if (rst_ni) begin
    lemma_count: assert (count_q <= Full);
    lemma_ends: assert (read_q <= Last && (CountWidth+1)'(write_q) ==
                        (end_place < (CountWidth+1)'(Depth) ? end_place : end_place - (CountWidth+1)'(Depth)));
  end
