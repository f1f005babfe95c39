; ---- makes locals values, also one that is written whole and read in pieces
define i8 @f(i16 %a) {
  %local = alloca i16
  store i16 %a, ptr %local
  %high = getelementptr i8, ptr %local, i64 1
  %x = load i8, ptr %high
  ret i8 %x
}
; becomes
;   %local.sroa.1.0.extract.shift = lshr i16 %a, 8
;   %local.sroa.1.0.extract.trunc = trunc nuw i16 %local.sroa.1.0.extract.shift to i8
;   ret i8 %local.sroa.1.0.extract.trunc
; ---- chooses between two reads rather than two pointers
define i8 @f(i1 %c, ptr %p, ptr %q) {
  %which = select i1 %c, ptr %p, ptr %q
  %x = load i8, ptr %which
  ret i8 %x
}
; becomes
;   %1 = load i8, ptr %p, align 1
;   %2 = load i8, ptr %q, align 1
;   %x = select i1 %c, i8 %1, i8 %2
;   ret i8 %x
; ---- drops hints
declare i64 @llvm.expect.i64(i64, i64)
define i64 @f(i64 %x) {
  %y = call i64 @llvm.expect.i64(i64 %x, i64 1)
  ret i64 %y
}
; becomes
;   ret i64 %x
; ---- drops a local that is copied to and never read
@table = constant [2 x i8] c"\05\06"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i8 @f(i1 %c, i8 %x) {
  %local = alloca [2 x i8]
  br i1 %c, label %yes, label %end
yes:
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr @table, i64 2, i1 false)
  br label %end
end:
  ret i8 %x
}
; becomes
;   end:
;   ret i8 %x
; ---- gives a loop that continue closes in two places one way back
define i8 @f(i8 %x, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %body ], [ %next, %rest ]
  %sum = phi i8 [ 0, %entry ], [ %sum, %body ], [ %more, %rest ]
  %go = icmp slt i8 %i, 8
  br i1 %go, label %body, label %end
body:
  %next = add i8 %i, 1
  %skip = icmp eq i8 %next, %x
  br i1 %skip, label %loop, label %rest
rest:
  %more = add i8 %sum, %next
  br label %loop
end:
  ret i8 %sum
}
; becomes
;   entry:
;   br label %body
;   loop.again:
;   %sum.ph = phi i8 [ %more, %rest ], [ %sum2, %body ]
;   %go = icmp slt i8 %next, 8
;   br i1 %go, label %body, label %end
;   body:
;   %sum2 = phi i8 [ 0, %entry ], [ %sum.ph, %loop.again ]
;   %i1 = phi i8 [ 0, %entry ], [ %next, %loop.again ]
;   %next = add i8 %i1, 1
;   %skip = icmp eq i8 %next, %x
;   br i1 %skip, label %loop.again, label %rest
;   rest:
;   %more = add i8 %sum2, %next
;   br label %loop.again
;   end:
;   %sum.lcssa = phi i8 [ %sum.ph, %loop.again ]
;   ret i8 %sum.lcssa
; ---- counts what a pointer walks through, whose end is in another block than its head
@table = constant [3 x i8] c"\02\03\05"
define i8 @f(i8 %x) {
entry:
  br label %head
head:
  %p = phi ptr [ @table, %entry ], [ %n, %next ]
  %sum = phi i8 [ 0, %entry ], [ %more, %next ]
  %done = icmp eq ptr %p, getelementptr (i8, ptr @table, i64 3)
  br i1 %done, label %end, label %body
body:
  %v = load i8, ptr %p
  %big = icmp ugt i8 %v, %x
  br i1 %big, label %add, label %next
add:
  br label %next
next:
  %part = phi i8 [ 0, %body ], [ %v, %add ]
  %more = add i8 %sum, %part
  %n = getelementptr i8, ptr %p, i64 1
  br label %head
end:
  ret i8 %sum
}
; becomes
;   entry:
;   br label %body
;   body:
;   %sum2 = phi i8 [ 0, %entry ], [ %more, %next ]
;   %index1 = phi i64 [ 0, %entry ], [ %1, %next ]
;   %0 = getelementptr i8, ptr @table, i64 %index1
;   %v = load i8, ptr %0, align 1
;   %big = icmp ugt i8 %v, %x
;   br i1 %big, label %add, label %next
;   add:
;   br label %next
;   next:
;   %part = phi i8 [ 0, %body ], [ %v, %add ]
;   %more = add i8 %sum2, %part
;   %1 = add i64 %index1, 1
;   %2 = getelementptr i8, ptr @table, i64 %1
;   %done = icmp eq i64 %1, 3
;   br i1 %done, label %end, label %body
;   end:
;   %sum.lcssa = phi i8 [ %more, %next ]
;   ret i8 %sum.lcssa
; ---- leaves a pointer alone that turns round in a loop of two entries
define i8 @f(i1 %c, ptr %a, ptr %b) {
entry:
  br i1 %c, label %one, label %two
one:
  %p = phi ptr [ %a, %entry ], [ %q, %two ]
  %x = load i8, ptr %p
  %end.one = icmp eq i8 %x, 0
  br i1 %end.one, label %end, label %two
two:
  %q = phi ptr [ %b, %entry ], [ %p, %one ]
  %y = load i8, ptr %q
  %end.two = icmp eq i8 %y, 0
  br i1 %end.two, label %end, label %one
end:
  %r = phi i8 [ %x, %one ], [ %y, %two ]
  ret i8 %r
}
; becomes
;   entry:
;   br i1 %c, label %one, label %two
;   one:
;   %p = phi ptr [ %a, %entry ], [ %q, %two ]
;   %x = load i8, ptr %p, align 1
;   %end.one = icmp eq i8 %x, 0
;   br i1 %end.one, label %end, label %two
;   two:
;   %q = phi ptr [ %b, %entry ], [ %p, %one ]
;   %y = load i8, ptr %q, align 1
;   %end.two = icmp eq i8 %y, 0
;   br i1 %end.two, label %end, label %one
;   end:
;   %r = phi i8 [ %x, %one ], [ %y, %two ]
;   ret i8 %r
; ---- compares places of one array by their indices
define i1 @f(ptr %a, i64 %i, i1 %c) {
  %p = getelementptr i16, ptr %a, i64 %i
  %q = getelementptr i16, ptr %a, i64 2
  %r = select i1 %c, ptr %p, ptr %q
  %less = icmp ult ptr %r, %q
  ret i1 %less
}
; becomes
;   %index = select i1 %c, i64 %i, i64 2
;   %less = icmp slt i64 %index, 2
;   ret i1 %less
; ---- knows how many elements are between two places
define i64 @f(ptr %a) {
  %q = getelementptr i16, ptr %a, i64 7
  %last = ptrtoint ptr %q to i64
  %first = ptrtoint ptr %a to i64
  %bytes = sub i64 %last, %first
  ret i64 %bytes
}
; becomes
;   ret i64 14
