package gcm

// hbMul returns x * y in GF(2¹²⁸).
func hbMul(xlow, xhigh, ylow, yhigh uint64) (low, high uint64)

// ghashMul sets y to y*H, of which the table has the multiples.
func ghashMul(productTable *[16]gcmFieldElement, y *gcmFieldElement) {
	h := &productTable[8] // reverseBits(1)
	y.low, y.high = hbMul(h.low, h.high, y.low, y.high)
}
