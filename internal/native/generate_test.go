package native

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"strings"
	"testing"
)

// An object is something of the standard library that two goroutines share. The programs
// about it are all pairs of its operations, beside each other.
type object struct {
	name  string // of the type, as part of the programs' names
	make  string // statements that declare x
	ops   []operation
	final string // the expression of x printed at the end; empty: none
}

// An operation has a name and statements on x; the program prints the value that they assign to r.
type operation struct{ name, do string }

// objects are the objects and operations of generated programs.
var objects = []object{
	{"SyncMap", `var x sync.Map; x.Store(1, 0)`, []operation{
		{"Store", `x.Store(1, 1)`},
		{"StoreOther", `x.Store(2, 2)`},
		{"Load", `v, ok := x.Load(1); r = fmt.Sprint(v, ok)`},
		{"LoadOrStore", `v, ok := x.LoadOrStore(2, 3); r = fmt.Sprint(v, ok)`},
		{"LoadAndDelete", `v, ok := x.LoadAndDelete(1); r = fmt.Sprint(v, ok)`},
		{"Delete", `x.Delete(1)`},
		{"Swap", `v, ok := x.Swap(1, 4); r = fmt.Sprint(v, ok)`},
		{"CompareAndSwap", `r = fmt.Sprint(x.CompareAndSwap(1, 0, 5))`},
		{"Range", `n := 0; x.Range(func(_, v any) bool { n += 10 + v.(int); return true }); r = fmt.Sprint(n)`},
		{"Clear", `x.Clear()`},
	}, `x.Load(1)`},
	{"Int32", `var x atomic.Int32`, []operation{
		{"Add", `r = fmt.Sprint(x.Add(2))`},
		{"Load", `r = fmt.Sprint(x.Load())`},
		{"Store", `x.Store(1)`},
		{"Swap", `r = fmt.Sprint(x.Swap(4))`},
		{"CompareAndSwap", `r = fmt.Sprint(x.CompareAndSwap(0, 8))`},
		{"And", `r = fmt.Sprint(x.And(6))`},
		{"Or", `r = fmt.Sprint(x.Or(3))`},
	}, `x.Load()`},
	{"AtomicValue", `var x atomic.Value; x.Store(0)`, []operation{
		{"Store", `x.Store(1)`},
		{"Load", `r = fmt.Sprint(x.Load())`},
		{"Swap", `r = fmt.Sprint(x.Swap(2))`},
		{"CompareAndSwap", `r = fmt.Sprint(x.CompareAndSwap(0, 3))`},
	}, `x.Load()`},
	{"RWMutex", `var x sync.RWMutex; n := 0`, []operation{
		{"Lock", `x.Lock(); n++; r = fmt.Sprint(n); x.Unlock()`},
		{"RLock", `x.RLock(); r = fmt.Sprint(n); x.RUnlock()`},
		{"TryLock", `if x.TryLock() { n++; r = "try"; x.Unlock() }`},
		{"TryRLock", `if x.TryRLock() { r = fmt.Sprint("try", n); x.RUnlock() }`},
	}, `n`},
	{"Chan", `x := make(chan int, 1)`, []operation{
		{"TrySend", `select { case x <- 1: r = "sent"; default: r = "full" }`},
		{"TryReceive", `select { case v := <-x: r = fmt.Sprint(v); default: r = "empty" }`},
		{"Len", `r = fmt.Sprint(len(x))`},
	}, `len(x)`},
	{"Context", `x, cancel := context.WithCancelCause(context.Background())`, []operation{
		{"Cancel", `cancel(errors.New("a"))`},
		{"CancelOther", `cancel(errors.New("b"))`},
		{"Err", `r = fmt.Sprint(x.Err())`},
		{"Done", `select { case <-x.Done(): r = "done"; default: r = "not" }`},
		{"Child", `c, stop := context.WithCancel(x); r = fmt.Sprint(c.Err()); stop()`},
		{"AfterFunc", `r = fmt.Sprint(context.AfterFunc(x, func() {})())`},
	}, `context.Cause(x); cancel(nil)`},
	{"Environment", `os.Setenv("NATIVE_X", "0")`, []operation{
		{"Set", `os.Setenv("NATIVE_X", "1")`},
		{"SetOther", `os.Setenv("NATIVE_Y", "2")`},
		{"Get", `r = os.Getenv("NATIVE_X")`},
		{"Unset", `os.Unsetenv("NATIVE_X")`},
		{"Expand", `r = os.ExpandEnv("$NATIVE_X$NATIVE_Y")`},
	}, `os.Getenv("NATIVE_X")`},
	{"Directory", `os.Chdir("/")`, []operation{
		{"Change", `os.Chdir("/usr")`},
		{"ChangeOther", `os.Chdir("/etc")`},
		{"Get", `r, _ = os.Getwd()`},
	}, ``},
	{"File", `x, _ := os.Open("/etc/passwd")`, []operation{
		{"Read", `n, err := x.Read(make([]byte, 1)); r = fmt.Sprint(n, err == nil)`},
		{"SeekEnd", `_, err := x.Seek(0, io.SeekEnd); r = fmt.Sprint(err == nil)`},
		{"ReadAt", `n, err := x.ReadAt(make([]byte, 1), 0); r = fmt.Sprint(n, err == nil)`},
		{"Close", `r = fmt.Sprint(x.Close() == nil)`},
	}, ``},
	{"Map", `x := map[int]int{1: 1}`, []operation{
		{"Set", `x[1] = 2`},
		{"Insert", `x[2] = 2`},
		{"Get", `r = fmt.Sprint(x[1])`},
		{"Len", `r = fmt.Sprint(len(x))`},
		{"Delete", `delete(x, 1)`},
		{"Range", `for k := range x { r = fmt.Sprint(k) }`},
		{"Clear", `clear(x)`},
	}, ``},
	{"Buffer", `var x bytes.Buffer; x.WriteByte('a')`, []operation{
		{"Write", `x.WriteByte('b')`},
		{"String", `r = x.String()`},
		{"Len", `r = fmt.Sprint(x.Len())`},
		{"Reset", `x.Reset()`},
	}, ``},
	{"Builder", `var x strings.Builder; x.WriteByte('a')`, []operation{
		{"Write", `x.WriteByte('b')`},
		{"String", `r = x.String()`},
		{"Reset", `x.Reset()`},
	}, ``},
	{"Rand", `x := rand.New(rand.NewPCG(1, 2))`, []operation{
		{"IntN", `r = fmt.Sprint(x.IntN(2) >= 0)`},
		{"Perm", `r = fmt.Sprint(len(x.Perm(2)))`},
	}, ``},
	{"List", `x := list.New(); x.PushBack(1)`, []operation{
		{"PushBack", `x.PushBack(2)`},
		{"Front", `r = fmt.Sprint(x.Front().Value)`},
		{"Len", `r = fmt.Sprint(x.Len())`},
		{"Init", `x.Init()`},
	}, ``},
	{"LevelVar", `var x slog.LevelVar`, []operation{
		{"Set", `x.Set(slog.LevelWarn)`},
		{"SetOther", `x.Set(slog.LevelError)`},
		{"Level", `r = x.Level().String()`},
	}, `x.Level()`},
	{"Timer", `x := time.NewTimer(time.Hour)`, []operation{
		{"Stop", `r = fmt.Sprint(x.Stop())`},
		{"Reset", `r = fmt.Sprint(x.Reset(time.Hour))`},
	}, `x.Stop()`},
	{"Once", `var x sync.Once; s := ""`, []operation{
		{"Do", `x.Do(func() { s += "a" }); r = s`},
		{"DoOther", `x.Do(func() { s += "b" }); r = s`},
	}, `s`},
	{"WaitGroup", `var x sync.WaitGroup; x.Add(2); n := 0; var mu sync.Mutex`, []operation{
		{"Done", `mu.Lock(); n++; mu.Unlock(); x.Done()`},
		{"DoneFirst", `x.Done(); mu.Lock(); n += 2; mu.Unlock()`},
	}, `n; x.Wait()`},
}

const generatedFile = "testdata/programs/pairs/pairs.go"

// TestGenerated: the programs of area pairs are those of the table; with -update, it
// writes them.
func TestGenerated(t *testing.T) {
	text := generate(t)
	if *update {
		write(t, generatedFile, text)
		return
	}
	if old, err := os.ReadFile(generatedFile); err != nil || !bytes.Equal(old, text) {
		t.Errorf("%s is not what the table says: use -update (%v)", generatedFile, err)
	}
}

func generate(t testing.TB) []byte {
	var b, programs bytes.Buffer
	for _, x := range objects {
		for i, first := range x.ops {
			for _, second := range x.ops[i:] {
				fmt.Fprintf(&programs, "\n// %s%s%s: %s beside %s.\nfunc %[1]s%[2]s%[3]s() {\n", x.name, first.name, second.name, first.name, second.name)
				fmt.Fprintf(&programs, "%s\na, b := \"\", \"\"\npar(func() { %s }, func() { %s })\n", x.make,
					assigning("a", first.do), assigning("b", second.do))
				final, after, _ := strings.Cut(x.final, "; ")
				fmt.Fprintf(&programs, "fmt.Println(a, \",\", b)\n")
				if final != "" {
					fmt.Fprintf(&programs, "fmt.Println(%s)\n%s\n", final, after)
				}
				fmt.Fprintf(&programs, "}\n")
			}
		}
	}
	fmt.Fprintf(&b, "// Code generated by TestGenerated -update. DO NOT EDIT.\n\n// Package pairs has two operations of one object beside each other.\npackage pairs\n\nimport (\n")
	for _, path := range []string{"bytes", "container/list", "context", "errors", "fmt", "io", "log/slog", "math/rand/v2", "os", "strings", "sync", "sync/atomic", "time"} {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString(`)

// par runs functions beside each other and waits for them.
func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}
`)
	b.Write(programs.Bytes())
	text, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	return text
}

// assigning returns statements in which the result is the variable to.
func assigning(to, do string) string {
	do = strings.ReplaceAll(do, "r = ", to+" = ")
	return strings.ReplaceAll(do, "r, _ = ", to+", _ = ")
}
