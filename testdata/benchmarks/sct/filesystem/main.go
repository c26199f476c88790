// Goroutines allocate a block for an inode each; there is one inode more than locks (CS/fsbench of SCTBench).
package main

import "sync"

const blocks, goroutines = 26, 27

func main() {
	var inodeLocks, blockLocks [blocks]sync.Mutex
	var busy [blocks]bool
	var inodes [goroutines]int
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			inodeLocks[i].Lock()
			defer inodeLocks[i].Unlock()
			if inodes[i] != 0 {
				return
			}
			b := 2 * i % blocks
			for range blocks / 2 {
				blockLocks[b].Lock()
				free := !busy[b]
				busy[b] = true
				blockLocks[b].Unlock()
				if free {
					inodes[i] = b + 1
					return
				}
				b = (b + 1) % blocks
			}
		})
	}
	wg.Wait()
}
