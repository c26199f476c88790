// Package bubbles has tests about what belongs to which bubble of testing/synctest. The suite lets them
// sleep before statements, which in a bubble is blocked: so what must not be so is in a function of reflect.
package bubbles

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// made returns a channel that was made in a bubble that has ended.
func made(t *testing.T) (c chan int) {
	synctest.Test(t, func(t *testing.T) { c = make(chan int, 2); c <- 1 })
	return c
}

// TestSendOutside: sending on a bubble's channel from outside is fatal.
func TestSendOutside(t *testing.T) {
	defer fmt.Println(">deferred")
	c := made(t)
	fmt.Println(">made", len(c), cap(c))
	c <- 2
}

// TestReceiveOutside: so is receiving.
func TestReceiveOutside(t *testing.T) {
	defer func() { fmt.Println(">", recover()) }()
	<-made(t)
}

// TestRangeOutside: so is a loop.
func TestRangeOutside(t *testing.T) {
	for range made(t) {
	}
}

// TestCloseOutside: so is closing.
func TestCloseOutside(t *testing.T) { close(made(t)) }

// TestSelectOutside: so is a select one case of which is on it.
func TestSelectOutside(t *testing.T) {
	own := make(chan int, 1)
	select {
	case own <- 1:
	case <-made(t):
	}
}

// TestTryOutside: so is a select with default, of one case or of more.
func TestTryOutside(t *testing.T) {
	select {
	case <-made(t):
	default:
	}
}

// TestTryTwoOutside: nil channels make no difference.
func TestTryTwoOutside(t *testing.T) {
	var none chan int
	select {
	case <-none:
	case made(t) <- 1:
	default:
	}
}

// TestReflectOutside: so it is by reflection.
func TestReflectOutside(t *testing.T) { reflect.ValueOf(made(t)).Recv() }

// TestReflectCloseOutside: and closing.
func TestReflectCloseOutside(t *testing.T) { reflect.ValueOf(made(t)).Close() }

// TestReflectMade: a channel made by reflection belongs to the bubble, too.
func TestReflectMade(t *testing.T) {
	var c reflect.Value
	synctest.Test(t, func(t *testing.T) { c = reflect.MakeChan(reflect.TypeFor[chan int](), 1) })
	c.TrySend(reflect.ValueOf(1))
}

// TestNextBubble: another bubble of the same goroutine is another bubble.
func TestNextBubble(t *testing.T) {
	c := made(t)
	synctest.Test(t, func(t *testing.T) { <-c })
}

// TestTimerOutside: the channel of a timer belongs to the bubble.
func TestTimerOutside(t *testing.T) {
	var tm *time.Timer
	synctest.Test(t, func(t *testing.T) { tm = time.NewTimer(time.Second) })
	select {
	case <-tm.C:
	default:
	}
}

// TestInside: channels from outside can be used in a bubble, and closed.
func TestInside(t *testing.T) {
	c, d := make(chan int, 1), make(chan int)
	go func() { d <- <-c }()
	synctest.Test(t, func(t *testing.T) {
		c <- 1
		fmt.Println(">", <-d)
		close(c)
	})
	_, ok := <-c
	fmt.Println(">", ok)
}

// TestOutsideSender: goroutines started before the bubble are not in it.
func TestOutsideSender(t *testing.T) {
	var c chan int
	ready, done := make(chan bool), make(chan bool)
	go func() { <-ready; c <- 1; close(done) }()
	synctest.Test(t, func(t *testing.T) {
		c = make(chan int, 1)
		close(ready)
	})
	<-done
}

// TestTimeStands: while one waits on a channel from outside no time passes.
func TestTimeStands(t *testing.T) {
	c, slept := make(chan int), false
	synctest.Test(t, func(t *testing.T) {
		go func() { time.Sleep(time.Second); slept = true }()
		<-c
		fmt.Println(">", slept)
	})
}

// TestTimePasses: on a channel of its own it does, and on none.
func TestTimePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int)
		var none chan int
		go func() { time.Sleep(time.Second); c <- 1 }()
		select {
		case <-c:
			fmt.Println(">received")
		case <-none:
		}
	})
}

// TestBlockedOutside: one that waits on a channel from outside is not blocked for Wait.
func TestBlockedOutside(t *testing.T) {
	c := make(chan int)
	synctest.Test(t, func(t *testing.T) {
		go reflect.ValueOf(c).Recv()
		synctest.Wait()
	})
}

// TestBlockedPartly: nor is one in a select with a channel from outside.
func TestBlockedPartly(t *testing.T) {
	c := make(chan int)
	synctest.Test(t, func(t *testing.T) {
		d := make(chan int)
		go reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(d)}})
		synctest.Wait()
		d <- 1
	})
}

// TestMutexStands: nor one that waits for a lock.
func TestMutexStands(t *testing.T) {
	var mu sync.Mutex
	synctest.Test(t, func(t *testing.T) {
		mu.Lock()
		go func() { mu.Lock() }()
		time.Sleep(time.Second)
		mu.Unlock()
	})
}

// TestStopOutside: stopping a bubble's timer from outside is fatal.
func TestStopOutside(t *testing.T) {
	var tm *time.Timer
	synctest.Test(t, func(t *testing.T) { tm = time.NewTimer(time.Second) })
	tm.Stop()
}

// TestResetOutside: so is resetting it; one of a function, too.
func TestResetOutside(t *testing.T) {
	var tm *time.Timer
	synctest.Test(t, func(t *testing.T) { tm = time.AfterFunc(time.Second, func() {}) })
	tm.Reset(time.Second)
}

// TestStopInside: a timer from outside can be stopped in a bubble.
func TestStopInside(t *testing.T) {
	tm := time.NewTimer(time.Hour)
	synctest.Test(t, func(t *testing.T) { fmt.Println(">", tm.Stop()) })
}

// TestWaitGroup: a goroutine that waits for a WaitGroup of the bubble is blocked, again and again.
func TestWaitGroup(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		synctest.Test(t, func(t *testing.T) {
			wg.Go(func() { time.Sleep(time.Second); fmt.Println(">slept", i) })
			wg.Wait()
		})
	}
	wg.Add(1)
	wg.Done()
}

var shared sync.WaitGroup

// TestWaitGroupShared: one that is a variable of the package is no bubble's, and time stands still.
func TestWaitGroupShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared.Go(func() { time.Sleep(time.Second) })
		shared.Wait()
	})
}

// TestWaitGroupOutside: nor is one that something outside was added to.
func TestWaitGroupOutside(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	synctest.Test(t, func(t *testing.T) {
		go wg.Wait()
		synctest.Wait()
	})
}

// TestWaitGroupBoth: adding inside and outside is fatal.
func TestWaitGroupBoth(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	synctest.Test(t, func(t *testing.T) { wg.Done() })
}

// TestWaitGroupAfter: in the other order, too.
func TestWaitGroupAfter(t *testing.T) {
	var wg sync.WaitGroup
	synctest.Test(t, func(t *testing.T) { wg.Add(1) })
	wg.Done()
}

// TestWaitGroupTwo: and in two bubbles.
func TestWaitGroupTwo(t *testing.T) {
	var wg sync.WaitGroup
	synctest.Test(t, func(t *testing.T) { wg.Add(1) })
	synctest.Test(t, func(t *testing.T) { wg.Done() })
}
