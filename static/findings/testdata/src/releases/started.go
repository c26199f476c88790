package releases

import (
	"errors"
	"time"
)

// inThread calls f in a goroutine, and waits for it.
func inThread(ok bool, f func()) error {
	done := make(chan error, 1)
	go func() {
		if !ok {
			done <- errors.New("no thread")
			return
		}
		defer close(done)
		f()
	}()
	return <-done
}

// Written returns what the function has written in another goroutine, which has ended.
func Written(ok bool) (err error) {
	if e := inThread(ok, func() { err = errors.New("written") }); e != nil {
		return e
	}
	return err
}

// forget calls f in a goroutine, and waits only if it has to.
func forget(wait bool, f func()) {
	done := make(chan bool, 1)
	go func() {
		f()
		done <- true
	}()
	if wait {
		<-done
	}
}

// Unwritten does not wait for the goroutine.
func Unwritten() int {
	n := 0
	forget(false, func() {
		n++ // want HBA401 "n is written here"
	})
	return n
}

// Timed returns while the goroutine may write its result.
func Timed(fn func() error) (err error) {
	c := make(chan bool, 1)
	go func() {
		err = fn() // want HBA401 "err is written here and written at started.go:61" high
		c <- true
	}()
	select {
	case <-c:
	case <-time.After(time.Second):
		return errors.New("too late")
	}
	return err
}

// Bare reads its result at its return.
func Bare(fn func() error) (err error) {
	go func() {
		err = fn() // want HBA401 "err is written here and read at started.go:71" medium
	}()
	return
}
