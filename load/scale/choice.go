package scale

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// A Choice is smaller numbers for some constants.
type Choice struct {
	Values []Value // in the order of the source
}

// A Value is a number that has been chosen.
type Value struct {
	*Constant
	To int64
}

// Edits returns the edits that make a program the small version.
func (c Choice) Edits() (list []load.Edit) {
	for _, v := range c.Values {
		for _, p := range v.places {
			list = append(list, p.edit(v.To))
		}
	}
	return list
}

// String returns a text that differs for different choices.
func (c Choice) String() string {
	var b strings.Builder
	for _, v := range c.Values {
		fmt.Fprintf(&b, "%v %d ", v.Pos, v.To)
	}
	return b.String()
}

// A Shape says which numbers become smaller. A Scale says how small they become.
type Shape uint8

// The shapes, in the order in which they are tried. Relations are the computations that the author may have
// made: a number that is equal to another one, its neighbour, its double, its half, or the product of
// several.
const (
	Related      Shape = iota // goroutines and rounds, and related numbers
	Multiples                 // goroutines and rounds, and related numbers with their multiples and fractions
	Alone                     // goroutines and rounds only
	Proportional              // all numbers, each as small in proportion to the largest
	Counted                   // goroutines only, with relations
	Repeated                  // rounds only, with relations
	numShapes
)

// Shapes returns all shapes.
func Shapes() (list []Shape) {
	for s := range numShapes {
		list = append(list, s)
	}
	return list
}

// A Scale is the size of a small version.
type Scale struct{ Goroutines, Rounds int64 }

// Choose returns the choice of a shape and a scale; ok is false if nothing becomes smaller.
func Choose(list []*Constant, shape Shape, scale Scale) (c Choice, ok bool) {
	to := make(map[*Constant]int64)
	set := func(k *Constant, n int64) {
		//mutant: a quotient becomes nothing [test ./load/scale TestChoose]: "max(n, k.divisor)" -> "n"
		if n = max(n, k.divisor); n < k.From {
			to[k] = n
		}
	}
	for _, k := range list {
		each := int64(1)
		//mutant: the share of a goroutine is nothing [test ./load/scale TestChoose]: "k.shared" -> "false"
		if k.shared {
			each = sharers
		}
		switch {
		case k.Role == Goroutines && shape != Repeated:
			set(k, scale.Goroutines*each)
		case k.Role == Rounds && shape != Counted:
			set(k, scale.Rounds*each)
		}
	}
	switch shape {
	case Proportional:
		most := int64(0)
		for _, k := range list {
			most = max(most, k.From)
		}
		clear(to)
		for _, k := range list {
			part := int64(float64(k.From)/float64(most)*float64(2*scale.Rounds) + 0.5)
			least := int64(1)
			if k.Role == Goroutines {
				part, least = min(part, scale.Goroutines), 2
			}
			set(k, max(least, part))
		}
	case Related, Multiples, Counted, Repeated:
		for k, n := range related(list, to, shape == Multiples) { // in any order
			set(k, n)
		}
	}
	return choice(list, to)
}

// choice returns the choice with these values.
func choice(list []*Constant, to map[*Constant]int64) (c Choice, ok bool) {
	for _, k := range list {
		if n, changed := to[k]; changed {
			c.Values = append(c.Values, Value{k, n})
		}
	}
	return c, len(c.Values) > 0
}

// mostMultiple is the largest factor of a multiple.
const mostMultiple = 10

// related returns values for the constants that have none, and are related to some that have.
func related(list []*Constant, to map[*Constant]int64, multiples bool) map[*Constant]int64 {
	var known []Value
	for _, k := range list {
		if n, ok := to[k]; ok {
			known = append(known, Value{k, n})
		}
	}
	// Of two relations the first counts.
	relation := func(k *Constant) (int64, bool) {
		n := k.From
		for _, a := range known { // among equal choices, one in the same function is preferred
			if a.From == n && a.decl == k.decl {
				return a.To, true
			}
		}
		for _, a := range known {
			if a.From == n {
				return a.To, true
			}
		}
		for i, a := range known {
			for j, b := range known[i:] {
				//mutant: a product of numbers stays what it is [test ./load/scale TestChoose]: "a.From*b.From == n" -> "false"
				if a.From*b.From == n {
					return a.To * b.To, true
				}
				for _, c := range known[i+j:] {
					if a.From*b.From*c.From == n {
						return a.To * b.To * c.To, true
					}
				}
			}
		}
		for i, a := range known {
			for _, b := range known[i+1:] {
				if a.From+b.From == n {
					return a.To + b.To, true
				}
			}
		}
		for _, a := range known {
			switch n {
			case a.From + 1:
				return a.To + 1, true
			case a.From - 1:
				return a.To - 1, true
			case 2 * a.From:
				return 2 * a.To, true
			}
			if 2*n == a.From && a.To%2 == 0 {
				return a.To / 2, true
			}
		}
		for _, a := range known {
			if !multiples {
				break
			}
			if n%a.From == 0 && n/a.From <= mostMultiple {
				return n / a.From * a.To, true
			}
			// 1000 goroutines use 1000/10 keys.
			if part := a.From / n; n*part == a.From && part <= n && part > 1 && has(list, part) {
				return (a.To + part - 1) / part, true
			}
		}
		return 0, false
	}
	found := make(map[*Constant]int64)
	for _, k := range list {
		if _, ok := to[k]; !ok && k.Role >= Size {
			if n, ok := relation(k); ok {
				found[k] = n
			}
		}
	}
	return found
}

// has reports whether one of the numbers is n.
func has(list []*Constant, n int64) bool {
	return slices.ContainsFunc(list, func(k *Constant) bool { return k.From == n })
}

// A Wish is a number that the user has chosen: NAME=3 or FILE:LINE=3.
type Wish struct {
	Text string
	name string // of a declaration
	file string
	line int
	to   int64
}

// ParseWish parses a wish.
func ParseWish(s string) (w Wish, err error) {
	place, number, ok := strings.Cut(s, "=")
	w.Text = s
	if w.to, err = strconv.ParseInt(number, 10, 64); !ok || err != nil || w.to < 0 {
		return w, fmt.Errorf("%s: want FILE:LINE=number or NAME=number", s)
	}
	i := strings.LastIndexByte(place, ':')
	if i < 0 {
		w.name = place
		return w, nil
	}
	w.file = place[:i]
	if w.line, err = strconv.Atoi(place[i+1:]); err != nil || w.file == "" {
		return w, fmt.Errorf("%s: want FILE:LINE=number or NAME=number", s)
	}
	return w, nil
}

// means reports whether w refers to k.
func (w *Wish) means(k *Constant) bool {
	if w.file == "" {
		return k.Name == w.name
	}
	return slices.ContainsFunc(k.places, func(p place) bool {
		name := filepath.ToSlash(p.pos.Filename)
		return p.pos.Line == w.line && (name == w.file || strings.HasSuffix(name, "/"+w.file))
	})
}

// Wished returns the choice that the user wishes, and the wishes that no number fits. Related numbers
// follow these.
func Wished(list []*Constant, wishes []Wish) (c Choice, unfit []Wish) {
	to := make(map[*Constant]int64)
	for _, w := range wishes {
		found := false
		for _, k := range list {
			if w.means(k) {
				to[k], found = w.to, true
			}
		}
		if !found {
			unfit = append(unfit, w)
		}
	}
	maps.Copy(to, related(list, to, false))
	c, _ = choice(list, to)
	return c, unfit
}
