#!/bin/bash
# Joins a model as Verilator writes them, by cmake/join_verilated.sh, and compares what it computes with
# the same model as it was: lanes that agree on their type, and lanes that do not.
#
#   join_verilated_test.sh COMPILER
set -euo pipefail
join=$(cd "$(dirname "$0")/../.." && pwd)/cmake/join_verilated.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'VM_CLASSES_FAST += \\\n\tVtop___024root__DepSet__0 \\\n' > Vtop_classes.mk

cat > Vtop___024root__DepSet__0.cpp <<'E2'
void Vtop___024root___nba_sequent__TOP__0(Vtop___024root* vlSelf) {
    IData/*31:0*/ u__DOT__edge__DOT__unnamedblk1__DOT__lane;
    IData/*31:0*/ u__DOT__edge__DOT__value;
    // Body
    u__DOT__edge__DOT__unnamedblk1__DOT__lane = 0U;
    while ((0x80U > u__DOT__edge__DOT__unnamedblk1__DOT__lane)) {
        u__DOT__edge__DOT__value = (vlSelf->u__DOT__pe_is_int8_q
                                    [(0x7fU & u__DOT__edge__DOT__unnamedblk1__DOT__lane)]
                                     ? 7U : vlSelf->u__DOT__pe_sum_q
                                    [(0x7fU & u__DOT__edge__DOT__unnamedblk1__DOT__lane)]);
        vlSelf->u__DOT__pe_total_q[(0x7fU & u__DOT__edge__DOT__unnamedblk1__DOT__lane)] 
            = (u__DOT__edge__DOT__value + (IData)(vlSelf->u__DOT__pe_is_int8_q
                                                  [(0x7fU & u__DOT__edge__DOT__unnamedblk1__DOT__lane)]));
        u__DOT__edge__DOT__unnamedblk1__DOT__lane = ((IData)(1U) 
            + u__DOT__edge__DOT__unnamedblk1__DOT__lane);
    }
    if (vlSelf->u__DOT__go_q) {
        vlSelf->u__DOT__edge__DOT__unnamedblk2__DOT__i = 0x7fU;
        while ((0x80U > vlSelf->u__DOT__edge__DOT__unnamedblk2__DOT__i)) {
            vlSelf->u__DOT__pe_is_int8_q[(0x7fU & vlSelf->u__DOT__edge__DOT__unnamedblk2__DOT__i)] 
                = (1U & (~ (IData)(vlSelf->u__DOT__pe_is_int8_q
                                   [(0x7fU & vlSelf->u__DOT__edge__DOT__unnamedblk2__DOT__i)])));
            vlSelf->u__DOT__edge__DOT__unnamedblk2__DOT__i = ((IData)(1U) 
                + vlSelf->u__DOT__edge__DOT__unnamedblk2__DOT__i);
        }
    }
    u__DOT__edge__DOT__unnamedblk1__DOT__lane = 0U;
    while ((0x80U > u__DOT__edge__DOT__unnamedblk1__DOT__lane)) {
        vlSelf->u__DOT__pe_sum_q[(0x7fU & u__DOT__edge__DOT__unnamedblk1__DOT__lane)] 
            = (vlSelf->u__DOT__pe_is_int8_q
               [(0x7fU & u__DOT__edge__DOT__unnamedblk1__DOT__lane)] 
               ^ vlSelf->u__DOT__pe_is_int8_q
               [(0x7fU & ((IData)(1U) + u__DOT__edge__DOT__unnamedblk1__DOT__lane))]);
        u__DOT__edge__DOT__unnamedblk1__DOT__lane = ((IData)(1U) 
            + u__DOT__edge__DOT__unnamedblk1__DOT__lane);
    }
    u__DOT__edge__DOT__unnamedblk1__DOT__lane = 0U;
    while ((8U > u__DOT__edge__DOT__unnamedblk1__DOT__lane)) {
        vlSelf->u__DOT__pe_total_q[(7U & u__DOT__edge__DOT__unnamedblk1__DOT__lane)] = 0U;
        u__DOT__edge__DOT__unnamedblk1__DOT__lane = ((IData)(1U) 
            + u__DOT__edge__DOT__unnamedblk1__DOT__lane);
    }
}
E2
bash "$join" . Vtop is_int8

expect() {  # expect COUNT PATTERN: so many lines of all.cpp match
  local found
  found=$(grep -c -- "$2" all.cpp || true)
  [ "$found" -eq "$1" ] || { echo "join_verilated_test: $found lines with '$2', not $1"; exit 1; }
}
expect 1 'if (!some) {'            # only the first loop reads the bit in its own lane alone
expect 5 '^#pragma clang loop'     # three versions of that one, and the other two over lanes
expect 0 'vlSelf->[A-Za-z0-9_]*unnamedblk2'  # the counter under the condition is a variable
expect 1 '^    IData .*unnamedblk2__DOT__i = 0U;$'

cat > main.cpp <<'E2'
#include <cstdint>
#include <cstdio>
#include <cstring>
using CData = std::uint8_t;
using IData = std::uint32_t;
struct Vtop___024root {
  CData u__DOT__pe_is_int8_q[128];
  IData u__DOT__pe_sum_q[128];
  IData u__DOT__pe_total_q[128];
  CData u__DOT__go_q;
  IData u__DOT__edge__DOT__unnamedblk2__DOT__i;
};
namespace plain {
#include "Vtop___024root__DepSet__0.cpp"
}
namespace joined {
#include "all.cpp"
}
int main() {
  for (int kind = 0; kind < 4; ++kind) {  // no lane, all lanes, one lane, every other lane
    for (CData go = 0; go < 2; ++go) {
      Vtop___024root a = {};
      for (unsigned i = 0; i < 128; ++i) {
        a.u__DOT__pe_is_int8_q[i] = kind == 1 || (kind == 2 && i == 127) || (kind == 3 && i % 2 == 0);
        a.u__DOT__pe_sum_q[i] = 1000 * i + 1;
      }
      a.u__DOT__go_q = go;
      Vtop___024root b = a;
      for (int clock = 0; clock < 3; ++clock) {
        plain::Vtop___024root___nba_sequent__TOP__0(&a);
        joined::Vtop___024root___nba_sequent__TOP__0(&b);
        a.u__DOT__edge__DOT__unnamedblk2__DOT__i = b.u__DOT__edge__DOT__unnamedblk2__DOT__i = 0;
        if (std::memcmp(&a, &b, sizeof a) != 0) {
          std::printf("join_verilated_test: kind %d, go %d, clock %d differs\n", kind, go, clock);
          return 1;
        }
      }
    }
  }
  return 0;
}
E2
"$1" -std=c++20 -O2 main.cpp -o main
./main

# A model that writes its signals keeps the counters that it writes.
printf '\tVtop__Trace__0 \\\n' >> Vtop_classes.mk
touch Vtop__Trace__0.cpp
bash "$join" . Vtop is_int8
member='vlSelf->[A-Za-z0-9_]*unnamedblk2'
expect "$(grep -c -- "$member" Vtop___024root__DepSet__0.cpp)" "$member"
