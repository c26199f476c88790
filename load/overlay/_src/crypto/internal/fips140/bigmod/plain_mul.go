package bigmod

// hbMontgomery multiplies x by y and divides by 2^(64 * n), modulo m. All slices are copies with n limbs.
func hbMontgomery(x, y, m []uint, m0inv uint)

// hbAdd adds y to x, and hbSub subtracts it. x and y have the same length.
func hbAdd(x, y []uint) (carry uint)
func hbSub(x, y []uint) (borrow uint)

// hbExp sets x to x to the power of e, modulo m, which is odd. All slices are copies.
func hbExp(x, e, m []uint)

// hbDiv divides x by y, and returns the remainder.
func hbDiv(x []uint, y uint) (rem uint)

// Exp needs no constant time, and so no table of which each entry is read for each digit.
func (out *Nat) Exp(x *Nat, e []byte, m *Modulus) *Nat {
	if !m.odd {
		panic("bigmod: modulus for Exp must be odd")
	}
	modulus := copied(m.nat.limbs)
	t := copied(x.limbs[:len(modulus)])
	exponent := make([]uint, (len(e)+_S-1)/_S)
	for i, b := range e {
		at := len(e) - 1 - i
		exponent[at/_S] |= uint(b) << (8 * (at % _S))
	}
	hbExp(t, exponent, modulus)
	copy(out.resetFor(m).limbs, t)
	return out
}

func (x *Nat) DivShortVarTime(y uint) uint {
	if y == 0 {
		panic("bigmod: division by zero")
	}
	t := copied(x.limbs)
	rem := hbDiv(t, y)
	copy(x.limbs, t)
	return rem
}

func copied(limbs []uint) []uint { return append([]uint(nil), limbs...) }

func (x *Nat) montgomeryMul(a *Nat, b *Nat, m *Modulus) *Nat {
	modulus := copied(m.nat.limbs)
	n := len(modulus)
	t := copied(a.limbs[:n])
	hbMontgomery(t, copied(b.limbs[:n]), modulus, m.m0inv)
	copy(x.reset(n).limbs, t)
	return x
}

func (x *Nat) add(y *Nat) (c uint) { return hbAdd(x.limbs, y.limbs[:len(x.limbs)]) }

func (x *Nat) sub(y *Nat) (c uint) { return hbSub(x.limbs, y.limbs[:len(x.limbs)]) }

func (x *Nat) shiftIn(y uint, m *Modulus) *Nat {
	d := NewNat().resetFor(m)
	xLimbs, mLimbs := copied(x.limbs[:len(d.limbs)]), copied(m.nat.limbs)
	needSubtraction := no
	for i := _W - 1; i >= 0; i-- {
		// x = 2x + b, and d = x - m; d replaces x if it is not negative.
		if needSubtraction == yes {
			copy(xLimbs, d.limbs)
		}
		carry := hbAdd(xLimbs, xLimbs)
		xLimbs[0] |= (y >> i) & 1
		copy(d.limbs, xLimbs)
		borrow := hbSub(d.limbs, mLimbs)
		needSubtraction = not(choice(borrow)) | choice(carry)
	}
	copy(x.limbs, xLimbs)
	return x.assign(needSubtraction, d)
}
