package symbolic

import (
	"cmp"
	"math/bits"
	"slices"
)

// A linear term is a sum of terms of one width, each times a constant: c + k1*t1 + k2*t2 ... They are all
// different, none is itself a sum or a multiple by a constant, and they are in the order of their hashes.
// So sums that are equal on paper are equal here, in whatever order they are made: a+b-a is b.
type linear struct {
	width    uint8
	constant uint64
	parts    []times
}

// times is a term times a constant, which is not 0.
type times struct {
	t *Term
	k uint64
}

// sumOf returns t as a linear term.
func sumOf(t *Term) linear {
	l := linear{width: t.width}
	l.add(t, 1)
	l.normalize()
	return l
}

func (l *linear) add(t *Term, k uint64) {
	switch {
	case t.op == OpConst:
		l.constant += k * t.value
	case t.op == OpAdd:
		l.add(t.arg[0], k)
		l.add(t.arg[1], k)
	case t.op == OpMul && t.arg[1].op == OpConst:
		l.add(t.arg[0], k*t.arg[1].value)
	default:
		l.parts = append(l.parts, times{t, k})
	}
}

func (l *linear) normalize() {
	m := mask(l.width)
	l.constant &= m
	slices.SortStableFunc(l.parts, func(a, b times) int {
		return cmp.Or(cmp.Compare(a.t.hash[0], b.t.hash[0]), cmp.Compare(a.t.hash[1], b.t.hash[1]))
	})
	n := 0
	for _, p := range l.parts {
		if n > 0 && l.parts[n-1].t == p.t {
			l.parts[n-1].k += p.k
		} else {
			l.parts = append(l.parts[:n], p)
			n++
		}
		if l.parts[n-1].k &= m; l.parts[n-1].k == 0 {
			n--
		}
	}
	l.parts = l.parts[:n]
}

// differing returns two linear terms that are equal if and only if s and t are: they have no common parts,
// and no subtractions.
func differing(s, t *Term) (left, right linear) {
	left, right = linear{width: s.width}, linear{width: s.width}
	if s.width == Bool {
		left.parts, right.parts = []times{{s, 1}}, []times{{t, 1}}
		return left, right
	}
	l := linear{width: s.width}
	l.add(s, 1)
	l.add(t, ^uint64(0))
	l.normalize()
	for _, p := range l.parts {
		if signed(p.k, l.width) < 0 {
			right.parts = append(right.parts, times{p.t, -p.k & mask(l.width)})
		} else {
			left.parts = append(left.parts, p)
		}
	}
	//mutant: what two sums differ by is added [symbolic Bits]: "constant = -" -> "constant = "
	right.constant = -l.constant & mask(l.width)
	return left, right
}

// combine returns the literals of a linear term. A constant factor is composed of as few powers of 2 as
// possible, which are added or subtracted: 7 is 8-1.
func (b *blaster) combine(l linear) []literal {
	n := max(int(l.width), 1)
	sum := b.constant(l.constant, n)
	for _, p := range l.parts {
		x := b.blast(p.t)
		if l.width == Bool {
			return x
		}
		for k := p.k; k != 0; {
			i := bits.TrailingZeros64(k)
			if i >= n {
				break
			}
			row, carry := x[:n-i], no
			if k>>i&2 != 0 && i+1 < n { // 11 is 100-1
				//mutant: 7 is 8 [symbolic Bits]: "row), yes" -> "row), no"
				row, carry = b.not(row), yes
				k += 1 << i
			} else {
				k -= 1 << i
			}
			high, _ := b.sum(sum[i:], row, carry)
			sum = append(sum[:i:i], high...)
		}
	}
	return sum
}
