package misuse

import "testing"

func TestFatal(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		t.Fatal("no") // want HBA404 "Fatal in a goroutine other than the test's"
	}()
	<-done
	t.Run("sub", func(t *testing.T) { t.Fatal("yes") })
}

func TestHelper(t *testing.T) {
	go check(t)
	check2(t)
}

func check(t *testing.T) {
	t.Helper()
	t.FailNow() // want HBA404 "FailNow in a goroutine"
}

func check2(t *testing.T) { t.Fatal("yes") }

// Capture ends its goroutine when the test ends; CaptureForever does not.
func Capture(t *testing.T) {
	done := make(chan bool)
	t.Cleanup(func() { close(done) })
	go func() { <-done }()
}

func CaptureForever(t *testing.T) {
	done := make(chan bool)
	t.Cleanup(func() {})
	go func() { <-done }() // want HBA202 "this receive may wait forever"
}
