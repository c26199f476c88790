package small

import (
	"fmt"
	"os"
	"time"
)

var t0 = time.Now()

func dbg(f string, a ...any) {
	if os.Getenv("SMALLDBG") != "" {
		fmt.Fprintf(os.Stderr, "%7.2f "+f+"\n", append([]any{time.Since(t0).Seconds()}, a...)...)
	}
}
