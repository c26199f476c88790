package gcm

// hbMul returns x * y in GF(2¹²⁸).
func hbMul(xlow, xhigh, ylow, yhigh uint64) (low, high uint64)
