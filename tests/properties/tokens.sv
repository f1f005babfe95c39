// Tokens are neither lost nor made: of every pair of engines, what was given and not yet taken.
module tokens_properties (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [3:0] given_load_i,
  input logic [3:0] given_compute_i,
  input logic [3:0] given_store_i,
  input logic [3:0] given_vector_i,
  input logic [3:0] taken_load_i,
  input logic [3:0] taken_compute_i,
  input logic [3:0] taken_store_i,
  input logic [3:0] taken_vector_i,
  input logic       clear_i
);

  // By giver and taker: load 0, compute 1, store 2, vector 3.
  logic [15:0] given, taken, available;
  assign given = {given_vector_i, given_store_i, given_compute_i, given_load_i};
  assign taken = {taken_vector_i, taken_store_i, taken_compute_i, taken_load_i};
  logic overflow;
  systole_tokens u_dut (
    .clk_i, .rst_ni, .given_load_i, .given_compute_i, .given_store_i, .given_vector_i,
    .taken_load_i, .taken_compute_i, .taken_store_i, .taken_vector_i, .clear_i,
    .available_load_o(available[3:0]),
    .available_compute_o(available[7:4]),
    .available_store_o(available[11:8]),
    .available_vector_o(available[15:12]),
    .overflow_o(overflow)
  );

  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    if (rst_ni) taken_where_shown: assume ((taken & ~available) == 16'd0);
  end

  logic [15:0] too_many, held;
  for (genvar from = 0; from < 4; from++) begin : gen_from
    for (genvar to = 0; to < 4; to++) begin : gen_to
      logic gives, takes;
      assign gives = given[4*from + to];
      assign takes = taken[4*to + from];
      if (from == to) begin : gen_self
        assign too_many[4*from + to] = gives || takes;
        assign held[4*to + from] = 1'b0;
      end else begin : gen_pair
        logic [7:0] held_q;
        assign too_many[4*from + to] = gives && !takes && (held_q == 8'd255);
        assign held[4*to + from] = held_q != 8'd0;
        always @(posedge clk_i) begin
          if (!rst_ni || clear_i) held_q <= 8'd0;
          else held_q <= held_q + 8'(gives) - 8'(takes);
        end
      end
    end
  end

  logic overflow_q, reset_q;
  always @(posedge clk_i) begin
    overflow_q <= too_many != 16'd0;
    reset_q <= !rst_ni;
    if (rst_ni) shown_while_held: assert (available == held);
    if (rst_ni && !reset_q) overflow_is_told: assert (overflow == overflow_q);
  end

endmodule
