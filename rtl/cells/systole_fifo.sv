// systole_fifo: a queue of up to Depth words, first in, first out.
//
// A word leaves one clock after it entered at the earliest. One word a clock both ways from Depth 2
// on, every other clock at Depth 1: push_ready_o depends on registers alone, so that a full queue
// takes nothing, even while it is popped. Words are registers or LUT RAM and are not reset.
// Does not use block RAM, cross clock domains, or say how full it is. C++ twin:
// systole::hls::Fifo (stream.h), whose behaviour at the ports is this one's on every edge.

module systole_fifo #(
  parameter int Width = 8,
  parameter int Depth = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_valid_i,
  output logic             push_ready_o,
  input  logic [Width-1:0] push_data_i,
  output logic             pop_valid_o,
  input  logic             pop_ready_i,
  output logic [Width-1:0] pop_data_o
);

  localparam int PlaceWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int CountWidth = $clog2(Depth + 1);
  localparam logic [PlaceWidth-1:0] Last = PlaceWidth'(Depth - 1);
  localparam logic [CountWidth-1:0] Full = CountWidth'(Depth);

  logic [Width-1:0] word_q [Depth];
  logic [PlaceWidth-1:0] write_q, read_q;
  logic [CountWidth-1:0] count_q;
  logic push, pop;

  assign push_ready_o = (count_q != Full);
  assign pop_valid_o  = (count_q != '0);
  assign pop_data_o   = word_q[read_q];
  assign push = push_valid_i && push_ready_o;
  assign pop  = pop_ready_i && pop_valid_o;

  always_ff @(posedge clk_i) begin
    if (push) word_q[write_q] <= push_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      if (push) write_q <= (write_q == Last) ? '0 : write_q + 1'b1;
      if (pop)  read_q  <= (read_q == Last) ? '0 : read_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  // What makes the rule below provable by induction.
  logic [CountWidth-1:0] distance;
  assign distance = (write_q < read_q) ? CountWidth'(write_q) + Full - CountWidth'(read_q)
                                       : CountWidth'(write_q) - CountWidth'(read_q);
  always @(posedge clk_i) begin : count_is_the_distance_of_the_places
    if (rst_ni) assert (count_q == (push_ready_o ? distance : Full));
    if (rst_ni && !push_ready_o) assert (distance == '0);
  end
  if (2**PlaceWidth != Depth) begin : gen_places_out_of_range
    always @(posedge clk_i) if (rst_ni) assert ((write_q <= Last) && (read_q <= Last));
  end

  logic stalled_q;
  logic [Width-1:0] data_q;
  always @(posedge clk_i) begin : pop_holds_while_stalled
    stalled_q <= rst_ni && pop_valid_o && !pop_ready_i;
    data_q    <= pop_data_o;
    if (rst_ni && stalled_q) assert (pop_valid_o && (pop_data_o === data_q));
  end
`endif

endmodule
