// Package slots has loops over maps in the orders that gc has for them: each prints what it visits.
package slots

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
)

// list returns the keys in the order in which they are visited.
func list(m map[int]int) string {
	s := ""
	for k := range m {
		s += fmt.Sprint(" ", k)
	}
	return s
}

// filled returns a map into which 0 to n-1 were put.
func filled(n int) map[int]int {
	m := map[int]int{}
	for i := range n {
		m[i] = i
	}
	return m
}

func TestThree(t *testing.T) { fmt.Println("> TestThree", list(filled(3))) }

func TestEight(t *testing.T) { fmt.Println("> TestEight", list(filled(8))) }

func TestDeleted(t *testing.T) {
	m := filled(4)
	delete(m, 1)
	fmt.Println("> TestDeleted", list(m))
}

func TestAgain(t *testing.T) {
	m := filled(5)
	delete(m, 3)
	delete(m, 1)
	m[7] = 7
	m[8] = 8
	m[3] = 3
	fmt.Println("> TestAgain", list(m))
}

func TestCleared(t *testing.T) {
	m := filled(4)
	clear(m)
	m[2], m[1], m[0] = 1, 1, 1
	fmt.Println("> TestCleared", list(m))
}

func TestEmptied(t *testing.T) {
	m := filled(4)
	for k := range m {
		delete(m, k)
	}
	m[3], m[2], m[0] = 1, 1, 1
	fmt.Println("> TestEmptied", list(m))
}

func TestCloned(t *testing.T) {
	m := filled(5)
	delete(m, 1)
	n := maps.Clone(m)
	n[9] = 9
	delete(m, 2)
	fmt.Println("> TestCloned", list(n), ",", list(m))
}

// What is copied is in the slots in which the loop comes to it.
func TestCopied(t *testing.T) {
	m, n := filled(3), map[int]int{8: 8}
	for k, v := range m {
		n[k] = v
	}
	n[9] = 9
	fmt.Println("> TestCopied", list(n))
}

func TestCopiedAway(t *testing.T) {
	n := map[int]int{8: 8}
	maps.Copy(n, filled(3))
	n[9] = 9
	fmt.Println("> TestCopiedAway", list(n))
}

func TestReflected(t *testing.T) {
	s := ""
	m := filled(4)
	delete(m, 0)
	for _, k := range reflect.ValueOf(m).MapKeys() {
		s += fmt.Sprint(" ", k.Int())
	}
	reflect.ValueOf(m).SetMapIndex(reflect.ValueOf(7), reflect.ValueOf(7))
	fmt.Println("> TestReflected", s, ",", list(m))
}

// What is inserted during a loop is visited if its slot is still to come.
func TestInserted(t *testing.T) {
	m, s := filled(3), ""
	delete(m, 1)
	for k := range m {
		s += fmt.Sprint(" ", k)
		if k < 5 {
			m[k+5] = 0
		}
	}
	fmt.Println("> TestInserted", s)
}

func TestInsertedOnce(t *testing.T) {
	m, s := filled(1), ""
	for k := range m {
		s += fmt.Sprint(" ", k)
		for i := range 4 {
			m[i+1] = 0
		}
		delete(m, 2)
	}
	fmt.Println("> TestInsertedOnce", s)
}

// An entry may be visited twice, if it has another slot when it is there again.
func TestMoved(t *testing.T) {
	m, s := filled(3), ""
	for k := range m {
		s += fmt.Sprint(" ", k)
		if len(s) < 8 {
			delete(m, (k+1)%3)
			delete(m, k)
			m[k] = 0
		}
	}
	fmt.Println("> TestMoved", s)
}

func TestClearedWithin(t *testing.T) {
	m, s := filled(6), ""
	for k := range m {
		s += fmt.Sprint(" ", k)
		if k < 6 {
			clear(m)
			m[10], m[11] = 0, 0
		}
	}
	fmt.Println("> TestClearedWithin", s)
}

// Literals: what is constant is put in first.
func TestLiteral(t *testing.T) {
	x := len(os.Args) * 0
	type pair struct{ a, b any }
	m := map[int]pair{1: {1, 2}, x: {}, 3: {}, 4: {x, nil}, 5: {}}
	s := ""
	for k := range m {
		s += fmt.Sprint(" ", k)
	}
	fmt.Println("> TestLiteral", s, ",", map[int]int{x: 1, 0: 2})
}

func TestNaN(t *testing.T) {
	m, s := map[float64]int{}, ""
	zero := float64(len(os.Args)) * 0
	for i := range 3 {
		m[zero/zero] = i
	}
	delete(m, zero/zero)
	for _, v := range m {
		s += fmt.Sprint(" ", v)
	}
	fmt.Println("> TestNaN", s)
}

// From here on maps have tables, or get them: gc has fewer orders than there are.

func TestLargeGrown(t *testing.T) {
	m := filled(9)
	for i := range 6 {
		delete(m, i)
	}
	fmt.Println("> TestLargeGrown", list(m))
}

func TestLargeUpdated(t *testing.T) {
	m := filled(8)
	m[3] = 0
	for i := range 5 {
		delete(m, i)
	}
	fmt.Println("> TestLargeUpdated", list(m))
}

func TestLargeMade(t *testing.T) {
	m := make(map[int]int, 9)
	m[0], m[1], m[2] = 0, 0, 0
	fmt.Println("> TestLargeMade", list(maps.Clone(m)))
}

func TestLargeCleared(t *testing.T) {
	m := filled(9)
	clear(m)
	m[0], m[1], m[2] = 0, 0, 0
	fmt.Println("> TestLargeCleared", list(m))
}

func TestLargeWithin(t *testing.T) {
	m, s := filled(8), ""
	for i := 2; i < 8; i++ {
		delete(m, i)
	}
	for k := range m {
		s += fmt.Sprint(" ", k)
		if len(m) < 9 {
			for i := range 8 {
				m[20+i] = 0
			}
			for i := 2; i < 8; i++ {
				delete(m, 20+i)
			}
			break
		}
	}
	fmt.Println("> TestLargeWithin", s, len(list(m)))
}

func TestLargeLater(t *testing.T) {
	m, s := filled(8), ""
	for k := range m {
		s += fmt.Sprint(" ", k)
		if s == fmt.Sprint(" ", k) {
			m[k] = 0
			for i := range 8 {
				if i != k && i != 5 && i != 6 {
					delete(m, i)
				}
			}
		}
	}
	fmt.Println("> TestLargeLater", s)
}

// What random operations do: + inserts a key, - deletes one, c clears the map, C goes on with a clone and * with a
// copy that a loop makes. [ ] is a loop that visits keys, with what the first three iterations do.

func do(m map[int]int, ops string) (string, map[int]int) {
	s := ""
	for i := 0; i < len(ops); i++ {
		switch ops[i] {
		case '+':
			i++
			m[int(ops[i]-'0')] = i
		case '-':
			i++
			delete(m, int(ops[i]-'0'))
		case 'c':
			clear(m)
		case 'C':
			m = maps.Clone(m)
		case '*':
			n := map[int]int{}
			for k, v := range m {
				n[k] = v
			}
			m = n
		case '[':
			body := ops[i+1 : i+strings.IndexByte(ops[i:], ']')]
			times := 0
			for k := range m {
				s += fmt.Sprint(" ", k)
				if times++; times <= 3 {
					do(m, body)
				}
			}
			s += ","
			i += 1 + len(body)
		}
	}
	return s, m
}

func TestRandomA(t *testing.T) { random(t, "+4+1+2+0+6+4+2+4[-6]C+6+0[]") }

func TestRandomB(t *testing.T) { random(t, "-5+0+6C+6*-5C+3[]CC+1") }

func TestRandomC(t *testing.T) { random(t, "-2-1+1+0+2+3-1+4+3[-3-0+3-4]+6-1[]") }

func TestRandomD(t *testing.T) { random(t, "-3CC+0-5[+4-1]+2+4[+4+6-5+4]-2+1") }

func TestRandomE(t *testing.T) { random(t, "C+3-6+3[+3]+1[]") }

func TestRandomF(t *testing.T) { random(t, "+4C-1+0+4+3[+6+4]-3[-6+4+6+4]+4cC") }

func TestRandomG(t *testing.T) { random(t, "+2+4+6+3+4+3C[+5][]") }

func TestRandomH(t *testing.T) { random(t, "-1+3+3+5+5+3+2-0[+5-4]+2-6[]") }

func TestRandomI(t *testing.T) { random(t, "-1+4-0+3+0+0+0+3c[+5]c[+4]+5") }

func TestRandomJ(t *testing.T) { random(t, "+6+2+2+3+6+5[+0+2][+2]") }

func TestRandomK(t *testing.T) { random(t, "+0+5+3+0+5+0+5[+5+2+1+1]+2[+4+3]cC+4") }

func TestRandomL(t *testing.T) { random(t, "+3cC+2+3+3-0+0C*+1-6+4[+0+3]CC-6") }

func TestRandomM(t *testing.T) { random(t, "C+1c+6C+0+4+1+5*+3[-2+5]-1+5+1") }

func TestRandomN(t *testing.T) { random(t, "+1+6+4+1[+3]+1+5[]") }

func TestRandomO(t *testing.T) { random(t, "+5-2+0+2+4+3+6+0[c-5+5]+4+2[-2+0+3+6]+4-3") }

func TestRandomP(t *testing.T) { random(t, "+4+1+3-1+0+1CC+3[+5+6+2]+2[]") }

func TestRandomQ(t *testing.T) { random(t, "+4+5+0+6-0+0[+0]+6[]") }

func TestRandomR(t *testing.T) { random(t, "-1-1+0*+5[-0-3]") }

func TestRandomS(t *testing.T) { random(t, "-1-1+3-3+0+5-0-5[+3][]") }

func TestRandomT(t *testing.T) { random(t, "+5+4+6+0+1+1+0+5*+4CC[-0]+0+5+0") }

func TestRandomU(t *testing.T) { random(t, "-5+0+1C+5+0+1+6+4[+5]+0+5C[]") }

func TestRandomV(t *testing.T) { random(t, "+2-5+3+2+3+2+2[-5+1-3+1]-4+1[+1+5]+0c") }

func TestRandomW(t *testing.T) { random(t, "+4+3+4+0+4-1[][]") }

func TestRandomX(t *testing.T) { random(t, "+5+4+3[+0]+3+2+2*") }

func random(t *testing.T, ops string) {
	s, m := do(map[int]int{}, ops)
	fmt.Println(">", t.Name(), s, len(m))
}
