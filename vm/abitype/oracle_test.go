package abitype

//lint:file-ignore U1000 the types are inspected, not used

// The types that TestOracle compares with the compiler's descriptors. The test type-checks this very file.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unsafe"
)

type (
	myInt    int
	MyString string
	fn       func(int, ...MyString) (bool, error)
	node     struct {
		next        *node
		left, right *node
		val         any
	}
	mixed struct {
		A int8
		B float64 `json:"b,omitempty" xml:"\"quoted\""`
		c string
		_ int32
		D [3]*myInt
		E []struct{ x, y uint16 }
		F map[MyString][]*node
		G chan<- (<-chan int)
		H func()
		I interface {
			m()
			M(node) *mixed
		}
		J complex64
		K unsafe.Pointer
		l uintptr
		io.Reader
		*node
		error
	}
	withMethods struct{ n int }
	embeds      struct {
		*withMethods
		fmt.Stringer
		Name string
	}
	byPtr     struct{ p *int }
	byPtrZero struct {
		_ struct{}
		p *int
	}
	byArr  [1]map[string]int
	padded struct {
		a int8
		b int64
	}
	tail struct {
		a int64
		b struct{}
	}
	pair[A, B any] struct {
		a A
		b B
	}
	list[T any] struct {
		head *elem[T]
		n    int
	}
	elem[T any] struct {
		next *elem[T]
		val  T
	}
	shower interface {
		fmt.Stringer
		show(*list[shower]) []shower
	}
	namedPtr *withMethods
	intAlias = int
	aliased  struct {
		intAlias
		X intAlias
	}
	genericAlias[T any] = pair[T, []T]
	recFunc             func(recFunc) recFunc
	recMap              map[string]recMap
	recSlice            []recSlice
	bigArr              [5000]*int
	hugeArr             [200000]*int
	Größe               struct{ Ä, ä int }
	nonComparable       [0]func()
	emptyFloats         [0]float32
	oneFloat            struct{ f float32 }
	blank               struct{ _ int }
)

func (withMethods) Value(int) string              { return "" }
func (*withMethods) Pointer(x ...any) (int, bool) { return 0, false }
func (withMethods) hidden()                       {}
func (withMethods) Ünicode()                      {}
func (withMethods) Zed()                          {}
func (myInt) String() string                      { return "" }
func (*list[T]) Push(T) *list[T]                  { return nil }
func (list[T]) All() func(func(int, T) bool)      { return nil }
func (p pair[A, B]) Swap() pair[B, A]             { return pair[B, A]{p.b, p.a} }
func (fn) Call()                                  {}

func localTypes() []any {
	withMethods{}.hidden() // or it would be no part of the type
	type local struct{ a int }
	{
		type local string
		_ = local("")
	}
	type gen[T any] struct{ v T }
	return []any{
		(*local)(nil), (*pair[local, int])(nil), (*gen[int])(nil), (*gen[local])(nil), (*[]pair[gen[local], *local])(nil),
	}
}

var samples = []any{
	(*bool)(nil), (*int)(nil), (*int8)(nil), (*int16)(nil), (*int32)(nil), (*int64)(nil), (*uint)(nil), (*byte)(nil), (*uint16)(nil),
	(*rune)(nil), (*uint64)(nil), (*uintptr)(nil), (*float32)(nil), (*float64)(nil), (*complex64)(nil), (*complex128)(nil),
	(*string)(nil), (*unsafe.Pointer)(nil), (*any)(nil), (*error)(nil), (**error)(nil), (*[]byte)(nil), (*[]error)(nil),
	(*struct{})(nil), (*[0]int)(nil), (*[4]string)(nil), (*interface {
		Foo(int, string) (a, b error)
		bar()
	})(nil),
	(*func())(nil), (*func(int) int)(nil), (*func(...any))(nil), (*func(a, b []string, c ...[]int) (x, y int))(nil),
	(*chan int)(nil), (*<-chan int)(nil), (*chan<- int)(nil), (*chan (<-chan int))(nil), (*chan<- chan<- int)(nil), (*<-chan chan int)(nil),
	(*map[string]int)(nil), (*map[any]struct{})(nil), (*map[[2]float64][300]byte)(nil), (*map[[200]byte]bool)(nil), (*map[struct{ a any }]fn)(nil),
	(*struct {
		a int    "x:\"1\""
		B string `y:"2"`
		io.Reader
		*node
	})(nil), (*struct{ bytes.Buffer })(nil), (*struct {
		*bytes.Buffer
		n int
	})(nil),
	(*myInt)(nil), (*MyString)(nil), (*fn)(nil), (*node)(nil), (*mixed)(nil), (**mixed)(nil), (*withMethods)(nil), (*embeds)(nil), (**embeds)(nil),
	(*byPtr)(nil), (*byPtrZero)(nil), (*byArr)(nil), (*padded)(nil), (*tail)(nil),
	(*pair[int, string])(nil), (*pair[MyString, *list[any]])(nil), (*pair[struct{ a int }, func(intAlias) byte])(nil), (*list[time.Duration])(nil),
	(*shower)(nil), (*namedPtr)(nil), (*aliased)(nil), (*genericAlias[rune])(nil), (*recFunc)(nil), (*recMap)(nil), (*recSlice)(nil),
	(*bigArr)(nil), (*hugeArr)(nil), (*Größe)(nil), (*nonComparable)(nil), (*emptyFloats)(nil), (*oneFloat)(nil), (*blank)(nil),
	(*time.Time)(nil), (*sync.WaitGroup)(nil), (*sync.Map)(nil), (*bytes.Buffer)(nil), (*strings.Builder)(nil), (*io.ReadWriteSeeker)(nil),
	(*tabwriter.Writer)(nil), (*reflect.Type)(nil), (*reflect.Value)(nil), (*fmt.Formatter)(nil), (*sync.Locker)(nil),
}

var _ = errors.New
