package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// A Keep says where an exploration is saved, so that another process can continue it. Each of its
// searches has a file of its own. Most explorations have one search; a portfolio has several at a
// time, and none depends on the progress of the others.
//
//	search.hbs      the explorer, if there is one
//	0.hbs, 1.hbs    the main searches of a portfolio
//	long.hbs        the first of these, after it has begun again (portfolio_long.go)
//	preempt.hbs     its search by increasing preemptions
//
// Short work is repeated instead of saved: the other phases of a portfolio, and the work after a search.
type Keep struct {
	Dir    string // directory of the entry; it need not exist
	Header saved.Header
	Resume bool // continue the saved searches
	// Host has the facts about the host that machines have read, which must still hold when the
	// search continues. Env has the variables of the program.
	Host *vm.HostLog
	Env  []string

	Every time.Duration // interval between saves of a search; 0: save only if it ends early
	// Points, if set, decides instead of Every when to save a search; it is called at every point where the
	// search can be saved. Written is called after each save. Both are for tests.
	Points  func() bool
	Written func()
	// Most is the maximum size of a file in bytes; 0: no maximum. A larger file is removed.
	Most int64
}

// keepShare bounds the time for saving: one part in keepShare of a search's time.
const keepShare = 20

// A NotResumed is the error for a search that cannot be continued.
type NotResumed struct {
	File string
	Err  error
}

func (e *NotResumed) Error() string { return fmt.Sprintf("explore: %s: %v", e.File, e.Err) }

func (e *NotResumed) Unwrap() error { return e.Err }

// keptInfo is the beginning of a file.
type keptInfo struct {
	Ended      bool // the search has ended
	Spent      time.Duration
	Stats      por.Stats
	Host       []vm.HostFact
	Refinement vm.Refinement // the refinement of the machine
	Await      bool          // see Options.awaitLoops
	Preempt    int           // the bound in Options
	Tolerated  []bug.Key     // see Options.tolerated
}

// keptSearch is the content of a file except for the explorer's.
type keptSearch struct {
	Found    por.Result // if the search has ended
	Machine  *vm.Saved
	Subtests []string
	Skipped  []string // the Subtests that were skipped
}

// A keeper saves one search. Only the goroutine of the search uses it.
type keeper struct {
	*Keep
	s     *exploration
	file  string
	roots []any
	due   bool

	begin  time.Time
	spent  time.Duration // time that other processes have spent
	last   time.Time     // end of the last save
	took   time.Duration // duration of the last save
	stats  por.Stats     // counts at the last poll
	broken error         // why the search cannot be saved

	waited bool        // limit.saving counts the search
	from   *saved.File // the saved search to continue, until the system is restored
	info   keptInfo    // the info that from contains
	kept   keptSearch
}

// keep makes the search save itself as opts say.
func (s *exploration) keep(opts *Options) error {
	if opts.Keep == nil || opts.phase == "" {
		return nil
	}
	if unsaved(opts) {
		if opts.Keep.Resume {
			return &NotResumed{filepath.Join(opts.Keep.Dir, opts.phase+".hbs"), errUnsaved}
		}
		return nil
	}
	k := &keeper{Keep: opts.Keep, s: s, file: opts.Keep.name(opts.phase)}
	if k.Resume {
		var err error
		k.from, k.info, err = k.open(opts.phase, s.limit.ending)
		if errors.Is(err, saved.ErrStopped) {
			return nil // nothing is saved, so that the file stays
		}
		if err != nil {
			return err
		}
		k.spent, k.stats = k.info.Spent, k.info.Stats
		if k.from != nil {
			s.result.Resumed = &Resumed{k.spent, k.stats}
		}
	}
	k.begin = time.Now()
	k.last = k.begin
	s.keeper, s.cfg.Keeper = k, k
	poll := s.cfg.Poll
	s.cfg.Poll = func(p por.Progress) string {
		k.poll(&p)
		return poll(p)
	}
	s.limit.saving.Add(1)
	k.waited = true
	return nil
}

// errUnsaved is the error for options with which a search cannot be saved.
var errUnsaved = errors.New("a search with these options is not saved")

// unsaved reports whether a search with options o cannot be saved: checks and transcripts of a
// search are not saved with it.
func unsaved(o *Options) bool {
	return o.POR.NotSaved || o.CheckStatic || o.Explain != nil || o.Trace != nil || o.Jobs > 1 || o.sends()
}

// name returns the name of the file of a phase.
func (k *Keep) name(phase string) string { return filepath.Join(k.Dir, phase+".hbs") }

// open opens the file of a phase; it returns a nil file if the phase has no file. When over returns true,
// open stops with an error that wraps saved.ErrStopped.
func (k *Keep) open(phase string, over func() bool) (f *saved.File, info keptInfo, err error) {
	name := k.name(phase)
	f, err = saved.Open(name, over, k.Header)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, info, nil
	}
	if err == nil {
		err = f.Read(&info)
	}
	if err != nil {
		return nil, info, &NotResumed{name, err}
	}
	for _, fact := range info.Host {
		if !fact.Holds(k.Env) {
			f.Close()
			return nil, info, &NotResumed{name, fmt.Errorf("the program asked for %s %s, which has changed since", fact.Ask, fact.Name)}
		}
	}
	if k.Host != nil {
		k.Host.Add(info.Host)
	}
	return f, info, nil
}

// Remove removes the saved files.
func (k *Keep) Remove() {
	for _, f := range k.files() {
		os.Remove(f)
	}
	os.Remove(k.Dir) // succeeds if the directory is empty
}

// files returns the existing files. The directory may have any name.
func (k *Keep) files() (list []string) {
	dir, _ := os.ReadDir(k.Dir)
	for _, f := range dir {
		if filepath.Ext(f.Name()) == ".hbs" {
			list = append(list, filepath.Join(k.Dir, f.Name()))
		}
	}
	return list
}

// resumed returns e and opts for continuing the saved search of a phase. refined reports whether that
// search needs another machine than e's. It stops when ctx is done, as the search will.
func (k *Keep) resumed(ctx context.Context, e Entry, opts Options, phase string) (_ Entry, _ Options, refined bool, err error) {
	if k == nil || !k.Resume {
		return e, opts, false, nil
	}
	f, info, err := k.open(phase, func() bool { return ctx.Err() != nil })
	if errors.Is(err, saved.ErrStopped) {
		return e, opts, false, nil
	}
	if f == nil {
		return e, opts, false, err
	}
	f.Close()
	opts.awaitLoops, opts.Preempt = opts.awaitLoops || info.Await, info.Preempt
	if len(info.Tolerated) > 0 && opts.tolerated == nil {
		opts.tolerated = make(map[bug.Key]bool)
		for _, k := range info.Tolerated {
			opts.tolerated[k] = true
		}
	}
	return e.refined(info.Refinement), opts, !reflect.DeepEqual(info.Refinement, vm.Refinement{}), nil
}

// refined returns the entry with machines that have refinement r.
func (e Entry) refined(r vm.Refinement) Entry {
	make := e.New
	e.New = func(interrupted func() bool) (describe.Machine, error) {
		m, err := make(interrupted)
		if err != nil || reflect.DeepEqual(m.Refinement(), r) {
			return m, err
		}
		return m.With(r.Refine, interrupted)
	}
	return e
}

// has reports whether a saved search of that phase exists and is to be continued.
func (k *Keep) has(phase string) bool {
	if k == nil || !k.Resume {
		return false
	}
	_, err := os.Stat(k.name(phase))
	return err == nil
}

// fresh returns k for another search of the same phase, which does not continue a saved one.
func (k *Keep) fresh() *Keep {
	if k == nil {
		return nil
	}
	c := *k
	c.Resume = false
	return &c
}

// poll is called now and then while the search runs.
func (k *keeper) poll(p *por.Progress) {
	k.stats = p.Stats
	switch {
	case k.s.limit.ending():
		k.due = k.waited
	case k.Every > 0 && !k.due:
		k.due = time.Since(k.last) >= max(k.Every, keepShare*k.took)
	}
}

// Enter implements por.Keeper.
func (k *keeper) Enter(data any) (resumed bool) {
	k.roots = append(k.roots, data)
	if k.from == nil {
		return false
	}
	if err := k.from.Read(data); err != nil {
		panic(&NotResumed{k.file, err})
	}
	return true
}

// Leave implements por.Keeper.
func (k *keeper) Leave() { k.roots = k.roots[:len(k.roots)-1] }

// Due implements por.Keeper.
func (k *keeper) Due() bool { return k.due || k.Points != nil && k.Points() }

// Save implements por.Keeper. A failure to save does not stop the search.
func (k *keeper) Save() {
	k.due = false
	if k.write(false, por.Result{}); k.Written != nil {
		k.Written()
	}
	if k.s.limit.ending() {
		k.done()
	}
}

// done lets the exploration end without waiting for a save of this search.
func (k *keeper) done() {
	if k.waited {
		k.waited = false
		k.s.limit.saving.Add(-1)
	}
}

// write writes the file.
func (k *keeper) write(ended bool, found por.Result) {
	if k.broken != nil {
		return
	}
	s, begin := k.s, time.Now()
	info := keptInfo{Ended: ended, Spent: k.spent + begin.Sub(k.begin), Stats: k.stats,
		Refinement: s.m.Refinement(), Await: s.opts.awaitLoops, Preempt: s.opts.Preempt}
	for k := range s.opts.tolerated {
		info.Tolerated = append(info.Tolerated, k)
	}
	slices.SortFunc(info.Tolerated, func(a, b bug.Key) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if k.Host != nil {
		info.Host = k.Host.Facts()
	}
	kept := keptSearch{Found: found}
	if kept.Machine, k.broken = s.m.Save(); k.broken != nil {
		return
	}
	kept.Subtests, kept.Skipped = s.m.Subtests()
	if k.broken = os.MkdirAll(k.Dir, 0o777); k.broken != nil {
		return
	}
	data := append([]any{&info, &kept}, s.keptData()...)
	if s.lazy != nil && s.lazy.Made() {
		if l := s.lazy.Learned(); l != nil {
			data = append(data, l)
		}
	}
	if !ended {
		data = append(data, k.roots...)
	}
	var size int64
	if size, k.broken = saved.Write(k.file, s.limit.hurried, k.Header, data...); k.Most > 0 && size > k.Most {
		os.Remove(k.file)
		k.broken = fmt.Errorf("the search takes more than %d bytes", k.Most)
	}
	k.last = time.Now()
	k.took = k.last.Sub(begin)
}

// stopped ends a search if the exploration had to end while the saved search was being read. The file
// stays, and the part that was read is not used.
func (k *keeper) stopped() por.Result {
	s := k.s
	k.done()
	k.from.Close()
	s.broken = true
	s.collector = newCollector(s.limit, s.m, s.opts)
	s.lazy, s.parts, s.result.Resumed = nil, nil, nil
	return por.Result{Incomplete: []por.Reason{{Bound: por.BoundPoll, Text: s.limit.cause()}}}
}

// keptData returns the data of s that are saved with those of its explorer.
func (s *exploration) keptData() []any {
	list := []any{s.collector}
	if s.extra != nil {
		list = append(list, s.extra)
	}
	if s.lazy != nil {
		list = append(list, s.lazy)
	}
	if s.parts != nil {
		list = append(list, s.parts)
	}
	return list
}

// resume restores the machine and the collector as they were when the search was saved, except for
// the path. It reports whether the search has ended, and returns its result.
func (k *keeper) resume() (found por.Result, over bool) {
	s := k.s
	check := func(err error) {
		if err != nil {
			panic(&NotResumed{k.file, err})
		}
	}
	check(k.from.Read(&k.kept))
	for _, data := range s.keptData() {
		check(k.from.Read(data))
	}
	check(s.m.Regrow(k.kept.Machine, s.limit.ending))
	if s.lazy != nil && s.lazy.Made() {
		s.lazy.Remake()
		if l := s.lazy.Learned(); l != nil {
			check(k.from.Read(l))
		}
	}
	if k.info.Ended {
		k.Arrived()
		return k.kept.Found, true
	}
	return por.Result{}, false
}

// Abandon implements por.Keeper.
func (k *keeper) Abandon() { panic(&NotResumed{k.file, saved.ErrStopped}) }

// Arrived implements por.Keeper.
func (k *keeper) Arrived() {
	err := k.s.m.Restore(k.kept.Machine)
	k.s.m.RunSubtests(k.kept.Subtests, k.kept.Skipped)
	if err = cmp.Or(err, k.from.Close()); err != nil {
		panic(&NotResumed{k.file, err})
	}
	k.from = nil
}

// end is called when the search has ended.
func (k *keeper) end(found por.Result) {
	k.done()
	if !k.s.limit.ending() && k.Points == nil && k.Every > 0 && time.Since(k.begin) >= k.Every {
		k.write(true, found)
	}
}
