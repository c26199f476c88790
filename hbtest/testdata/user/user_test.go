package user_test

import (
	"net"
	"os/exec"
	"sync"
	"testing"
	"time"

	"example.com/user"
	"hbcheck.dev/hbcheck/hbtest"
	"hbcheck.dev/hbcheck/hbtest/lin"
)

const want = 2

func deposit(t *testing.T) {
	var b user.Bank
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { b.Deposit(1) })
	}
	wg.Wait()
	if got := b.Balance(); got != want {
		t.Errorf("balance %d, want %d", got, want)
	}
}

func TestDeposit(t *testing.T) { hbtest.Explore(t, deposit) }

func TestNames(t *testing.T) {
	n := 0
	for _, name := range []string{"a b/c(d)", "x", "x"} {
		n++
		t.Run(name, func(t *testing.T) {
			hbtest.Explore(t, func(t *testing.T) {
				if n%2 == 1 && hbtest.Bool() {
					t.Errorf("odd %d", n)
				}
			})
		})
	}
	t.Run("parallel", func(t *testing.T) {
		for _, name := range []string{"1", "2"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				hbtest.Explore(t, func(t *testing.T) {})
			})
		}
	})
	if hbtest.Running() && n != 3 {
		t.Errorf("%d subtests", n)
	}
}

func TestShort(t *testing.T) {
	hbtest.Explore(t, func(t *testing.T) {
		if !testing.Short() {
			t.Error("it is long")
		}
	})
}

func TestPreempt(t *testing.T) { hbtest.Explore(t, deposit, hbtest.Preempt(0)) }

//hbcheck:preempt 0
func TestDirective(t *testing.T) { hbtest.Explore(t, deposit) }

func dial(t *testing.T) {
	if _, err := net.Dial("tcp", "example.com:80"); err != nil {
		t.Log(err)
	}
}

func TestAssuming(t *testing.T) { hbtest.Explore(t, dial) }

func execute(t *testing.T) {
	if err := exec.Command("true").Run(); err != nil {
		t.Log(err)
	}
}

func TestIncomplete(t *testing.T) { hbtest.Explore(t, execute) }

func TestAllowed(t *testing.T) { hbtest.Explore(t, execute, hbtest.AllowIncomplete()) }

func endless(t *testing.T) {
	var mu sync.Mutex
	n := 0
	for k := range 5 {
		go func() {
			for {
				mu.Lock()
				n = n*31 + k
				mu.Unlock()
			}
		}()
	}
	for {
		time.Sleep(time.Millisecond)
	}
}

func TestEndless(t *testing.T) { hbtest.Explore(t, endless) }

func TestLimited(t *testing.T) { hbtest.Explore(t, endless, hbtest.Timeout(time.Second)) }

func TestWrongFlag(t *testing.T) { hbtest.Explore(t, deposit, hbtest.Flags("--no-such-flag")) }

func TestLinearizable(t *testing.T) {
	deposit := lin.With("Deposit", func(b *user.Bank, n int) any { b.Deposit(n); return nil }, 1, 2)
	balance := lin.Do("Balance", func(b *user.Bank) any { return b.Balance() })
	lin.Check(t, lin.Object[*user.Bank]{New: func() *user.Bank { return new(user.Bank) },
		Ops: []lin.Op[*user.Bank]{deposit, balance}, Final: []lin.Op[*user.Bank]{balance}})
}

func TestTooMany(t *testing.T) {
	lin.Check(t, lin.Object[int]{New: func() int { return 0 }, Goroutines: 8, Operations: 100,
		Ops: []lin.Op[int]{lin.With("Add", func(x, n int) any { return x + n }, 1, 2, 3)}})
}

func TestModel(t *testing.T) {
	op := lin.Do("Get", func(int) any { return 0 })
	lin.CheckModel(t, lin.Object[int]{New: func() int { return 0 }, Ops: []lin.Op[int]{op}}, lin.Object[int]{New: func() int { return 0 }})
}
