package load

// The source that TestTables reads.

type tableRow struct {
	a uint8
	b int64
	_ int16
	s string
	f float32
	c [3]rowKind
}

type rowKind int16

const kindTwo, kindMinus = 2, -7

var (
	tableBytes = [...]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'x', 0xff}
	tableKeyed = [40]uint16{30: 1, 2, 3, 'c' - 70: 4, 1: 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	tableSums  = []uint16{40 - (3 - 2): kindTwo<<12 | 0x0f&'\n' ^ 1, 5: 1<<3 | 2, 3: 1 + 'a', 6: 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
	tableKeys  = [40]uint16{30: 1, 2, 3, '\n': 4, 1: 5, 6, 7, 8, 9, 18: 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	tableRows  = []tableRow{
		{1, -2, 3, "a", 1.5, [3]rowKind{1, kindTwo, kindMinus}},
		{s: "", a: 200, c: [3]rowKind{kindTwo: 9, 0: 8}},
		{c: [...]rowKind{1, 2, -3}, f: -1e-3, b: (0x7fffffffffffffff)},
		{1, -9223372036854775808, 3, "\x00ü", 2, [3]rowKind{}},
	}
	tableFlags   = [...]bool{true, false, true, true, false, true, true, true, false, true, true, true, true, false, true, true, true}
	tableFloats  = []float64{1, 2.5, -0.1, 1e300, 5e-324, 'a', 0x1p-2, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	tableComplex = [16]complex64{1, 2i, -3, 15: -4.5i, 3: 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	tableInner   = [][]string{{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"}, {"short"}}
	tableOfMap   = map[string][4][4]int8{"k": {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, -16}}}
	tablePointer = &struct{ r []uint32 }{[]uint32{15: 1, 0: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4294967295}}
	noTable      = []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	noTableFuncs = []func() [16]int8{func() [16]int8 { return [16]int8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16} }}
)
