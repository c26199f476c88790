package race

// A Stack names a call stack, as Stacks has numbered it. 0 is the empty one.
type Stack uint32

// A Call is one level of a call stack: an instruction of a function.
type Call struct{ Func, PC uint32 }

// Stacks gives equal call stacks equal numbers. A stack is its innermost call and the stack below, so
// stacks that have their outer calls in common share them. Stacks are never forgotten, because the meaning
// of a number must not depend on the path of the exploration. A program has few places from which it
// accesses shared memory.
type Stacks struct {
	nodes []stackNode // number - 1
	slots []uint32    // hash table of numbers; 0: free
}

type stackNode struct {
	below Stack
	Call
}

// Push returns the stack on which c has been called on top of below.
func (s *Stacks) Push(below Stack, c Call) Stack {
	if len(s.nodes)*2 >= len(s.slots) {
		s.grow()
	}
	want := stackNode{below, c}
	mask := uint64(len(s.slots) - 1)
	for i := want.hash() & mask; ; i = (i + 1) & mask {
		switch n := s.slots[i]; {
		case n == 0:
			s.nodes = append(s.nodes, want)
			s.slots[i] = uint32(len(s.nodes))
			return Stack(len(s.nodes))
		case s.nodes[n-1] == want:
			return Stack(n)
		}
	}
}

func (n *stackNode) hash() uint64 {
	h := (uint64(n.Func)<<32 | uint64(n.PC)) * 0x9E3779B97F4A7C15
	h = (h ^ h>>29 ^ uint64(n.below)) * 0xBF58476D1CE4E5B9
	return h ^ h>>32
}

func (s *Stacks) grow() {
	s.slots = make([]uint32, max(minIndex, 2*len(s.slots)))
	mask := uint64(len(s.slots) - 1)
	for n := range s.nodes {
		i := s.nodes[n].hash() & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n) + 1
	}
}

// Top returns the innermost call of x, which is not empty, and the stack below it.
func (s *Stacks) Top(x Stack) (Call, Stack) {
	n := &s.nodes[x-1]
	return n.Call, n.below
}
