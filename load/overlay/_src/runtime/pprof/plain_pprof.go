// Package pprof has the interface of runtime/pprof. Labels, custom profiles and
// the texts of goroutine profiles work. The other predefined profiles are empty, because
// they would measure the compiled program.
package pprof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A Profile is a collection of stack traces.
type Profile struct {
	name string
	mu   sync.Mutex
	m    map[any][]uintptr
}

var profiles struct {
	mu sync.Mutex
	m  map[string]*Profile
}

// lockProfiles locks profiles and makes sure the predefined ones are there.
func lockProfiles() {
	profiles.mu.Lock()
	if profiles.m == nil {
		profiles.m = make(map[string]*Profile)
		for _, name := range []string{"goroutine", "threadcreate", "heap", "allocs", "block", "mutex"} {
			profiles.m[name] = &Profile{name: name}
		}
		if hbHasLeaks {
			profiles.m["goroutineleak"] = &Profile{name: "goroutineleak"}
		}
	}
}

// NewProfile creates a custom profile.
func NewProfile(name string) *Profile {
	lockProfiles()
	defer profiles.mu.Unlock()
	if name == "" {
		panic("pprof: NewProfile with empty name")
	}
	if profiles.m[name] != nil {
		panic("pprof: NewProfile name already in use: " + name)
	}
	p := &Profile{name: name, m: map[any][]uintptr{}}
	profiles.m[name] = p
	return p
}

// Lookup returns the profile of that name, or nil.
func Lookup(name string) *Profile {
	lockProfiles()
	defer profiles.mu.Unlock()
	return profiles.m[name]
}

// Profiles returns all profiles, by name.
func Profiles() []*Profile {
	lockProfiles()
	defer profiles.mu.Unlock()
	all := make([]*Profile, 0, len(profiles.m))
	for _, p := range profiles.m {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Profile) int { return strings.Compare(a.name, b.name) })
	return all
}

// Name returns the profile's name.
func (p *Profile) Name() string { return p.name }

// Count returns the number of stacks in the profile.
func (p *Profile) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.name == "goroutine" {
		return runtime.NumGoroutine()
	}
	if hbHasLeaks && p.name == "goroutineleak" {
		return hbLeaks()
	}
	return len(p.m)
}

// Add adds the current stack, for value.
func (p *Profile) Add(value any, skip int) {
	if p.m == nil {
		panic("pprof: use of uninitialized Profile")
	}
	stack := make([]uintptr, 32)
	stack = stack[:runtime.Callers(skip+1, stack)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m[value] != nil {
		panic("pprof: Profile.Add of duplicate value")
	}
	p.m[value] = stack
}

// Remove removes the stack of value.
func (p *Profile) Remove(value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.m, value)
}

// hbGoroutines returns the number of goroutines, and their stacks.
func hbGoroutines() (n int, text string)

// WriteTo writes the number of stacks. A goroutine profile also has the stacks of all goroutines;
// with debug 2 they look as in a crash.
func (p *Profile) WriteTo(w io.Writer, debug int) error {
	if p.name == "goroutine" && debug >= 2 {
		buf := make([]byte, 1<<20)
		_, err := w.Write(buf[:runtime.Stack(buf, true)])
		return err
	}
	if p.name == "goroutine" && debug == 1 {
		n, text := hbGoroutines()
		_, err := fmt.Fprintf(w, "goroutine profile: total %d\n%s", n, text)
		return err
	}
	if hbHasLeaks && p.name == "goroutineleak" {
		return hbWriteLeaks(w, debug)
	}
	_, err := fmt.Fprintf(w, "%s profile: total %d\n", p.name, p.Count())
	return err
}

// WriteHeapProfile writes an empty heap profile.
func WriteHeapProfile(w io.Writer) error { return Lookup("heap").WriteTo(w, 0) }

var cpu struct {
	mu sync.Mutex
	on bool
}

// StartCPUProfile pretends to start profiling.
func StartCPUProfile(w io.Writer) error {
	cpu.mu.Lock()
	defer cpu.mu.Unlock()
	if cpu.on {
		return errors.New("cpu profiling already in use")
	}
	cpu.on = true
	return nil
}

// StopCPUProfile ends what StartCPUProfile began.
func StopCPUProfile() {
	cpu.mu.Lock()
	defer cpu.mu.Unlock()
	cpu.on = false
}

// A LabelSet is a set of labels.
type LabelSet struct {
	list []string // key, value, ...
}

// Labels returns the set of the given keys and values.
func Labels(args ...string) LabelSet {
	if len(args)%2 != 0 {
		panic("uneven number of arguments to pprof.Labels")
	}
	return LabelSet{slices.Clone(args)}
}

type labelKey struct{}

// WithLabels returns a context with labels added to those of ctx.
func WithLabels(ctx context.Context, labels LabelSet) context.Context {
	m := map[string]string{}
	ForLabels(ctx, func(k, v string) bool { m[k] = v; return true })
	for i := 0; i < len(labels.list); i += 2 {
		m[labels.list[i]] = labels.list[i+1]
	}
	return context.WithValue(ctx, labelKey{}, m)
}

// SetGoroutineLabels has no effect, because no code reads the labels of a goroutine.
func SetGoroutineLabels(ctx context.Context) {}

// Do calls f with labels added to those of ctx.
func Do(ctx context.Context, labels LabelSet, f func(context.Context)) { f(WithLabels(ctx, labels)) }

// Label returns the value of a label of ctx.
func Label(ctx context.Context, key string) (string, bool) {
	m, _ := ctx.Value(labelKey{}).(map[string]string)
	v, ok := m[key]
	return v, ok
}

// ForLabels calls f for each label of ctx, by key, until f returns false.
func ForLabels(ctx context.Context, f func(key, value string) bool) {
	m, _ := ctx.Value(labelKey{}).(map[string]string)
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if !f(k, m[k]) {
			return
		}
	}
}
