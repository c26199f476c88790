package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A tree is a search: its nodes in the order in which one worker reaches them.
type tree struct {
	name string
	subs []tree
}

// walk explores a tree.
func (t *tree) walk(found []string) []string {
	found = append(found, t.name)
	for i := range t.subs {
		found = t.subs[i].walk(found)
	}
	return found
}

var small = tree{"a", []tree{{"b", []tree{{"c", nil}}}, {"d", nil}}}

var larger = tree{"a", []tree{{"b", []tree{{"c", nil}, {"d", nil}}}, {"e", nil}, {"f", []tree{{"g", nil}}}}}

// explore explores a tree with workers: each subtree of its root is a task, and findings are merged in
// their order. The search stops at the node called stop.
func explore(t *testing.T, workers int, x tree, stop string, with func() (*int, error)) (merged []string, executed int) {
	p := New(workers-1, with)
	var own int
	found := make([][]string, len(x.subs))
	tasks := make([]Task[*int], len(x.subs))
	for i := range x.subs {
		tasks[i].Do = func(w *int) {
			*w++
			if found[i] != nil {
				t.Error("a task is executed twice")
			}
			found[i] = x.subs[i].walk(nil)
		}
		p.Offer(&tasks[i])
	}
	merged = []string{x.name}
	for i := range tasks {
		p.Await(&own, &tasks[i])
		merged = append(merged, found[i]...)
		if slices.Contains(found[i], stop) {
			break
		}
	}
	p.Close()
	for i := range found {
		if found[i] != nil {
			executed++
		}
	}
	return merged, executed
}

func counter() (*int, error) { return new(int), nil }

// check: two or three workers have the same findings as one, in the same order, and no task is executed
// twice or left out. hbcheck itself explores it (TestDogfood of cmd/hbcheck), in every interleaving.
func check(t *testing.T, workers int, x tree) {
	merged, executed := explore(t, workers, x, "", counter)
	if want := x.walk(nil); !slices.Equal(merged, want) || executed != len(x.subs) {
		t.Errorf("%d workers: %v, of %d tasks; want %v", workers, merged, executed, want)
	}
}

func TestTwoWorkers(t *testing.T)   { check(t, 2, small) }
func TestTwoLarger(t *testing.T)    { check(t, 2, larger) }
func TestThreeWorkers(t *testing.T) { check(t, 3, small) }

// TestStop: tasks after the first one that stops the search are not merged, though they may have been
// executed.
func TestStop(t *testing.T) {
	merged, executed := explore(t, 2, small, "c", counter)
	if want := []string{"a", "b", "c"}; !slices.Equal(merged, want) || executed < 1 {
		t.Errorf("%v, of %d tasks; want %v", merged, executed, want)
	}
}

// TestMissing: if a worker cannot begin, the others execute all tasks.
func TestMissing(t *testing.T) {
	merged, _ := explore(t, 2, small, "", func() (*int, error) { return nil, errors.New("no memory") })
	if want := small.walk(nil); !slices.Equal(merged, want) {
		t.Errorf("%v, want %v", merged, want)
	}
}

// TestClaim: a search that waits for tasks that others have taken, and explores the rest itself, has the
// findings of one worker.
func TestClaim(t *testing.T) {
	p := New(1, counter)
	found := make([][]string, len(small.subs))
	tasks := make([]Task[*int], len(small.subs))
	for i := range small.subs {
		tasks[i].Do = func(*int) { found[i] = small.subs[i].walk(nil) }
		p.Offer(&tasks[i])
	}
	merged := []string{small.name}
	for i := range tasks {
		if !p.Claim(&tasks[i]) {
			found[i] = small.subs[i].walk(found[i])
		}
		merged = append(merged, found[i]...)
	}
	hungry := p.Hungry()
	p.Close()
	if want := small.walk(nil); !slices.Equal(merged, want) {
		t.Errorf("%v, want %v; hungry: %v", merged, want, hungry)
	}
}

// TestMistake: a task that panics on a worker panics where it is awaited.
func TestMistake(t *testing.T) {
	for _, claim := range []bool{false, true} {
		p := New(1, func() (int, error) { return 1, nil })
		began := make(chan bool)
		task := &Task[int]{Do: func(int) { began <- true; panic("BUG: of a task") }}
		p.Offer(task)
		<-began
		func() {
			defer func() {
				if x := recover(); x == nil || !strings.Contains(fmt.Sprint(x), "BUG: of a task") {
					t.Errorf("claim %v: %v", claim, x)
				}
			}()
			if claim {
				p.Claim(task)
			} else {
				p.Await(2, task)
			}
			t.Error("it has been executed")
		}()
		p.Close()
	}
	p := New(1, func() (int, error) { panic("BUG: of a maker") })
	p.workers.Wait()
	defer func() {
		if x := recover(); x == nil {
			t.Error("a maker that has panicked is not told")
		}
	}()
	p.Await(2, &Task[int]{})
}
