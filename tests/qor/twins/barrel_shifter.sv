// A funnel: 32 bits of {high, x}, so that the four ways share one right shifter; a left shift is a
// right shift by the complement.
module barrel_shifter (
  input  logic        clk_i,
  input  logic [31:0] x_i,
  input  logic [4:0]  amount_i,
  input  logic [1:0]  kind_i,
  output logic [31:0] result_o
);
  localparam logic [1:0] Left = 2'd0, Right = 2'd1, Arithmetic = 2'd2;

  logic [62:0] funnel;
  logic [4:0]  by;

  always_comb begin
    by = amount_i;
    unique case (kind_i)
      Left: begin
        funnel = {x_i, 31'd0};
        by     = ~amount_i;
      end
      Right:      funnel = {31'd0, x_i};
      Arithmetic: funnel = {{31{x_i[31]}}, x_i};
      default:    funnel = {x_i[30:0], x_i};
    endcase
  end

  always_ff @(posedge clk_i) result_o <= 32'(funnel >> by);
endmodule
