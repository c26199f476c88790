//go:build cluster

package main

// With the tag cluster there is a NATS server in the binary, for --cluster :4222.
import _ "hbcheck.dev/hbcheck/internal/cluster/server"
