package vm

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether their tests fail")

// mutants are the conditions of what is kept of a fingerprint (see regions), and of bases, each taken away.
var mutants = []mutation.Mutant{
	{Name: "facts about entries make no difference", File: baseFile, Old: " && facts == b.facts", New: " && (facts == b.facts || true)"},
	{Name: "configurations make no difference", File: baseFile, Old: " && reflect.DeepEqual(&b.asked, asked)", New: " && (true || reflect.DeepEqual(&b.asked, asked))"},
	{Name: "standard input makes no difference", File: baseFile, Old: "if b.read || !m.canBeCopied()", New: "if !m.canBeCopied()"},
	{Name: "what initialisers write is written once", File: baseFile, Old: "\t\t\t\tw.Write(s.text)\n", New: ""},
	{Name: "what initialisers ask the host is asked once", File: baseFile, Old: "\t\tcfg.Host.learn(own.Host)\n", New: ""},
	{Name: "goroutines change places in a list that is walked", File: "vm/state_living.go", Old: "insert(slices.Clip(l.list))", New: "insert(l.list)"},
	{Name: "steps that are repeated are interrupted", File: "vm/state_collect.go", Old: " && !m.repeating", New: ""},
	{Name: "files of the host are looked at again", File: "vm/host_view.go", Old: "\t\t(*m)[path] = a\n", New: ""},
	{Name: "contents of the host's files are read again", File: "vm/host_view.go", Old: "\t\tv.contents[path] = c\n", New: ""},
	{Name: "what is noted is noted once", File: baseFile, Old: "\t\t\tf.Store(true)\n", New: "\t\t\t_ = f\n"},
	{Name: "memory is shared", File: baseFile, Old: "\t\to.mem = c.rawAlloc(size)\n", New: "\t\t_ = size\n"},
	{Name: "stacks are shared", File: baseFile, Old: "stack: slices.Clone(g.stack)", New: "stack: g.stack"},
	{Name: "the main function is shared", File: baseFile, Old: "x.funcs[0].Clone()", New: "x.funcs[0]"},
	{Name: "numbers of functions are shared", File: baseFile, Old: "maps.Clone(k.ids)", New: "k.ids"},
	{Name: "the happens-before relation is shared", File: baseFile, Old: "m.race = x.race.Clone()", New: "m.race = x.race"},
	{Name: "what is known of types is shared", File: baseFile, Old: "\t\t\ti.rtypes[n] = &types[n]\n", New: "\t\t\ti.rtypes[n] = t\n"},
	{Name: "writes are not noted", File: "vm/state_heap.go", Old: "\th.touch(id, o)\n\tif h.based", New: "\tif h.based"},
	{Name: "rewinds are not noted", File: "vm/state_heap.go", Old: "\t\t\th.touch(r.id, o)\n", New: ""},
	{Name: "objects that go are not noted", File: "vm/state_heap.go", Old: "\t\t\th.touch(uint32(k.objs+i), &h.objs[k.objs+i])\n", New: "\t\t\t_ = i\n"},
	{Name: "a fingerprint begins no epoch", File: "vm/state_heap.go", Old: "\th.epoch, h.hashedIn = h.lastEpoch, h.lastEpoch\n", New: "\th.hashedIn = h.lastEpoch\n"},
	{Name: "an epoch from before a fingerprint continues", File: "vm/state_heap.go", Old: "\tif h.hashedIn <= k.epoch {", New: "\tif true {"},
	{Name: "a region keeps objects that are reached before", File: "vm/state_regions.go", Old: "\t\tif c.of(k) != nil {\n\t\t\tc.end(k.region)\n\t\t}\n", New: ""},
	{Name: "what is outside is not looked up", File: "vm/state_regions.go", Old: "x == nil || x.gen != c.gen {", New: "false && x.gen != c.gen {"},
	{Name: "references may change", File: "vm/state_regions.go", Old: "\tif m.shape(o) != sum.shape {", New: "\tif false {"},
	{Name: "distances stay", File: "vm/state_regions.go", Old: "r.odd || r.timed && r.at != m.clock {", New: "r.odd {"},
	{Name: "distances in objects that are not written stay", File: "vm/state_regions.go", Old: "objFreed != 0 || r.timed && r.at != m.clock ||", New: "objFreed != 0 ||"},
	{Name: "owners stay", File: "vm/state_regions.go", Old: "\t\tif m.shownOwner(x.n) != x.as {", New: "\t\tif false && m.shownOwner(x.n) != x.as {"},
	{Name: "owners are not noted", File: "vm/state_regions.go", Old: "\t\t\t\tr.noteOwner(m, *w, a)\n", New: ""},
	{Name: "what has been written stays", File: "vm/state_regions.go", Old: "\tr.sum[0] += sum.hash[0] - was[0]\n\tr.sum[1] += sum.hash[1] - was[1]\n", New: "\t_ = was\n"},
	{Name: "what has been taken away stays", File: "vm/state_regions.go", Old: "\tr.sum[0] += sum.hash[0] - was[0]\n\tr.sum[1] += sum.hash[1] - was[1]\n", New: "\tr.sum[0] += sum.hash[0]\n\tr.sum[1] += sum.hash[1]\n\t_ = was\n"},
	{Name: "a region that has ended has objects", File: "vm/state_regions.go", Old: "\t\tr.version++\n", New: ""},
	{Name: "numbers of objects do not count", File: "vm/state_regions.go", Old: "\tws = append(ws, uint64(num))\n", New: "\tws = append(ws, 0)\n"},
	{Name: "what is outside has no numbers", File: "vm/state_regions.go", Old: "c.items.place(c.list[x.region].ord)|uint64(x.num))\n\t}", New: "c.items.place(c.list[x.region].ord))\n\t}"},
	{Name: "what is outside has numbers only", File: "vm/state_regions.go", Old: "\t\tws = append(ws, c.items.place(c.list[x.region].ord)|uint64(x.num))\n", New: "\t\tws = append(ws, uint64(x.num))\n"},
	{Name: "which item refers to a region first makes no difference", File: "vm/state_items.go", Old: "\tif n := x.list[len(x.list)-1].regions; ord > n {", New: "\tif n := x.list[len(x.list)-1].regions; true {"},
	{Name: "stacks stay", File: "vm/state_serialise.go", Old: "\tt.hashed = false\n", New: ""},
	{Name: "variables stay", File: "vm/state_items.go", Old: "\t\tif o.flags&objHashed == 0 {\n\t\t\tm.hashBase", New: "\t\tif x.n == 0 {\n\t\t\tm.hashBase"},
	{Name: "variables have no owners", File: "vm/state_items.go", Old: "!r.odd && !r.timed && len(r.owners) == 0 {", New: "!r.odd && !r.timed {"},
	{Name: "variables have no Times", File: "vm/state_items.go", Old: "!r.odd && !r.timed && len(r.owners) == 0 {", New: "!r.odd && len(r.owners) == 0 {"},
}

// silent are the conditions of step_silent.go: TestSilent and TestSilenceBegins notice.
var silent = []mutation.Mutant{
	{Name: "only operations on channels touch channels", File: "vm/step_silent.go", Old: "flags&objChan != 0 {", New: "flags&objChan != 0 && false {"},
	{Name: "goroutines change by their own steps only", File: "vm/step_silent.go", Old: " && h.saves == m.saves", New: ""},
	{Name: "to come to a channel makes no difference", File: "vm/step_silent.go", Old: " && !g.pending.Kind.Communicates() {", New: " {"},
	{Name: "views stay true beyond silent steps", File: "vm/step_silent.go", Old: "return m.silent.until == m.moment && ", New: "return "},
	{Name: "views of all operations stay true", File: "vm/step_silent.go", Old: " && k.Communicates() && k != trace.TrySelect", New: " && k != trace.TrySelect"},
	{Name: "silence has no beginning", File: "vm/step_silent.go", Old: "since: m.moment, ", New: ""},
}

// numbering are the conditions of link_shared.go and state_names.go: TestComparable and TestNames notice.
var numbering = []mutation.Mutant{
	{Name: "replicas have literals and variables of their own", File: "vm/link_shared.go", Old: "\t\tif p, ok = k.addressOf(&s); ok {\n\t\t\treturn p\n\t\t}\n\t\tn.statics = append(n.statics, s)\n", New: ""},
	{Name: "replicas have stubs of their own", File: "vm/link_shared.go", Old: "\t\tk.newFunc(f)\n", New: "\t\tk.newFunc(f)\n\t\tdelete(k.stubs, f.stub)\n"},
	{Name: "replicas have adapters of their own", File: "vm/link_shared.go", Old: "\t\tk.newFunc(f)\n", New: "\t\tk.newFunc(f)\n\t\tdelete(k.calls, f.call)\n"},
	{Name: "replicas have method values of their own", File: "vm/link_shared.go", Old: "\tif first, ok := n.bound[key]; ok {", New: "\tif first, ok := n.bound[key]; ok && false {"},
	{Name: "replicas have layouts of their own", File: "vm/layout/layout.go", Old: "\tt.shared = s\n", New: ""},
	{Name: "replicas know of the clock what they notice", File: "vm/link_shared.go", Old: "\t\tk.clockFacts = n.clock\n", New: ""},
	{Name: "functions are in the order of their numbers", File: "vm/state_names.go", Old: "\tf := k.funcs[id]\n\tvar h uint64\n", New: "\tf := k.funcs[id]\n\tvar h uint64\n\tif id > 0 {\n\t\treturn uint64(id)\n\t}\n"},
	{Name: "types are in the order of their numbers", File: "vm/state_names.go", Old: "\tif *p == 0 {\n\t\t*p = max(k.hash", New: "\tif *p = uint64(id); *p == 0 {\n\t\t*p = max(k.hash"},
	{Name: "static objects are in the order of their numbers", File: "vm/state_names.go", Old: "\t\treturn mix(k.nameOfStatic(uint32(id)), w&math.MaxUint32)\n", New: "\t\treturn w\n"},
	{Name: "frames are in the order of numbers of functions", File: "vm/state_symmetry.go", Old: "w = mix(m.link.nameOfFunc(uint32(w>>id)), w&(1<<id-1))", New: "_ = id"},
}

// baseFile has the conditions under which machines begin as copies: TestBase and those after it notice.
const baseFile = "vm/state_base.go"

// TestMutants: each mutant is one of the present code and, with -mutants, makes its tests fail.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range slices.Concat(mutants, silent, numbering) {
		file, text, ok := x.Source(t, root)
		if !ok || *mutantsFlag == "" || *mutantsFlag != "all" && !strings.Contains(x.Name, *mutantsFlag) {
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			tests := "-run=TestRegions/heaps"
			switch {
			case x.File == baseFile:
				tests = "-run=TestBase"
			case i >= len(mutants)+len(silent):
				tests = "-run=TestComparable$|TestNames$"
			case i >= len(mutants):
				tests = "-run=TestSilen"
			}
			if by := mutation.Kills(t, root, file, text, tests, "./vm"); by == "" {
				t.Error("no test notices")
			} else {
				t.Log(by)
			}
		})
	}
}
