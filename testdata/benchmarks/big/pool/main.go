// 100 goroutines take connections from a pool and check them, 100 times each.
package main

import (
	"context"
	"fmt"
	"reflect"
	"sync"
)

type Conn struct{ id, uses int }

type Pool struct {
	mu   sync.Mutex
	cond *sync.Cond
	idle []*Conn
	made int
	max  int
}

func New(max int) *Pool {
	p := &Pool{max: max}
	p.cond = sync.NewCond(&p.mu)
	return p
}

func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) == 0 {
		if p.made < p.max {
			p.made++
			return &Conn{id: p.made}, nil
		}
		p.cond.Wait()
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c, nil
}

func (p *Pool) Release(c *Conn) {
	p.mu.Lock()
	c.uses++
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	p.cond.Signal()
}

func equal(want, got any) {
	if !reflect.DeepEqual(want, got) {
		panic(fmt.Sprintf("want %v, got %v", want, got))
	}
}

func main() {
	p := New(3)
	var wg sync.WaitGroup
	for range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				c, err := p.Acquire(context.Background())
				equal(nil, err)
				equal(true, c.id >= 1 && c.id <= 3)
				p.Release(c)
			}
		}()
	}
	wg.Wait()
	equal(true, p.made >= 1)
}
