#!/bin/sh
# for_verilator_test.sh SCRIPT: what SCRIPT makes of a module with each kind of loop.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/m.sv" <<'END'
  always_ff @(posedge clk_i) begin : edge_of_clk
    logic [7:0] a, b;
    logic c;
    for (int unsigned lane = 0; lane < 4; lane++) begin : loop_1
      x_q[lane] = a;
    end
    for (int unsigned i = 1; i < 3; i++) begin : each_y
      y_q[i] <= in_i[i*8 +: 8] &  // unit.h:9
          8'(i);
    end
    z_q <= i_q;
END
cat > "$folder/expected" <<END
\`line 1 "$folder/m.sv" 0
  always_ff @(posedge clk_i) begin : edge_of_clk
    logic [7:0] a, b;
    logic c; a = '0; b = '0; c = '0;
    for (int unsigned lane = 0; lane < 4; lane++) begin : loop_1
      x_q[lane] = a;
    end
y_q[1] <= in_i[1*8 +: 8] & 8'(1); y_q[2] <= in_i[2*8 +: 8] & 8'(2);



    z_q <= i_q;
END
"$1" "$folder/out" "$folder/m.sv"
sed '/y_q/ { s/  */ /g; s/^ //; }' "$folder/out/m.sv" | diff "$folder/expected" -

# Without loops over lanes nothing needs a start.
grep -v lane "$folder/m.sv" > "$folder/n.sv"
"$1" "$folder/out" "$folder/n.sv"
grep -q "^    logic c;$" "$folder/out/n.sv"
