// Package answered has a goroutine that nobody waits for.
package answered

// Ask returns an answer, or none if it is impatient.
func Ask(impatient bool) int {
	c := make(chan int)
	go Answer(c)
	if impatient {
		return 0
	}
	return <-c
}

// Answer sends an answer.
func Answer(c chan int) {
	c <- 1 // want HBA201 "this send may wait forever"
}
