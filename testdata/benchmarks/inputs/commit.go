package inputs

import "sync"

// Commit is a two-phase commit among participants who vote, and returns what each has done. The wrong
// coordinator does not wait for the last vote if all others were for it.
func Commit(votes []bool, v Version) (committed []bool) {
	ballots := make(chan bool)
	decisions := make(chan bool, len(votes))
	committed = make([]bool, len(votes))
	var wg sync.WaitGroup
	for i, vote := range votes {
		wg.Go(func() {
			ballots <- vote
			if <-decisions {
				committed[i] = true
			}
		})
	}
	all := true
	for i := range votes {
		if v == Wrong && i == len(votes)-1 && all {
			go func() { <-ballots }()
			break
		}
		all = <-ballots && all
	}
	for range votes {
		decisions <- all
	}
	wg.Wait()
	return committed
}
