; ---- leaves branches with two ways only
define i8 @f(i8 %x) {
entry:
  switch i8 %x, label %other [ i8 0, label %zero i8 7, label %seven ]
zero:
  ret i8 1
seven:
  ret i8 2
other:
  ret i8 3
}
; becomes
;   entry:
;   br label %NodeBlock
;   NodeBlock:
;   %Pivot = icmp slt i8 %x, 7
;   br i1 %Pivot, label %LeafBlock, label %LeafBlock1
;   LeafBlock1:
;   %SwitchLeaf2 = icmp eq i8 %x, 7
;   br i1 %SwitchLeaf2, label %seven, label %other
;   LeafBlock:
;   %SwitchLeaf = icmp eq i8 %x, 0
;   br i1 %SwitchLeaf, label %zero, label %other
;   zero:
;   ret i8 1
;   seven:
;   ret i8 2
;   other:
;   ret i8 3
