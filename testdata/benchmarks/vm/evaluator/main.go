// An evaluator of expression trees: type switches and a map of variables.
package main

type expr any
type num float64
type bin struct {
	op   byte
	l, r expr
}
type vari string

func eval(e expr, env map[string]float64) float64 {
	switch e := e.(type) {
	case num:
		return float64(e)
	case vari:
		return env[string(e)]
	case *bin:
		l, r := eval(e.l, env), eval(e.r, env)
		switch e.op {
		case '+':
			return l + r
		case '-':
			return l - r
		case '*':
			return l * r
		}
	}
	panic("?")
}

func build(d int) expr {
	if d == 0 {
		return vari("x")
	}
	return &bin{"+-*"[d%3], build(d - 1), num(float64(d))}
}

func main() {
	e := build(30)
	env := map[string]float64{"x": 0.5}
	s := 0.0
	for i := range 20000 {
		env["x"] = float64(i%10) / 1e3
		s += eval(e, env)
	}
	println(s != 0)
}
