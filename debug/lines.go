package debug

import (
	"go/token"
	"sort"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// lines are the lines of a function.
type lines struct {
	user   bool // the function is code of the user's, where a debugger stops
	fn     string
	file   string
	at     []int32           // by instruction: the line; 0: none
	begin  int32             // the lines of its text
	end    int32             //
	within [][2]int          // the lines of the function literals inside it
	blocks []*ssa.BasicBlock // by instruction: the block; nil: none
}

// linesOf returns the lines of the function of a point.
func (s *Session) linesOf(p vm.Point) *lines {
	l := s.lines[p.Func]
	if l == nil {
		l = makeLines(s.vm, p)
		s.lines[p.Func] = l
	}
	return l
}

func makeLines(m *vm.Machine, p vm.Point) *lines {
	f := m.Debugger().Code(p)
	place := m.Debugger().Place(p)
	l := &lines{fn: place.Func, file: place.Pos.Filename, at: make([]int32, len(f.Code)),
		user: f.SSA != nil && !f.Wrapper && !f.Trusted && !place.Std}
	if !l.user {
		return l
	}
	if node := f.SSA.Syntax(); node != nil {
		line := func(pos token.Pos) int { return m.StaticView().Fset().Position(pos).Line }
		l.begin, l.end = int32(line(node.Pos())), int32(line(node.End()))
		for _, fn := range f.SSA.AnonFuncs {
			if lit := fn.Syntax(); lit != nil {
				l.within = append(l.within, [2]int{line(lit.Pos()), line(lit.End())})
			}
		}
	}
	l.blocks = make([]*ssa.BasicBlock, len(f.Code))
	for i, o := range f.Origins {
		to := f.Edges
		if i+1 < len(f.Origins) {
			to = f.Origins[i+1].PC
		}
		for pc := o.PC; pc < to; pc++ {
			l.blocks[pc] = o.Instr.Block()
		}
	}
	for pc := range min(int32(len(f.Code)), f.Edges) {
		if pos := position(f, pc); pos.IsValid() {
			l.at[pc] = int32(m.StaticView().Fset().Position(pos).Line)
		}
	}
	return l
}

// nearest returns the first line of the function from line on that has code; 0 if line is not one of its
// lines. Some lines have no code: a variable that gets a constant is only a name for the constant.
func (l *lines) nearest(line int) (found int) {
	if line < int(l.begin) || line > int(l.end) {
		return 0
	}
	for _, at := range l.at {
		if n := int(at); n == line {
			return line
		} else if n > line && (found == 0 || n < found) {
			found = n
		}
	}
	for _, lit := range l.within {
		if lit[0] <= line && line <= lit[1] {
			return 0
		}
	}
	return found
}

// position returns the position in the source of the SSA instruction at pc, or none. (PosAt would
// return that of the instruction before it.)
func position(f *bytecode.Func, pc int32) token.Pos {
	i := sort.Search(len(f.Pos), func(i int) bool { return f.Pos[i].PC > pc }) - 1
	k := sort.Search(len(f.Origins), func(k int) bool { return f.Origins[k].PC > pc }) - 1
	switch {
	case i < 0 || k < 0:
		return token.NoPos
	case f.Pos[i].PC >= f.Origins[k].PC:
		return f.Pos[i].Pos
	}
	return f.Origins[k].Instr.Pos()
}

// tracks has the places where goroutines executed their last instruction.
type tracks struct {
	s      *Session
	stacks map[trace.GID][]tracked
	v      visit    // the last visit
	top    *tracked // the frame of the last visit
}

// tracked is a frame with its current line.
type tracked struct {
	fp, fn uint32
	line   int32
	again  bool            // a loop has begun again, so the next line counts as reached anew, whichever it is
	block  *ssa.BasicBlock // block of the last instruction
	pc     int32           // pc of the last instruction
}

// A visit is an instruction that is about to be executed.
type visit struct {
	vm.Point
	*lines
	line    int32
	starts  bool // the frame's previous instruction was in another line
	entered bool // the instruction is the first of its function that is in a line
}

// track returns where the goroutines are.
func (s *Session) track() *tracks {
	t := &tracks{s: s, stacks: make(map[trace.GID][]tracked)}
	if s.at.Step < 0 && s.under == nil {
		return t
	}
	s.vm.Live(func(g trace.GID) {
		points := s.vm.Debugger().Points(g)
		stack := make([]tracked, len(points))
		for i, p := range points {
			at := tracked{fp: p.FP, fn: p.Func, line: s.lineAt(p)}
			if l := s.linesOf(p); l.user && int(p.PC) < len(l.blocks) {
				at.block, at.pc = l.blocks[p.PC], p.PC
			}
			stack[len(points)-1-i] = at
		}
		t.stacks[g] = stack
	})
	return t
}

// lineAt returns the line of a frame: that of its last instruction that has a line.
func (s *Session) lineAt(p vm.Point) int32 {
	l := s.linesOf(p)
	for pc := min(p.PC, int32(len(l.at))-1); pc >= 0; pc-- {
		if l.at[pc] != 0 {
			return l.at[pc]
		}
	}
	return 0
}

// frame returns the frame of a point. The frames above it have been left.
func (t *tracks) frame(p vm.Point) *tracked {
	stack := t.stacks[p.G]
	n := len(stack)
	for n > 0 && stack[n-1].fp > p.FP {
		n--
	}
	if n > 0 && stack[n-1].fp == p.FP && stack[n-1].fn != p.Func {
		n--
	}
	if stack = stack[:n]; n == 0 || stack[n-1].fp != p.FP {
		stack = append(stack, tracked{fp: p.FP, fn: p.Func})
	}
	t.stacks[p.G] = stack
	return &stack[len(stack)-1]
}

// visit notes that an instruction is executed next. The result is valid until the next call.
func (t *tracks) visit(p vm.Point) *visit {
	top, l := t.top, t.v.lines
	if top == nil || p.FP != t.v.FP || p.Func != t.v.Func || p.G != t.v.G {
		top, l = t.frame(p), t.s.linesOf(p)
		t.top = top
	}
	if p.PC == 0 && top.pc != 0 { // called again: deferred functions are called without a frame in between
		*top = tracked{fp: p.FP, fn: p.Func}
	}
	t.v = visit{Point: p, lines: l, line: l.at[p.PC]}
	if l.user {
		if b := l.blocks[p.PC]; b != nil {
			if b == top.block && p.PC < top.pc || b != top.block && top.block != nil && b.Dominates(top.block) {
				top.again = true
			}
			top.block, top.pc = b, p.PC
		}
	}
	if t.v.line != 0 && (t.v.line != top.line || top.again) {
		t.v.starts, t.v.entered = true, top.line == 0
		top.line, top.again = t.v.line, false
	}
	return &t.v
}
