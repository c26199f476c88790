package main

import (
	"fmt"
	"os"

	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	_ "hbcheck.dev/hbcheck/internal/cluster/server"
)

// asServer is the environment variable with which the tests are a NATS server, at the address that is the
// argument: it has the directory of its data.
const asServer = "HBCHECK_TEST_SERVER"

// otherBuildVariable makes a process of the tests one of another build.
const otherBuildVariable = "HBCHECK_TEST_BUILD"

// serveTests is a NATS server until it is killed.
func serveTests(address, dir string) {
	a, err := jetstream.ParseAddress(address)
	if err == nil {
		_, err = jetstream.Serve(a, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	select {}
}
