// What goes in comes out, once and in order; the queue is full at Capacity words and no earlier.
//
// `watch_i` picks any one word that enters; it is followed to the other end. The outputs say what it
// follows, for the invariants of a proof by induction.
module stream_order #(
  parameter int Width = 1,
  parameter int Capacity = 2,
  localparam int Bits = $clog2(Capacity + 1)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             watch_i,
  input  logic             push_valid_i,
  input  logic             push_ready_i,
  input  logic [Width-1:0] push_data_i,
  input  logic             pop_valid_i,
  input  logic             pop_ready_i,
  input  logic [Width-1:0] pop_data_i,
  output logic [Bits-1:0]  held_o,      // words held
  output logic             watching_o,
  output logic [Bits-1:0]  ahead_o,     // of them before the watched one
  output logic [Width-1:0] word_o       // the watched one
);

  logic [Bits-1:0] held_q, ahead_q;
  logic watching_q;
  logic [Width-1:0] word_q;
  logic push, pop;
  assign push = push_valid_i && push_ready_i;
  assign pop = pop_valid_i && pop_ready_i;
  assign held_o = held_q;
  assign watching_o = watching_q;
  assign ahead_o = ahead_q;
  assign word_o = word_q;

  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    held_q <= rst_ni ? held_q + Bits'(push) - Bits'(pop) : '0;
    if (!rst_ni) watching_q <= 1'b0;
    else if (!watching_q) begin
      watching_q <= push && watch_i;
      word_q <= push_data_i;
      ahead_q <= held_q - Bits'(pop);
    end else if (pop) begin
      watching_q <= ahead_q != '0;
      ahead_q <= ahead_q - 1'b1;
    end
    if (rst_ni) begin
      full_at_capacity: assert (push_ready_i == (held_q != Bits'(Capacity)));
      empty_at_none: assert (pop_valid_i == (held_q != '0));
      if (pop_valid_i && watching_q && ahead_q == '0) in_order: assert (pop_data_i == word_q);
    end
  end

endmodule
