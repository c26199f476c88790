package main

import (
	"fmt"

	"hbcheck.dev/hbcheck/hbtest"
)

func main() {
	n := hbtest.Choose(4)
	hbtest.Assume(n != 2)
	fmt.Println(n, hbtest.Bool(), hbtest.Pick("a", "b"), hbtest.Running())
}
