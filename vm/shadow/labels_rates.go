package shadow

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Rates of numbers that a program computes from clock reads. A token bucket compares a float64 that results
// from fields, products and sums:
//
//	l.tokens = min(l.burst, l.tokens+now.Sub(l.last).Seconds()*l.rate)
//	return l.tokens >= 1
//
// The code does not say how much time has to pass for another outcome. So a label has a rate: the
// growth of the number for each nanosecond that is added to the clock, as far as the instructions
// that made it are linear. A comparison divides the difference of its operands by the rate. The
// quotient is a time: the machine tries clock reads that are later by this time (compared), as it does
// for a comparison of Durations. A rate only proposes times. A wrong one costs time and loses nothing,
// and the verdict names the number in any case.
//
// Labels are a part of states. In an endless loop of additions, new rates would make all states different.
// So a machine has at most maxRates rates; further ones are unknown.

const maxRates = 32

// knownRate returns rate, or 0 (unknown) if there are too many rates.
func (s *Symbols) knownRate(rate float64) float64 {
	if rate == 0 || math.IsNaN(rate) || math.IsInf(rate, 0) {
		return 0
	}
	if slices.Contains(s.rates, rate) {
		return rate
	}
	if len(s.rates) == maxRates {
		return 0
	}
	s.rates = append(s.rates, rate)
	return rate
}

// rateOf returns the rate of register i.
func (s *Symbols) rateOf(g *Goroutine, i uint16) float64 {
	if t := g.Shadow[g.FP+uint32(i)]; t != nil {
		return s.labels[t].rate
	}
	return 0
}

// computedRate returns the rate of the result of in, which computes.
func (s *Symbols) computedRate(g *Goroutine, in *bytecode.Instr) float64 {
	B, C := in.B, in.C
	x := s.rateOf(g, B)
	value := func(i uint16) float64 { return float64(int64(*g.Reg(uint32(i)))) }
	double := func(i uint16) float64 { return math.Float64frombits(*g.Reg(uint32(i))) }
	switch in.Op {
	case bytecode.CvtSF64, bytecode.CvtUF64, bytecode.CvtF64S, bytecode.AddI, bytecode.ExtS32, bytecode.ExtU32:
		return x
	case bytecode.Neg, bytecode.NegF64:
		return -x
	case bytecode.MulI:
		return x * float64(int16(C))
	case bytecode.Add, bytecode.AddF64:
		return x + s.rateOf(g, C)
	case bytecode.Sub, bytecode.SubF64:
		return x - s.rateOf(g, C)
	case bytecode.Mul:
		return x*value(C) + value(B)*s.rateOf(g, C)
	case bytecode.MulF64:
		return x*double(C) + double(B)*s.rateOf(g, C)
	case bytecode.DivS, bytecode.DivU:
		return x / value(C)
	case bytecode.DivF64:
		return x / double(C)
	case bytecode.MinF64, bytecode.MaxF64:
		if a, b := double(B), double(C); a < b == (in.Op == bytecode.MinF64) && a != b {
			return x
		}
		return s.rateOf(g, C)
	}
	return 0
}

// comparesRates records the additional time after which a comparison of registers b and c has another
// result. If c is NoReg, the second operand is the number n.
func (s *Symbols) comparesRates(g *Goroutine, b, c uint16, n float64, kind bounds.Kind) {
	if len(s.rates) == 0 {
		return
	}
	rate := s.rateOf(g, b)
	number := func(i uint16) float64 {
		if kind == bounds.Float {
			return math.Float64frombits(*g.Reg(uint32(i)))
		}
		return float64(int64(*g.Reg(uint32(i))))
	}
	if c != bytecode.NoReg {
		rate -= s.rateOf(g, c)
		n = number(c)
	}
	//mutant: numbers of the clock propose no time [test ./cmd/hbcheck TestScripts/tokens]: true
	if rate == 0 {
		return
	}
	if d := math.Ceil(math.Abs((number(b) - n) / rate)); d < math.MaxInt64/4 {
		s.m.Compared(g, int64(d))
	}
}
