; ---- reads and writes a 28-bit integer with 28 bits
define void @f(ptr %p, ptr %q) {
  %wide = load i32, ptr %p
  %loadedv = trunc i32 %wide to i28
  %storedv = zext i28 %loadedv to i32
  store i32 %storedv, ptr %q
  ret void
}
; becomes
;   %loadedv = load i28, ptr %p, align 4
;   store i28 %loadedv, ptr %q, align 4
;   ret void
; ---- keeps an access whose other bits are used
define i32 @f(ptr %p) {
  %wide = load i32, ptr %p
  %loadedv = trunc i32 %wide to i28
  %y = sext i28 %loadedv to i32
  %z = add i32 %y, %wide
  ret i32 %z
}
; becomes
;   %wide = load i32, ptr %p, align 4
;   %loadedv = trunc i32 %wide to i28
;   %y = sext i28 %loadedv to i32
;   %z = add i32 %y, %wide
;   ret i32 %z
; ---- keeps a program's own cut of a value that fills its memory
define void @f(ptr %p, ptr %q) {
  %whole = load i192, ptr %p
  %low = trunc i192 %whole to i64
  store i64 %low, ptr %q
  ret void
}
; becomes
;   %whole = load i192, ptr %p, align 4
;   %low = trunc i192 %whole to i64
;   store i64 %low, ptr %q, align 4
;   ret void
; ---- copies neighbouring bools and enums one by one, without the padding between them
define void @f(ptr %to, ptr %from) {
  %first = getelementptr inbounds { i32, i8, i16 }, ptr %to, i32 0, i32 1
  %source = getelementptr inbounds { i32, i8, i16 }, ptr %from, i32 0, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %first, ptr align 4 %source, i64 4, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
; becomes
;   %first = getelementptr inbounds { i32, i8, i16 }, ptr %to, i32 0, i32 1
;   %source = getelementptr inbounds { i32, i8, i16 }, ptr %from, i32 0, i32 1
;   %1 = getelementptr inbounds i8, ptr %source, i64 0
;   %2 = load i8, ptr %1, align 1
;   %3 = getelementptr inbounds i8, ptr %first, i64 0
;   store i8 %2, ptr %3, align 1
;   %4 = getelementptr inbounds i8, ptr %source, i64 2
;   %5 = load i16, ptr %4, align 1
;   %6 = getelementptr inbounds i8, ptr %first, i64 2
;   store i16 %5, ptr %6, align 1
;   ret void
; ---- leaves a copy of unknown type alone
define void @f(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 4, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
; becomes
;   call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 4, i1 false)
;   ret void
