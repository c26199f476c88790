// Package progen makes small concurrent Go programs from seeds, with a reference
// for their outcomes.
//
// It serves to test the machine. A program is a tree (Prog, Stmt) that Source prints as Go and that
// Explore executes independently. Explore enumerates all interleavings of single accesses, state by
// state. It is written from the Go specification, the memory model and the documentation of sync,
// and has no code in common with the machine. Channels are those of the real runtime: parked
// goroutines in first-in first-out queues; an arriving operation first seeks a parked partner.
//
// Everything is a function of the seed.
package progen

// Type is the type of a shared variable or a channel element.
type Type uint8

// The types.
const (
	Int Type = iota
	Int8
	Uint16
	Int32
	numTypes
)

var typeNames = [numTypes]string{"int", "int8", "uint16", "int32"}

// wrap returns v converted to t and back to int.
func (t Type) wrap(v int) int {
	switch t {
	case Int8:
		return int(int8(v))
	case Uint16:
		return int(uint16(v))
	case Int32:
		return int(int32(v))
	}
	return v
}

// Place is the place of a variable, which decides how the machine finds out that it is shared.
type Place uint8

// The places. All but the first three are local variables of the entry
// function that reach the goroutines through their closures.
const (
	PkgVar    Place = iota // package variable
	PkgStruct              // fields of a package variable
	PkgArray               // elements of a package array
	Captured               // local variable captured by reference
	PtrField               // fields of a struct through a pointer captured by value
	SliceElem              // elements of a slice captured by value
	PkgSlice               // elements of a slice in a package variable
	ListField              // fields of linked structs: node, node.next, ...
	numPlaces
)

// Var is a group of N shared variables of one type in one place. Cells are
// numbered through all groups.
type Var struct {
	Place Place
	Type  Type
	N     int
	first int // number of its first cell
}

// Chan is a channel.
type Chan struct {
	Cap  int
	Nil  bool // never made
	Type Type
}

// Prog is one program. Objects are numbered; its main function is the body of
// an entry function called Name.
type Prog struct {
	Seed  uint64
	Name  string
	Vars  []Var
	Chans []Chan
	Maps  int // map[int]int
	Mus   int // sync.Mutex
	RWs   int // sync.RWMutex
	Conds []int
	WGs   int
	Onces int
	Atoms int  // atomic.Int64
	Param bool // goroutines get their argument as a parameter, not by capturing it
	Main  []Stmt

	cells []Type // by cell
}

// Locals is the number of local int variables each goroutine has: l0, l1, ...
const Locals = 3

// Stmt is a statement. Op decides which fields are used.
type Stmt struct {
	Op         Op
	A, B, C    int
	E          Expr
	Body, Else []Stmt
	Cases      []Case

	line int // in Source
}

// Expr is a sum of a local variable (L >= 0) and a constant.
type Expr struct{ L, K int }

// Case is a case of a select.
type Case struct {
	Send bool
	Chan int
	E    Expr // value sent
	L    int  // local that receives the value, -1: none
	Ok   int  // local that receives 1 if the value was sent, -1: none
	Body []Stmt
}

// Op is the operation of a statement.
type Op uint8

// The statements. l[i] is a local variable, x[i] a cell.
const (
	Nothing   Op = iota
	Set          // l[A] = E
	Load         // l[A] = x[B]
	Store        // x[B] = E
	Add          // x[B] += E
	LoadAt       // l[A] = v[E mod N], group B
	StoreAt      // v[l[A] mod N] = E, group B
	LoadAtRaw    // l[A] = v[E], group B; may be out of range
	If           // if l[A] == B { Body } else { Else }
	Loop         // for range A { Body }

	Lock     // mutex A
	Unlock   // mutex A
	TryLock  // if mutex A.TryLock() { Body; Unlock } else { Else }
	RLock    // rwmutex A
	RUnlock  // rwmutex A
	WLock    // rwmutex A
	WUnlock  // rwmutex A
	TryRLock // if rwmutex A.TryRLock() { Body; RUnlock } else { Else }
	TryWLock // if rwmutex A.TryLock() { Body; Unlock } else { Else }

	Wait      // cond A
	WaitWhile // for x[B] == C { cond A.Wait() }
	Signal    // cond A
	Broadcast // cond A
	WgAdd     // wg A, B
	WgDone    // wg A
	WgWait    // wg A
	Once      // once A: Body

	Send    // chan A <- E
	Recv    // l[B] = <-chan A, l[C] = ok; -1: not used
	Close   // chan A
	Range   // for l[B] = range chan A { Body }
	Select  // Cases; A: with default Body
	ChanLen // l[B] = len(chan A)

	AtomLoad  // l[A] = atom B
	AtomStore // atom B = E
	AtomAdd   // l[A] = atom B.Add(E); A -1: not used
	AtomSwap  // l[A] = atom B.Swap(E)
	AtomCAS   // if atom B.CompareAndSwap(C, E) { Body } else { Else }

	MapSet // map A[B] = E
	MapGet // l[C] = map A[B]
	MapDel // delete(map A, B)
	MapLen // l[C] = len(map A)
	MapSum // for k, v := range map A { l[C] += 3*k + v }

	Go      // go func: Body, with l0 = E at its start
	Call    // func() { Body }()
	Defer   // defer func() { Body }()
	Recover // if r := recover(); r != nil { l[A] = B }
	Panic   // panic(E)
	Divide  // l[A] = 7 / l[B]
	Return
	Print // say(E)
	Final // prints all cells, atoms and maps
	numOps
)
