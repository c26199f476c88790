package big

// The natives have two operands of equal length, because an operation has two accesses. A third operand is
// first copied to the result, or to new memory.

// hbAdd adds y to z, and hbSub subtracts it.
func hbAdd(z, y []Word) (c Word)
func hbSub(z, y []Word) (c Word)

// hbAddMul adds y * m + a to z.
func hbAddMul(z, y []Word, m, a Word) (c Word)

// hbMul sets z to x * y + r.
func hbMul(z, x []Word, y, r Word) (c Word)

// hbShl sets z to x, shifted to the left by s bits, less than a word; hbShr shifts to the right.
func hbShl(z, x []Word, s uint) (c Word)
func hbShr(z, x []Word, s uint) (c Word)

func sameLen(ok bool, name string) {
	if !ok {
		panic(name + " len")
	}
}

// second makes z hold x, and returns what y held before.
func second(z, x, y []Word) []Word {
	switch {
	case len(z) == 0 || &z[0] == &x[0]:
		return y
	case &x[0] == &y[0]:
		copy(z, x)
		return z
	}
	t := append([]Word(nil), y...)
	copy(z, x)
	return t
}

func addVV(z, x, y []Word) (c Word) {
	sameLen(len(x) == len(z) && len(y) == len(z), "addVV")
	return hbAdd(z, second(z, x, y))
}

func subVV(z, x, y []Word) (c Word) {
	sameLen(len(x) == len(z) && len(y) == len(z), "subVV")
	return hbSub(z, second(z, x, y))
}

func lshVU(z, x []Word, s uint) (c Word) {
	sameLen(len(x) == len(z), "lshVU")
	if s == 0 {
		copy(z, x)
		return 0
	}
	return hbShl(z, x, s%_W)
}

func rshVU(z, x []Word, s uint) (c Word) {
	sameLen(len(x) == len(z), "rshVU")
	if s == 0 {
		copy(z, x)
		return 0
	}
	return hbShr(z, x, s%_W)
}

func mulAddVWW(z, x []Word, y, r Word) (c Word) {
	sameLen(len(x) == len(z), "mulAddVWW")
	return hbMul(z, x, y, r)
}

func addMulVVWW(z, x, y []Word, m, a Word) (c Word) {
	sameLen(len(x) == len(z) && len(y) == len(z), "rshVU") // math/big has this name here, too
	return hbAddMul(z, second(z, x, y), m, a)
}
