// Package slots has loops over maps in the orders that gc has for them: each prints what it visits.
package slots

import (
	"fmt"
	"maps"
	"os"
	"reflect"
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
