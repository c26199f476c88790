// A buffer appends another one, of which a second goroutine erases the characters after its length was read
// (stringbuffer-jdk1.4 of SCTBench).
package main

import "sync"

type buffer struct {
	mu    sync.Mutex
	bytes []byte
}

func (b *buffer) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.bytes)
}

func (b *buffer) erase() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes = nil
}

func (b *buffer) add(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes = append(b.bytes, s...)
}

func (b *buffer) first(n int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.bytes[:n])
}

func main() {
	b := &buffer{bytes: []byte("abc")}
	go func() {
		b.erase()
		b.add("abc")
	}()
	n := b.length() // the mistake: the lock is released before the characters are read
	if s := b.first(n); len(s) != n {
		panic("too short")
	}
}
