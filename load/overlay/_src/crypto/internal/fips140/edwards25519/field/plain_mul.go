package field

// hbMul returns the limbs of x * y, in the form of feMulGeneric.
func hbMul(x0, x1, x2, x3, x4, y0, y1, y2, y3, y4 uint64) (r0, r1, r2, r3, r4 uint64)

func feMul(v, x, y *Element) {
	v.l0, v.l1, v.l2, v.l3, v.l4 = hbMul(x.l0, x.l1, x.l2, x.l3, x.l4, y.l0, y.l1, y.l2, y.l3, y.l4)
}

func feSquare(v, x *Element) {
	v.l0, v.l1, v.l2, v.l3, v.l4 = hbMul(x.l0, x.l1, x.l2, x.l3, x.l4, x.l0, x.l1, x.l2, x.l3, x.l4)
}

// feSquareN sets v to x^(2^n). The library has it since Go 1.27.
func feSquareN(v, x *Element, n int) {
	*v = *x
	for range n {
		feSquare(v, v)
	}
}
