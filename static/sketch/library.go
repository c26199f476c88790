package sketch

import (
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"
)

// library has models of functions of the standard library, except package sync. All other functions return
// unknown values and never wait.
var library = map[string]*native{
	"runtime.Gosched": {visible: true, quick: true, do: func(r *Run, g *goroutine, _ []value, _ types.Type, back func(v value)) {
		r.least--
		g.prio = r.least
		back(tuple{})
	}},
	"runtime.Goexit": {quick: true, do: func(r *Run, g *goroutine, _ []value, _ types.Type, _ func(v value)) { r.exit(g) }},
	"time.Sleep":     {visible: true, op: NoOp, can: nil, do: sleep},
	"time.After": {quick: true, do: func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		o, _ := r.newTimerChan(results, false, args[0])
		back(o)
	}},
	"time.Tick": {quick: true, do: func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		o, _ := r.newTimerChan(results, true, args[0])
		back(o)
	}},
	"time.NewTimer":  {quick: true, do: newTimer(false)},
	"time.NewTicker": {quick: true, do: newTimer(true)},
	"(*time.Timer).Stop": {visible: true, quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
		back(r.stopTimer(args[0]))
	}},
	"(*time.Timer).Reset": {visible: true, quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
		back(r.resetTimer(args[0], args[1]))
	}},
	"(*time.Ticker).Stop": {quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
		r.stopTimer(args[0])
		back(tuple{})
	}},
	"time.AfterFunc": {quick: true, do: func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		o := newObj(results.(*types.Pointer).Elem(), nil)
		site := g.called()
		t := &timer{reaches: args[1]}
		c := append(clock{}, g.clock...)
		g.tick()
		t.fire = func(r *Run) {
			if f, ok := args[1].(*closure); ok && f.fn != nil {
				if n := r.spawn(&goroutine{clock: c, id: 0}, site, target{fn: f.fn, bind: f.bind, native: r.nativeOf(f.fn)}); n != nil {
					n.clock = n.clock.join(c)
				}
			} else if ok && f.native != nil {
				f.native(r, r.gs[0])
			}
		}
		r.begin(t, args[0])
		r.timerOf(o, t)
		back(&ptr{o, ""})
	}},
	"context.Background": {quick: true, do: rootContext},
	"context.TODO":       {quick: true, do: rootContext},
	"context.WithCancel": {quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
		c := r.newContext(args[0])
		back(tuple{c, r.cancelOf(c)})
	}},
	"context.WithCancelCause": {quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
		c := r.newContext(args[0])
		back(tuple{c, r.cancelOf(c)})
	}},
	"context.WithTimeout":  {quick: true, do: timeoutContext},
	"context.WithDeadline": {quick: true, do: timeoutContext},
	"context.Cause": {quick: true, do: func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		if _, ok := args[0].(*contextValue); !ok {
			back(unknown{})
			return
		}
		contextMethod("Err").do(r, g, args, results, back)
	}},
	"context.WithValue": {quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
		back(args[0])
	}},
	"errors.New": {quick: true, do: made}, "fmt.Errorf": {quick: true, do: made},
	"os.Exit": {quick: true, do: stops}, "log.Fatal": {quick: true, do: stops}, "log.Fatalf": {quick: true, do: stops},
	"log.Fatalln": {quick: true, do: stops}, "(*log.Logger).Fatal": {quick: true, do: stops},
	"(*log.Logger).Fatalf": {quick: true, do: stops}, "(*log.Logger).Fatalln": {quick: true, do: stops},
	"log.Panic": {quick: true, do: panics}, "log.Panicf": {quick: true, do: panics}, "log.Panicln": {quick: true, do: panics},
	"(*sync.Pool).Get": {quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) { back(unknown{}) }},
}

func made(r *Run, _ *goroutine, _ []value, _ types.Type, back func(v value)) {
	r.opaques++
	back(opaque{r.opaques})
}

func stops(r *Run, _ *goroutine, _ []value, _ types.Type, _ func(v value)) {
	panic(giveUp{why: "exit"})
}

func panics(r *Run, g *goroutine, _ []value, _ types.Type, _ func(v value)) { r.fail(g, OtherPanic) }

// sleep lets all other goroutines go first, most of the time.
func sleep(r *Run, g *goroutine, _ []value, _ types.Type, back func(v value)) {
	r.least--
	g.prio = r.least
	back(tuple{})
}

// timerOf remembers which timer an object is.
func (r *Run) timerOf(o *obj, t *timer) { o.cells["timer"] = t }

func newTimer(repeat bool) func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
	return func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		t := results.(*types.Pointer).Elem()
		o := newObj(t, nil)
		st := t.Underlying().(*types.Struct)
		for i := range st.NumFields() {
			if st.Field(i).Name() == "C" {
				c, tm := r.newTimerChan(st.Field(i).Type(), repeat, args[0])
				o.cells[fieldPath("", i)] = c
				r.timerOf(o, tm)
			}
		}
		back(&ptr{o, ""})
	}
}

func (r *Run) timerAt(v value) *timer {
	if p, ok := v.(*ptr); ok {
		t, _ := p.o.cells["timer"].(*timer)
		return t
	}
	return nil
}

// aYear is longer than any program runs: timers of such a duration stand for "never".
const aYear = int64(365 * 24 * time.Hour)

// begin lets t happen after the duration d.
func (r *Run) begin(t *timer, d value) {
	n, ok := d.(int64)
	//mutant: sketch: a timer of a hundred years may fire at once [test ./static/findings TestWant]: "n >= aYear" -> "n < 0"
	if t.never = ok && n >= aYear; !t.never {
		r.timers = append(r.timers, t)
	}
}

// stopTimer stops a timer, and returns whether it would have happened. A value that was not received yet
// (Go 1.23) has not happened.
func (r *Run) stopTimer(v value) value {
	t := r.timerAt(v)
	if t == nil {
		return unknown{}
	}
	active := !t.off && (t.never || slices.Contains(r.timers, t))
	if o, ok := t.reaches.(*obj); ok && o.ch != nil && len(o.ch.buf) > 0 {
		o.ch.buf, active = nil, true
	}
	t.off = true
	return active
}

// resetTimer stops a timer and begins it again, with the duration d.
func (r *Run) resetTimer(v, d value) value {
	was := r.stopTimer(v)
	if t := r.timerAt(v); t != nil {
		n := *t
		n.off = false
		r.timerOf(v.(*ptr).o, &n)
		r.begin(&n, d)
	}
	return was
}

// contextValue is a context. done is nil if it is never done.
type contextValue struct {
	done     *obj
	children []*contextValue
	ended    bool
}

func rootContext(r *Run, _ *goroutine, _ []value, _ types.Type, back func(v value)) {
	back(&contextValue{})
}

var doneType = types.NewChan(types.RecvOnly, types.NewStruct(nil, nil))

// outsideContext returns a context that code outside of the run may end.
func (r *Run) outsideContext() *contextValue {
	o := r.outside(doneType)
	o.kind = chanObj
	return &contextValue{done: o}
}

func (r *Run) newContext(parent value) *contextValue {
	o := newObj(doneType, nil)
	o.kind = chanObj
	o.ch = &channel{}
	c := &contextValue{done: o}
	p, ok := parent.(*contextValue)
	switch {
	case !ok:
		o.outside = true
		o.ch = nil
	case p.ended:
		o.ch.closed, c.ended = true, true
	case p.done != nil && p.done.ch == nil:
		// It may end with its parent, at an unknown time.
		o.outside = true
		p.children = append(p.children, c)
	default:
		p.children = append(p.children, c)
	}
	return c
}

func (r *Run) endContext(c *contextValue, g *goroutine) {
	if c.ended {
		return
	}
	c.ended = true
	if c.done != nil && c.done.ch != nil && !c.done.ch.closed {
		c.done.ch.closed = true
		if g != nil {
			c.done.ch.clock = c.done.ch.clock.join(g.clock)
			g.tick()
		}
	}
	for _, d := range c.children {
		r.endContext(d, g)
	}
}

func (r *Run) cancelOf(c *contextValue) value {
	return &closure{bind: []value{c.done}, native: func(r *Run, g *goroutine) { r.endContext(c, g) }}
}

func timeoutContext(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
	c := r.newContext(args[0])
	r.timers = append(r.timers, &timer{reaches: c, fire: func(r *Run) { r.endContext(c, nil) }})
	back(tuple{c, r.cancelOf(c)})
}

// contextMethod returns a method of contexts.
func contextMethod(name string) *native {
	n := &native{quick: true}
	n.do = func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		c := args[0].(*contextValue)
		switch name {
		case "Done":
			if c.done == nil {
				back(nilV{})
				return
			}
			back(c.done)
		case "Err":
			switch {
			//mutant: sketch: a context that is done has no error [test ./static/findings TestWant]: "c.done != nil && c.done.happened" -> "false"
			case c.ended || c.done != nil && c.done.happened:
				if c.done != nil && c.done.ch != nil {
					g.clock = g.clock.join(c.done.ch.clock)
				}
				r.opaques++
				back(opaque{r.opaques})
			case c.done != nil && c.done.outside:
				back(unknown{})
			default:
				back(nilV{})
			}
		default:
			back(r.unknowns(results))
		}
	}
	return n
}

// atomicNative returns the model of a function of sync/atomic or a method of package testing.
func atomicNative(fn *ssa.Function) *native {
	obj := fn.Object()
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	switch obj.Pkg().Path() {
	case "sync/atomic":
		return atomicOp(fn)
	case "testing":
		return testingOp(fn)
	}
	return nil
}

func testingOp(fn *ssa.Function) *native {
	switch fn.Name() {
	case "Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow":
		return &native{quick: true, do: func(r *Run, g *goroutine, _ []value, _ types.Type, _ func(v value)) {
			r.Failed = true
			r.exit(g)
		}}
	case "Error", "Errorf", "Fail":
		return &native{quick: true, do: func(r *Run, g *goroutine, _ []value, _ types.Type, back func(v value)) {
			r.Failed = true
			back(tuple{})
		}}
	case "Cleanup":
		return &native{quick: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
			if f, ok := args[len(args)-1].(*closure); ok {
				r.cleanups = append(r.cleanups, f)
				//mutant: sketch: a test forgets what its helpers want to have done [test ./static/findings TestWant]: "r.shared" -> "false"
				if r.shared {
					r.given = append(r.given, f) // the test calls it, and this is not the test
				}
			}
			back(tuple{})
		}}
	case "Run":
		return &native{do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
			f, ok := args[len(args)-1].(*closure)
			if !ok || f.fn == nil || !r.executes(f.fn) {
				back(true)
				return
			}
			r.push(g, f.fn, []value{args[0]}, f.bind, func(value) { back(true) })
		}}
	}
	return nil
}

// atomicOp returns the model of a function of sync/atomic, by the beginning of its name.
func atomicOp(fn *ssa.Function) *native {
	name := fn.Name()
	return &native{visible: true, quick: true, do: func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		p, ok := args[0].(*ptr)
		if !ok || len(args) == 0 {
			if len(args) > 0 && isNil(args[0]) {
				r.fail(g, NilUse)
				return
			}
			back(r.unknowns(results))
			return
		}
		plain := fn.Signature.Recv() == nil
		path := p.path
		if !plain {
			path += ".atomic"
		}
		instr := g.top().at()
		write := !strings.HasPrefix(name, "Load")
		if plain {
			r.touch(g, p.o, path, write, true, instr)
		}
		l := r.lockAt(&ptr{p.o, path})
		g.clock = g.clock.join(l.clock)
		old, ok := p.o.cells[path]
		if !ok {
			switch {
			case p.o.outside:
				old = unknown{}
			case strings.HasSuffix(fn.String(), "Value).Load"):
				old = nilV{}
			default:
				old = zeroFor(fn, args, results)
			}
		}
		if _, isUnknown := old.(unknown); isUnknown && results != nil {
			if t, isTuple := results.(*types.Tuple); !isTuple || t.Len() > 0 {
				if v := zeroFor(fn, args, results); !isNil(v) {
					old = v
				}
			}
		}
		store := func(v value) {
			p.o.cells[path] = v
			l.clock = l.clock.join(g.clock)
			g.tick()
		}
		switch {
		case strings.HasPrefix(name, "Load"):
			back(old)
		case strings.HasPrefix(name, "Store"):
			store(args[1])
			back(tuple{})
		case strings.HasPrefix(name, "Add"):
			a, ok := old.(int64)
			b, ok2 := args[1].(int64)
			var v value = unknown{}
			if ok && ok2 {
				v = a + b
			}
			store(v)
			back(v)
		case strings.HasPrefix(name, "Swap"):
			store(args[1])
			back(old)
		case strings.HasPrefix(name, "CompareAndSwap"):
			eq, known := same(old, args[1])
			if !known {
				r.Guesses++
				eq = r.rng.IntN(2) == 0
			}
			if eq {
				store(args[2])
			}
			back(eq)
		default:
			back(unknown{})
		}
	}}
}

// zeroFor returns the zero value of the variable that an atomic function operates on.
func zeroFor(fn *ssa.Function, args []value, results types.Type) value {
	if params := fn.Signature.Params(); fn.Signature.Recv() == nil && params.Len() > 0 {
		if pt, ok := params.At(0).Type().Underlying().(*types.Pointer); ok {
			return zero(pt.Elem())
		}
	}
	recv := fn.Signature.Recv()
	if recv == nil {
		return unknown{}
	}
	s := recv.Type().String()
	switch {
	case strings.Contains(s, "atomic.Bool"):
		return false
	case strings.Contains(s, "atomic.Int"), strings.Contains(s, "atomic.Uint"):
		return int64(0)
	}
	return nilV{}
}
