module sha256_round (
  input  logic        clk_i,
  input  logic [31:0] s_a_i, s_b_i, s_c_i, s_d_i, s_e_i, s_f_i, s_g_i, s_h_i,
  input  logic [31:0] w_i,
  input  logic [31:0] k_i,
  output logic [31:0] result_a_o, result_b_o, result_c_o, result_d_o,
  output logic [31:0] result_e_o, result_f_o, result_g_o, result_h_o
);
  logic [31:0] sigma0, sigma1, choice, majority, sum;

  assign sigma1   = {s_e_i[5:0], s_e_i[31:6]} ^ {s_e_i[10:0], s_e_i[31:11]} ^
                    {s_e_i[24:0], s_e_i[31:25]};
  assign sigma0   = {s_a_i[1:0], s_a_i[31:2]} ^ {s_a_i[12:0], s_a_i[31:13]} ^
                    {s_a_i[21:0], s_a_i[31:22]};
  assign choice   = s_g_i ^ (s_e_i & (s_f_i ^ s_g_i));
  assign majority = (s_a_i & s_b_i) | (s_c_i & (s_a_i | s_b_i));
  assign sum      = s_h_i + sigma1 + choice + k_i + w_i;

  always_ff @(posedge clk_i) begin
    result_a_o <= sum + (sigma0 + majority);
    result_b_o <= s_a_i;
    result_c_o <= s_b_i;
    result_d_o <= s_c_i;
    result_e_o <= s_d_i + sum;
    result_f_o <= s_e_i;
    result_g_o <= s_f_i;
    result_h_o <= s_g_i;
  end
endmodule
