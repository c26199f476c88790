// Elevator: lifts go up and down in a building and pick people up; main plays
// the people, who push a button on the floor where they are.
//
// Shared: the array of floors, each with the people who wait there and two
// flags (a lift has claimed them), under the floor's lock. Everything else of a
// lift is its own. Different from the Java text: nobody sleeps; main waits for
// the lifts; the people who wait are slices (in Java vectors with a lock
// each, always used under the floor's lock).
//
//	elevator operations floors lifts {time from to}...
package main

import (
	"os"
	"strconv"
	"sync"
)

// The directions of travel, which are bits of pickupOn, too.
const (
	idle = 0
	up   = 1
	down = 2
)

type floor struct {
	mu          sync.Mutex
	upPeople    []int // where they want to go
	downPeople  []int
	upClaimed   bool
	downClaimed bool
}

// controls are what lifts and people see of the building.
type controls struct{ floors []*floor }

func newControls(floors int) *controls {
	c := &controls{make([]*floor, floors+1)}
	for i := range c.floors {
		c.floors[i] = new(floor)
	}
	return c
}

func (c *controls) pushUp(on, to int) {
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.upPeople = append(f.upPeople, to)
	if len(f.upPeople) == 1 {
		f.upClaimed = false
	}
}

func (c *controls) pushDown(on, to int) {
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.downPeople = append(f.downPeople, to)
	if len(f.downPeople) == 1 {
		f.downClaimed = false
	}
}

// claimUp claims the people who want to go up from a floor, if there are any.
func (c *controls) claimUp(on int) bool {
	if !c.checkUp(on) {
		return false
	}
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.upClaimed {
		return false
	}
	f.upClaimed = true
	return true
}

func (c *controls) claimDown(on int) bool {
	if !c.checkDown(on) {
		return false
	}
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.downClaimed {
		return false
	}
	f.downClaimed = true
	return true
}

// checkUp reports whether unclaimed people on a floor want to go up.
func (c *controls) checkUp(on int) bool {
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.upPeople) > 0 && !f.upClaimed
}

func (c *controls) checkDown(on int) bool {
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.downPeople) > 0 && !f.downClaimed
}

func (c *controls) getUpPeople(on int) []int {
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	people := f.upPeople
	f.upPeople = nil
	f.upClaimed = false
	return people
}

func (c *controls) getDownPeople(on int) []int {
	f := c.floors[on]
	f.mu.Lock()
	defer f.mu.Unlock()
	people := f.downPeople
	f.downPeople = nil
	f.downClaimed = false
	return people
}

var lifts int // that exist

type lift struct {
	number       int
	operations   int
	direction    int
	currentFloor int
	firstFloor   int
	lastFloor    int
	peopleFor    []int // by floor
	pickupOn     []int // by floor, a set of directions
	controls     *controls
}

func newLift(c *controls, floors, operations int) *lift {
	lifts++
	return &lift{number: lifts, operations: operations, direction: idle, currentFloor: 1, firstFloor: 1, lastFloor: floors,
		peopleFor: make([]int, floors+1), pickupOn: make([]int, floors+1), controls: c}
}

func (l *lift) run() {
	for range l.operations {
		if l.direction == idle {
			l.doIdle()
		} else {
			l.doMoving()
		}
	}
}

// doIdle looks for people, first on this floor.
func (l *lift) doIdle() {
	here := l.currentFloor
	if l.controls.claimUp(here) {
		l.direction = up
		l.addPeople(l.controls.getUpPeople(here))
	} else if l.controls.claimDown(here) {
		l.direction = down
		l.addPeople(l.controls.getDownPeople(here))
	}
	for floor := l.firstFloor; floor <= l.lastFloor && l.direction == idle; floor++ {
		claimed := idle
		if l.controls.claimUp(floor) {
			claimed = up
		} else if l.controls.claimDown(floor) {
			claimed = down
		}
		if claimed == idle {
			continue
		}
		l.pickupOn[floor] |= claimed
		l.direction = down
		if floor > here {
			l.direction = up
		}
	}
}

// doMoving goes to the next floor and lets people out and in.
func (l *lift) doMoving() {
	if l.direction == up {
		l.currentFloor++
	} else {
		l.currentFloor--
	}
	here := l.currentFloor
	if here == l.lastFloor {
		l.direction = down
	} else if here == l.firstFloor {
		l.direction = up
	}
	if l.peopleFor[here] > 0 {
		l.peopleFor[here] = 0
	}
	if l.pickupOn[here]&up != 0 || l.direction == up && l.controls.claimUp(here) {
		l.addPeople(l.controls.getUpPeople(here))
		l.pickupOn[here] &^= up
	}
	if l.pickupOn[here]&down != 0 || l.direction == down && l.controls.claimDown(here) {
		l.addPeople(l.controls.getDownPeople(here))
		l.pickupOn[here] &^= down
	}
	above, below := l.stops(here+1, l.lastFloor), l.stops(l.firstFloor, here-1)
	switch {
	case l.direction == up && above, l.direction == down && below:
	case above:
		l.direction = up
	case below:
		l.direction = down
	default:
		l.direction = idle
	}
}

// stops reports whether there is anything to do on floors first to last.
func (l *lift) stops(first, last int) bool {
	for i := first; i <= last; i++ {
		if l.pickupOn[i] != 0 || l.peopleFor[i] != 0 {
			return true
		}
	}
	return false
}

func (l *lift) addPeople(people []int) {
	for _, to := range people {
		l.peopleFor[to]++
	}
}

// A press is somebody pushing a button.
type press struct{ time, from, to int }

// final is what main leaves behind, so that final states can be compared.
var final struct {
	controls *controls
	lifts    []*lift
}

func main() {
	operations, floors, n := number(1), number(2), number(3)
	var presses []press
	for i := 4; i+2 < len(os.Args); i += 3 {
		presses = append(presses, press{number(i), number(i + 1), number(i + 2)})
	}
	c := newControls(floors)
	var wg sync.WaitGroup
	all := make([]*lift, n)
	for i := range all {
		l := newLift(c, floors, operations)
		all[i] = l
		wg.Go(l.run)
	}
	time := 1
	for _, p := range presses {
		for time < p.time {
			time++
		}
		if p.from < p.to {
			c.pushUp(p.from, p.to)
		} else {
			c.pushDown(p.from, p.to)
		}
	}
	wg.Wait()
	final.controls, final.lifts = c, all
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
