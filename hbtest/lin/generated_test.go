package lin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// A buffer is a queue with room for two.
type buffer struct{ values []int }

func (b *buffer) put(x int) bool {
	if len(b.values) == 2 {
		return false
	}
	b.values = append(b.values, x)
	return true
}

func (b *buffer) take() int {
	if len(b.values) == 0 {
		return 0
	}
	x := b.values[0]
	b.values = b.values[1:]
	return x
}

var bufferObject = Object[*buffer]{New: func() *buffer { return new(buffer) }, Ops: []Op[*buffer]{
	With("Put", func(b *buffer, x int) any { return b.put(x) }, 1, 2),
	Do("Take", func(b *buffer) any { return b.take() }),
}}

// A timed is an operation with the times of its call and its return.
type timed struct {
	Goroutine, Op int
	Call, Return  int64
	Result        any
}

// generated returns a random history of a buffer, in two forms. Each operation takes effect some time
// between its call and its return; some results are then changed.
func generated(r *rand.Rand) (*history, []timed) {
	k, calls := 1+r.IntN(4), flat(bufferObject.Ops)
	h := &history{events: make([][]event, k)}
	for range k {
		ops := make([]int, 1+r.IntN(3))
		for i := range ops {
			ops[i] = r.IntN(len(calls))
		}
		h.scenario = append(h.scenario, ops)
	}
	var (
		b     = bufferObject.New()
		now   clock
		time  int64
		phase = make([]int, k) // of the present operation: not called, called, has taken effect
		at    = make([]int, k)
		last  = make([]int, k) // index in list
		list  []timed
	)
	for {
		var can []int
		for g := range k {
			if at[g] < len(h.scenario[g]) {
				can = append(can, g)
			}
		}
		if len(can) == 0 {
			return h, list
		}
		g := can[r.IntN(len(can))]
		c := h.scenario[g][at[g]]
		time++
		switch phase[g] {
		case 0:
			h.events[g] = append(h.events[g], event{before: now})
			last[g] = len(list)
			list = append(list, timed{Goroutine: g, Op: c, Call: time})
			phase[g] = 1
		case 1:
			result := calls[c].do(b)
			if r.IntN(6) == 0 {
				if c < 2 {
					result = !result.(bool)
				} else {
					result = r.IntN(3)
				}
			}
			h.events[g][at[g]].result = result
			list[last[g]].Result = result
			phase[g] = 2
		case 2:
			list[last[g]].Return = time
			now += 1 << (8 * g)
			at[g]++
			phase[g] = 0
		}
	}
}

// allowed reports whether some order of the operations of list has these results and respects real time. It
// tries all orders.
func allowed(list []timed, order ...int) bool {
	if len(order) == len(list) {
		b, calls := bufferObject.New(), flat(bufferObject.Ops)
		for _, i := range order {
			if calls[list[i].Op].do(b) != list[i].Result {
				return false
			}
		}
		return true
	}
	for i, x := range list {
		first := !slices.Contains(order, i)
		for j, y := range list {
			first = first && (slices.Contains(order, j) || y.Return > x.Call)
		}
		if first && allowed(list, append(order, i)...) {
			return true
		}
	}
	return false
}

// TestGenerated: for generated histories, linearizable agrees with a check of all orders. With HBLIN_PRINT
// set they are printed, for a comparison with porcupine (internal/histories).
func TestGenerated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	yes, no := 0, 0
	for n := range 3000 {
		h, list := generated(r)
		spec := specify(bufferObject, h.scenario)
		if n%2 == 0 { // half of the specifications start without knowledge
			spec.root = newNode(len(h.scenario))
		}
		got := h.linearizable(spec)
		if os.Getenv("HBLIN_PRINT") != "" {
			if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"Ops": list, "Linearizable": got}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if len(list) <= 7 {
			if want := allowed(list); got != want {
				t.Fatalf("history %d: %v, want %v\n%s", n, got, want, h.picture(spec, nil, names(bufferObject.Ops), nil))
			}
			if got {
				yes++
			} else {
				no++
			}
		}
	}
	if (yes < 500 || no < 500) && os.Getenv("HBLIN_PRINT") == "" {
		t.Errorf("%d histories are linearizable, %d are not", yes, no)
	}
}

// TestPicture: in a picture, an operation ends before another one begins if and only if the first
// precedes the second.
func TestPicture(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 2000 {
		h, _ := generated(r)
		texts := make([][]string, len(h.events))
		for g, events := range h.events {
			for i := range events {
				texts[g] = append(texts[g], fmt.Sprintf("%d", i))
			}
		}
		rows := h.rows(texts)
		begin, end := make([][]int, len(rows)), make([][]int, len(rows))
		for g, row := range rows {
			for column, c := range []rune(row) {
				switch c {
				case '├':
					begin[g] = append(begin[g], column)
				case '┤':
					end[g] = append(end[g], column)
				}
			}
			if len(begin[g]) != len(h.events[g]) || len(end[g]) != len(begin[g]) {
				t.Fatalf("history %d: %d operations of g%d\n%s", n, len(h.events[g]), g+1, rows)
			}
		}
		for g, events := range h.events {
			for i, e := range events {
				for g2 := range h.events {
					for i2 := range h.events[g2] {
						if g2 != g && (end[g2][i2] < begin[g][i]) != (i2 < e.before.returned(g2)) {
							t.Fatalf("history %d: operation %d of g%d and %d of g%d\n%s", n, i2, g2+1, i, g+1, strings.Join(rows, "\n"))
						}
					}
				}
			}
		}
	}
}
