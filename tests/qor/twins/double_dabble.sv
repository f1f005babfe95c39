// The triangle of add-3 cells: a digit is corrected only once it can reach 5.
module double_dabble (
  input  logic        clk_i,
  input  logic [12:0] binary_i,
  output logic [15:0] result_o
);
  function automatic logic [3:0] corrected(logic [3:0] digit);
    corrected = (digit >= 4'd5) ? digit + 4'd3 : digit;
  endfunction

  logic [15:0] digits;

  always_comb begin
    digits = '0;
    for (int i = 12; i >= 0; i--) begin
      for (int d = 0; d < 4; d++) digits[4*d +: 4] = corrected(digits[4*d +: 4]);
      digits = {digits[14:0], binary_i[i]};
    end
  end

  always_ff @(posedge clk_i) result_o <= digits;
endmodule
