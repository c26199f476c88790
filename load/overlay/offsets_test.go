package overlay_test

import (
	"go/constant"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/overlay"
)

// TestOffsets: the structs of the overlay are laid out as the constants say.
func TestOffsets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module test\n\ngo 1.26\n",
		"main.go": "package main\n\nimport (\n\t_ \"sync\"\n\t_ \"time\"\n)\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) types.Object {
		pkg, name, _ := strings.Cut(name, ".")
		obj := prog.Package(pkg).Types.Scope().Lookup(name)
		if obj == nil {
			t.Fatalf("no %s in package %s", name, pkg)
		}
		return obj
	}
	for _, x := range []struct {
		typ, field string // through fields of fields
		offset     int64
	}{
		{"sync.Mutex", "mu.state", overlay.MutexState},
		{"sync.Mutex", "mu.sema", overlay.MutexOwner},
		{"sync.RWMutex", "w.mu.state", overlay.MutexState},
		{"sync.RWMutex", "w.mu.sema", overlay.MutexOwner},
		{"sync.RWMutex", "writerSem", overlay.RWMutexAdmitted},
		{"sync.RWMutex", "readerSem", overlay.RWMutexOwners},
		{"sync.RWMutex", "readerCount.v", overlay.RWMutexReaders},
		{"sync.RWMutex", "readerWait.v", overlay.RWMutexLeaving},
		{"sync.WaitGroup", "state.v", overlay.WaitGroupCounter - 4}, // the high half
		{"sync.Once", "done.v", overlay.OnceDone},
		{"sync.Once", "m.mu.state", overlay.OnceMutex},
		{"sync.Cond", "L", overlay.CondLocker},
		{"sync.Cond", "notify.head", overlay.CondList},
		{"sync.waiter", "next", overlay.WaiterNext},
		{"sync.waiter", "g", overlay.WaiterG},
		{"sync.waiter", "notified", overlay.WaiterNotified},
		{"sync.owned", "in", 0},
		{"sync.owned", "key", overlay.OwnedKey},
		{"sync.owned", "next", overlay.OwnedNext},
		{"time.hbTimer", "c", overlay.TimerChan},
		{"time.hbTimer", "period", overlay.TimerPeriod},
	} {
		typ, at := lookup(x.typ).Type(), int64(0)
		for name := range strings.SplitSeq(x.field, ".") {
			st := typ.Underlying().(*types.Struct)
			fields, i := make([]*types.Var, st.NumFields()), -1
			for j := range fields {
				if fields[j] = st.Field(j); fields[j].Name() == name {
					i = j
				}
			}
			if i < 0 {
				t.Fatalf("no %s in %s", x.field, x.typ)
			}
			typ, at = fields[i].Type(), at+prog.Sizes.Offsetsof(fields)[i]
		}
		if at != x.offset {
			t.Errorf("%s.%s is at %d, not at %d", x.typ, x.field, at, x.offset)
		}
	}
	for name, size := range map[string]int64{
		"sync.Mutex": overlay.MutexSize, "sync.RWMutex": overlay.RWMutexSize, "time.hbTimer": overlay.TimerSize,
	} {
		if n := prog.Sizes.Sizeof(lookup(name).Type()); n != size {
			t.Errorf("%s has %d bytes, not %d", name, n, size)
		}
	}
	for name, value := range map[string]int64{
		"sync.mutexLocker": overlay.MutexLocker, "sync.writeLocker": overlay.WriteLocker,
		"sync.readLocker": overlay.ReadLocker, "sync.otherLocker": overlay.OtherLocker,
	} {
		if n, _ := constant.Int64Val(lookup(name).(*types.Const).Val()); n != value {
			t.Errorf("%s is %d, not %d", name, n, value)
		}
	}
}

// TestUint32: the halves of a word.
func TestUint32(t *testing.T) {
	const word = 0x55555555_aaaaaaaa
	if overlay.Uint32(word, 16) != 0xaaaaaaaa || overlay.Uint32(word, 20) != 0x55555555 {
		t.Error("the halves are taken for each other")
	}
}
