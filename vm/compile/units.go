package compile

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Of a number that is made of a Duration often only how often it contains a unit is used:
//
//	d.Milliseconds() / 10      10 ms       int(d.Minutes())      a minute
//
// The machine looks whether that may come out otherwise (step_exact.go of vm). What is computed of the
// number is a function of how often it contains the unit, if
//
//  1. it is a quotient by a positive constant, whose unit is that many times as large: a quotient of
//     quotients that are cut off is that by the product;
//  2. it is a conversion to another integer, or, of Seconds, Minutes and Hours, from a float64 to one;
//  3. it is a comparison, which is looked at by itself (clockCompare), or is only printed;
//
// and the number has no other uses. Of several uses the greatest common divisor of their units is one.

// maxUnit is the largest unit.
const maxUnit = 1 << 54

// unitOf returns the unit of the number that i makes of a Duration: 1 if it may be used as it is.
func unitOf(i ssa.Instruction, captured bool) int64 {
	switch x := i.(type) {
	case *ssa.Call:
		name, _ := callee(x)
		unit := timeNumbers[name]
		switch b, _ := x.Type().Underlying().(*types.Basic); {
		case unit == 0 || b == nil || isNamed(x.Call.Args[0].Type(), "Time"):
			return 1
		case b.Info()&types.IsInteger != 0:
			return multiple(unit, usedUnit(x, captured))
		}
		used := int64(0)
		for _, u := range *x.Referrers() {
			switch y := u.(type) {
			case *ssa.DebugRef:
			case *ssa.Convert:
				//mutant: floats are integers [test ./cmd/hbcheck TestScripts/durations]
				if !isInteger(y) {
					return 1
				}
				used = gcd(used, usedUnit(y, captured))
			default:
				return 1
			}
		}
		return multiple(unit, max(used, 1))
	case *ssa.Convert, *ssa.ChangeType:
		return usedUnit(x.(ssa.Value), captured)
	}
	return 1
}

// isInteger reports whether v is an integer as far as this is about it: a Duration is one of the clock's.
func isInteger(v ssa.Value) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && !isNamed(v.Type(), "Duration")
}

// usedUnit returns in which units the number v is used.
func usedUnit(v ssa.Value, captured bool) int64 {
	if !isInteger(v) {
		return 1
	}
	unit := int64(0)
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.BinOp:
			switch x.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				continue
			case token.QUO:
				if k := positive(x.Y); k > 0 {
					unit = gcd(unit, multiple(k, usedUnit(x, captured)))
					continue
				}
			}
			//mutant: only quotients of numbers are used [test ./cmd/hbcheck TestScripts/durations]: "return 1" -> "continue"
			return 1
		case *ssa.Convert, *ssa.ChangeType:
			unit = gcd(unit, usedUnit(x.(ssa.Value), captured))
		case *ssa.MakeInterface:
			if !onlyShown(x, captured) {
				return 1
			}
		default:
			return 1
		}
	}
	return max(unit, 1)
}

// countedUnit returns in which units the numbers are used that are made of v, a Duration.
func countedUnit(v ssa.Value, captured bool) int64 {
	unit := int64(0)
	for _, u := range *v.Referrers() {
		if of, ok := timeNumber(u, captured); ok && of == v {
			unit = gcd(unit, unitOf(u, captured))
		} else if spanKey(u) == v {
			return 1
		}
	}
	return max(unit, 1)
}

// positive returns the value of v, if it is a positive constant.
func positive(v ssa.Value) int64 {
	if k, ok := v.(*ssa.Const); ok && k.Value != nil {
		if n, exact := constant.Int64Val(constant.ToInt(k.Value)); exact && n > 0 {
			return n
		}
	}
	return 0
}

// multiple returns n units, or as many of them as it can.
func multiple(unit, n int64) int64 {
	if n > maxUnit/unit {
		return unit
	}
	return unit * n
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
