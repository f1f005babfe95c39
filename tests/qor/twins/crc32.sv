module crc32 (
  input  logic        clk_i,
  input  logic [31:0] crc_i,
  input  logic [7:0]  data_i,
  output logic [31:0] result_o
);
  logic [31:0] next;

  always_comb begin
    next = crc_i;
    next[7:0] = crc_i[7:0] ^ data_i;
    for (int i = 0; i < 8; i++) next = (next >> 1) ^ ({32{next[0]}} & 32'hEDB88320);
  end

  always_ff @(posedge clk_i) result_o <= next;
endmodule
