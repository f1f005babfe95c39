// systole_register_slice: a stream cut by registers in both directions.
//
// One clock from push to pop, one word a clock. Every output is a register, so that no path crosses
// the slice: a word that arrives while the output stalls is kept in a spare register. Data is not
// reset. Does not hold more than these two words (systole_fifo does) or cross clock domains. C++
// twin: systole::hls::RegisterSlice (stream.h), whose behaviour at the ports is this one's on every
// edge.

module systole_register_slice #(
  parameter int Width = 8
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

  logic [Width-1:0] spare_q;
  logic moves;

  assign moves = pop_ready_i || !pop_valid_o;

  always_ff @(posedge clk_i) begin
    if (moves) pop_data_o <= push_ready_o ? push_data_i : spare_q;
    if (push_valid_i && push_ready_o && !moves) spare_q <= push_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pop_valid_o  <= 1'b0;
      push_ready_o <= 1'b1;
    end else if (moves) begin
      pop_valid_o  <= push_valid_i || !push_ready_o;
      push_ready_o <= 1'b1;
    end else if (push_valid_i) begin
      push_ready_o <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  logic stalled_q;
  logic [Width-1:0] data_q;
  always @(posedge clk_i) begin : pop_holds_while_stalled
    stalled_q <= rst_ni && pop_valid_o && !pop_ready_i;
    data_q    <= pop_data_o;
    if (rst_ni && stalled_q) assert (pop_valid_o && (pop_data_o === data_q));
  end
`endif

endmodule
