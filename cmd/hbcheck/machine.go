package main

import (
	"errors"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
)

// builder makes the machines that entries are explored in.
func builder(*load.Program, *load.Entry) (explore.Machine, error) {
	return nil, errors.New("this build has no machine yet")
}
