package cluster

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// These tests are small programs that hbcheck explores (TestDogfoodCluster of cmd/hbcheck), in every order
// and with every choice.

// either returns true or false: an explorer tries both.
func either() bool {
	a, b := make(chan bool, 1), make(chan bool, 1)
	a <- true
	b <- true
	select {
	case <-a:
		return true
	case <-b:
		return false
	}
}

var errDead = errors.New("the worker is dead")

// A mortal is a queue for workers, one of which dies: before a call, or after it.
type mortal struct {
	*Memory
	mu    sync.Mutex
	lives int // number of further deaths
}

func (q *mortal) dies() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lives == 0 || !either() {
		return false
	}
	q.lives--
	return true
}

func (q *mortal) Publish(t Task) error {
	if q.dies() {
		return errDead
	}
	return q.Memory.Publish(t)
}

func (q *mortal) Commit(name string, r Record) (bool, error) {
	if q.dies() {
		return false, errDead
	}
	return q.Memory.Commit(name, r)
}

func (q *mortal) Pull() (Delivery, error) {
	d, err := q.Memory.Pull()
	return mortalDelivery{d, q}, err
}

type mortalDelivery struct {
	Delivery
	q *mortal
}

func (d mortalDelivery) Acknowledge() error {
	if d.q.dies() {
		return errDead
	}
	err := d.Delivery.Acknowledge()
	if err == nil && d.q.dies() {
		return errDead
	}
	return err
}

// count returns the number of leaves of a task.
func count(t Task) byte { return t.Data[0] }

// execute executes a task: it counts some of its leaves, and leaves the others to a child.
func execute(t Task) (Record, error) {
	n := count(t)
	for own := byte(1); own < n; own++ {
		if either() {
			return Record{Result: []byte{own}, Children: []Task{{Name: t.Name + ".0", Data: []byte{n - own}}}}, nil
		}
	}
	return Record{Result: []byte{n}}, nil
}

// worker works until the queue is closed. If it dies the queue notices, and another one takes its place.
func worker(q *mortal, execute func(Task) (Record, error)) {
	for {
		d, err := q.Pull()
		if err != nil {
			return
		}
		if Handle(q, d, execute) != nil {
			q.Redeliver()
		}
	}
}

// coordinate returns the number of leaves that a run counts.
func coordinate(q *Memory, roots []Task) (sum int) {
	c := NewCollector()
	add := func(_ string, r Record) { sum += int(r.Result[0]) }
	for _, t := range roots {
		c.Expect(t.Name, add)
	}
	if Resume(q, roots) != nil {
		return -1
	}
	for !c.Done() {
		name, r, err := q.Next()
		if err != nil {
			return -1
		}
		c.Add(name, r, add)
	}
	return sum
}

// run lets workers count the leaves of a task, and some of them die.
func run(t *testing.T, workers, deaths int, leaves byte, beside func(q *Memory)) {
	q := &mortal{Memory: NewMemory(), lives: deaths}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { worker(q, execute) })
	}
	all.Go(func() { beside(q.Memory) })
	if n := coordinate(q.Memory, []Task{{Name: "r", Data: []byte{leaves}}}); n != int(leaves) {
		t.Errorf("%d leaves, want %d", n, leaves)
	}
	q.Close()
	all.Wait()
}

func TestOneDies(t *testing.T) { run(t, 1, 1, 2, func(*Memory) {}) }

func TestCutTwice(t *testing.T) { run(t, 1, 1, 3, func(*Memory) {}) }

func TestTwoWorkers(t *testing.T) { run(t, 2, 0, 2, func(*Memory) {}) }

// A worker is late: its task is delivered to another one, and both continue.
func TestLate(t *testing.T) { run(t, 2, 0, 2, func(q *Memory) { q.Redeliver() }) }

func TestLateAndDead(t *testing.T) { run(t, 2, 1, 1, func(q *Memory) { q.Redeliver() }) }

// TestPieces: an owner counts one leaf, and lets others count another, or stops waiting and counts it
// itself. It may die, and another one begins again.
func TestPieces(t *testing.T) {
	q := &mortal{Memory: NewMemory()}
	pieces := NewPieces(q.Memory, q.Memory, "")
	var all sync.WaitGroup
	all.Go(func() { worker(q, execute) })
	all.Go(func() { pieces.Listen() })
	own := func(owner byte) (leaves byte) {
		name := fmt.Sprintf("r-piece-%d", owner)
		back, err := pieces.Ask(Task{Name: name, Data: []byte{1}})
		if err != nil || either() {
			pieces.GiveUp(name)
			return 1 + 1
		}
		return 1 + (<-back).Result[0]
	}
	n := own(1)
	if either() {
		n = own(2)
	}
	if n != 2 {
		t.Errorf("%d leaves, want 2", n)
	}
	q.Close()
	all.Wait()
}

// TestShown: a piece gets exactly the data that its owner has published before the piece, and nothing of
// another owner. The owner continues, or dies and another one starts from the beginning.
func TestShown(t *testing.T) {
	q := &mortal{Memory: NewMemory(), lives: 1}
	pieces := NewPieces(q.Memory, q.Memory, "0")
	var all sync.WaitGroup
	all.Go(func() {
		worker(q, func(t Task) (Record, error) {
			sum := byte(0)
			for n := byte(1); n <= t.Data[1]; n++ {
				data, err := Shown(q.Memory, fmt.Sprint(t.Data[0]), int(n))
				if err != nil {
					return Record{}, err
				}
				sum += data[0]
			}
			return Record{Result: []byte{sum}}, nil
		})
	})
	all.Go(func() { pieces.Listen() })
	own := func(owner byte) (sum byte, dead bool) {
		p := NewPieces(q.Memory, q.Memory, fmt.Sprint(owner))
		number, err := p.Show([]byte{owner})
		if err != nil || either() {
			return 0, true
		}
		name := fmt.Sprintf("r-needs-%d", owner)
		back, err := pieces.Ask(Task{Name: name, Data: []byte{owner, byte(number)}})
		if err != nil {
			return 0, true
		}
		p.Show([]byte{10})
		return (<-back).Result[0], false
	}
	for owner := byte(1); ; owner++ {
		n, dead := own(owner)
		if !dead && n != owner {
			t.Errorf("owner %d: %d", owner, n)
		}
		if !dead || owner == 2 {
			break
		}
	}
	q.Close()
	all.Wait()
}

// A coordinator dies anywhere, and the queue may lose its tasks. Another one continues.
func TestCoordinatorDies(t *testing.T) {
	q := &mortal{Memory: NewMemory()}
	var all sync.WaitGroup
	all.Go(func() { worker(q, execute) })
	root := []Task{{Name: "r", Data: []byte{2}}}
	if either() && Resume(q.Memory, root) == nil && either() {
		q.Next()
	}
	if either() {
		q.Lose()
	}
	q.Again()
	if n := coordinate(q.Memory, root); n != 2 {
		t.Errorf("%d leaves, want 2", n)
	}
	q.Close()
	all.Wait()
}

func TestCollector(t *testing.T) {
	c := NewCollector()
	var got []string
	found := func(name string, _ Record) { got = append(got, name) }
	c.Add("a.0", Record{}, found) // its parent's record is still on its way
	c.Expect("a", found)
	if c.Done() || len(got) > 0 {
		t.Fatalf("done %v, found %q", c.Done(), got)
	}
	c.Add("a", Record{Children: []Task{{Name: "a.0"}, {Name: "a.1"}}}, found)
	c.Add("a", Record{}, found)
	if c.Done() {
		t.Fatal("done without a.1")
	}
	c.Add("a.1", Record{}, found)
	c.Expect("a.1", found)
	if !c.Done() || len(got) != 3 {
		t.Fatalf("done %v, found %q", c.Done(), got)
	}
}
