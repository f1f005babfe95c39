; ---- leaves a function that picks nothing as it is
define i8 @f(i8 %a) {
  ret i8 %a
}
; becomes
;   ret i8 %a
; ---- refuses an index that may leave its table
@table = internal constant [3 x i8] c"\01\02\04"
define i8 @f(i2 %i) {
  %wide = zext i2 %i to i64
  %p = getelementptr [3 x i8], ptr @table, i64 0, i64 %wide
  %x = load i8, ptr %p
  ret i8 %x
}
; refused: this index may fall outside of 'table', which has 3 elements
