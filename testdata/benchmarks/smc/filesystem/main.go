// n goroutines allocate a disk block for an inode each, unless it has one; there are 32 inodes and
// 26 blocks, each with a lock. Up to 13 goroutines never meet: 1 execution; with
// more there are 2^(n-13). (Flanagan and Godefroid, POPL 2005)
//
//	filesystem n
package main

import (
	"os"
	"strconv"
	"sync"
)

const (
	numBlocks = 26
	numInodes = 32
)

var (
	inodeMu [numInodes]sync.Mutex
	inode   [numInodes]int
	blockMu [numBlocks]sync.Mutex
	busy    [numBlocks]bool
)

func create(id int) {
	i := id % numInodes
	inodeMu[i].Lock()
	defer inodeMu[i].Unlock()
	if inode[i] != 0 {
		return
	}
	for b := i * 2 % numBlocks; ; b = (b + 1) % numBlocks {
		if take(b) {
			inode[i] = b + 1
			return
		}
	}
}

func take(b int) bool {
	blockMu[b].Lock()
	defer blockMu[b].Unlock()
	if busy[b] {
		return false
	}
	busy[b] = true
	return true
}

func main() {
	n := number(1)
	var wg sync.WaitGroup
	wg.Add(n)
	for id := range n {
		go func() {
			defer wg.Done()
			create(id)
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
