package inputs

// A request is the number of a transfer, and where the answer goes.
type request struct {
	id    int
	reply chan bool
}

// Transfers sends transfers to a server until it answers, each at most three times, and returns how
// many the server has made and how many have been answered. Bit 2k of lost says that the k-th request
// is lost, bit 2k+1 that its answer is. The wrong server makes a transfer again that it knows.
func Transfers(lost uint8, v Version) (made, answered int) {
	requests := make(chan request)
	done := make(chan int)
	go func() {
		made, known := 0, map[int]bool{}
		for r := range requests {
			if !known[r.id] || v == Wrong {
				made++
			}
			known[r.id] = true
			r.reply <- true
		}
		done <- made
	}()
	for id, tries := 0, 0; id < 2; id++ {
		for range 2 {
			request := request{id, make(chan bool, 1)}
			k := tries
			tries++
			if lost>>(2*k)&1 != 0 {
				continue
			}
			requests <- request
			<-request.reply
			if lost>>(2*k+1)&1 == 0 {
				answered++
				break
			}
		}
	}
	close(requests)
	return <-done, answered
}
