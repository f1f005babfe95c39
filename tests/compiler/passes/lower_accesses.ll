; module
; ---- makes ports and lone registers values, read and written once
define void @f(ptr sret(i8) %out, ptr %self, ptr %in) {
  %x = load i8, ptr %in
  %q = load i8, ptr %self
  store i8 %q, ptr %out
  store i8 %x, ptr %self
  ret void
}
; becomes
;   %1 = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   %x = call i8 @hls.read_port.i8_32_64(i32 0, i64 0)
;   call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %x)
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %1)
;   ret void
; ---- keeps an array that a variable indexes, in program order
%State = type { i8, [2 x [3 x i8]] }
define void @f(ptr sret(i8) %out, ptr %self, ptr %in) {
  %x = load i8, ptr %in
  %low = and i8 %x, 1
  %i = zext i8 %low to i64
  %p = getelementptr %State, ptr %self, i32 0, i32 1, i64 0, i64 %i
  %q = getelementptr %State, ptr %self, i32 0, i32 1, i64 1, i64 %i
  store i8 %x, ptr %p
  %v = load i8, ptr %q
  store i8 %v, ptr %out
  ret void
}
; becomes
;   %x = call i8 @hls.read_port.i8_32_64(i32 0, i64 0)
;   %low = and i8 %x, 1
;   %i = zext nneg i8 %low to i64
;   call void @hls.store._32_64_8(i32 1, i64 %i, i8 %x)
;   %1 = add nuw nsw i64 %i, 3
;   %v = call i8 @hls.load.i8_32_64(i32 1, i64 %1)
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %v)
;   ret void
; ---- refuses a write to an input
define void @f(ptr sret(i8) %out, ptr %self, ptr %in) {
  store i8 1, ptr %in
  ret void
}
; refused: an input cannot be written
; ---- refuses an index that may leave its array
%State = type { i8, [2 x [3 x i8]] }
define void @f(ptr sret(i8) %out, ptr %self, ptr %in) {
  %x = load i8, ptr %in
  %i = zext i8 %x to i64
  %p = getelementptr %State, ptr %self, i32 0, i32 1, i64 0, i64 %i
  store i8 %x, ptr %p
  ret void
}
; refused: index 2 may fall outside of 'matrix', which has 3 elements there
; ---- refuses a pointer in a register
define void @f(ptr sret(i8) %out, ptr %self, ptr %in) {
  %p = load ptr, ptr %self
  store i8 1, ptr %p
  ret void
}
; refused: this copies raw memory
