package fiat

// hbP256Mul returns x * y in the Montgomery domain, reduced.
func hbP256Mul(x0, x1, x2, x3, y0, y1, y2, y3 uint64) (r0, r1, r2, r3 uint64)

func p256Mul(out, x, y *p256MontgomeryDomainFieldElement) {
	out[0], out[1], out[2], out[3] = hbP256Mul(x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3])
}

func p256Square(out, x *p256MontgomeryDomainFieldElement) {
	out[0], out[1], out[2], out[3] = hbP256Mul(x[0], x[1], x[2], x[3], x[0], x[1], x[2], x[3])
}
