package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

type shape interface{ area() float64 }

type square struct{ side float32 }
type rect struct{ w, h int16 }

func (s square) area() float64 { return float64(s.side) * float64(s.side) }
func (r *rect) area() float64  { return float64(r.w) * float64(r.h) }

func main() {
	c := make(chan any)
	go func() {
		var b strings.Builder
		for _, f := range strings.Fields(" one two  three ") {
			fmt.Fprintf(&b, "%q,", f)
		}
		c <- b.String()
	}()
	go func() {
		_, err := strconv.Atoi("12x")
		c <- fmt.Errorf("wrapped: %w", err)
	}()
	go func() {
		shapes := []shape{square{1.5}, &rect{2, 3}, square{0.5}}
		sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() < shapes[j].area() })
		c <- shapes
	}()
	for range 3 {
		switch x := (<-c).(type) {
		case string:
			fmt.Println("text", x)
		case error:
			fmt.Fprintln(os.Stderr, x, errors.Is(x, strconv.ErrSyntax))
		case []shape:
			for _, s := range x {
				fmt.Printf("%T %v %.2f\n", s, s, s.area())
			}
		}
	}
}
