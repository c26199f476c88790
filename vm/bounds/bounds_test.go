package bounds

import (
	"math"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// integer operations on registers, as the interpreter computes them.
var ints = map[bytecode.Op]func(a, b int64) (int64, bool){
	bytecode.Add:  func(a, b int64) (int64, bool) { return a + b, true },
	bytecode.Sub:  func(a, b int64) (int64, bool) { return a - b, true },
	bytecode.Mul:  func(a, b int64) (int64, bool) { return a * b, true },
	bytecode.And:  func(a, b int64) (int64, bool) { return a & b, true },
	bytecode.DivS: func(a, b int64) (int64, bool) { return a / max(b, 1), b > 0 },
	bytecode.RemS: func(a, b int64) (int64, bool) { return a % max(b, 1), b > 0 },
	bytecode.DivU: func(a, b int64) (int64, bool) { return int64(uint64(a) / uint64(max(b, 1))), b > 0 },
	bytecode.RemU: func(a, b int64) (int64, bool) { return int64(uint64(a) % uint64(max(b, 1))), b > 0 },
	bytecode.Shl:  func(a, b int64) (int64, bool) { return a << (b & 63), b >= 0 && b < 64 },
	bytecode.ShrS: func(a, b int64) (int64, bool) { return a >> (b & 63), b >= 0 && b < 64 },
	bytecode.ShrU: func(a, b int64) (int64, bool) { return int64(uint64(a) >> (b & 63)), b >= 0 && b < 64 },
}

var compared = map[bytecode.Op]func(a, b int64) bool{
	bytecode.Eq: func(a, b int64) bool { return a == b }, bytecode.Ne: func(a, b int64) bool { return a != b },
	bytecode.LtS: func(a, b int64) bool { return a < b }, bytecode.LeS: func(a, b int64) bool { return a <= b },
	bytecode.LtU: func(a, b int64) bool { return uint64(a) < uint64(b) }, bytecode.LeU: func(a, b int64) bool { return uint64(a) <= uint64(b) },
}

// TestResults: results of values within bounds are within the bounds of the result, and a comparison that is
// certain has that outcome. Numbers are small, or close to where they wrap around.
func TestResults(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() int64 {
		return []int64{0, math.MaxInt64, math.MinInt64, math.MaxInt32}[r.IntN(4)] + int64(r.IntN(9)) - 4
	}
	within := func(b Bound) int64 {
		if x := b.Lo + int64(r.IntN(4)); x >= b.Lo && x <= b.Hi {
			return x
		}
		return b.Hi
	}
	known := 0
	for range 20000 {
		var at [2]Bound
		for i := range at {
			a, b := number(), number()
			if r.IntN(2) == 0 {
				b = a
			}
			at[i] = Integers(min(a, b), max(a, b))
		}
		a, b := within(at[0]), within(at[1])
		for op, f := range ints {
			got := IntResult(op, at[0], at[1])
			if v, ok := f(a, b); ok && got.Kind == Integer {
				if known++; v < got.Lo || v > got.Hi {
					t.Fatalf("%v: %d and %d, of %+v, make %d, which is not in %+v", op, a, b, at, v, got)
				}
			}
		}
		for op, f := range compared {
			if is, ok := Certain(op, at[0], at[1]); ok && is != f(a, b) {
				t.Fatalf("%v: of %+v it is certain to be %v, and for %d and %d it is not", op, at, is, a, b)
			}
		}
		if got, v := Converted(bytecode.ExtS8, at[0]), int64(int8(a)); v < got.Lo || v > got.Hi {
			t.Fatalf("%d is %d, which is not in %+v", a, v, got)
		}
	}
	if known < 50000 {
		t.Errorf("only %d results have bounds", known)
	}
}
