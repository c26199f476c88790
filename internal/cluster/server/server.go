//go:build cluster

// Package server is the NATS server inside this process. A program that imports it has one (jetstream.Serve).
package server

import (
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
)

func init() { jetstream.Serve = serve }

// maxPayload is the largest size of a message.
const maxPayload = 8 << 20

// startTime is how long a server may take to read its data.
const startTime = time.Minute

// inside is a server that runs.
type inside struct{ *server.Server }

func (s inside) Address() string { return s.Addr().String() }

func (s inside) Stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// serve is jetstream.Serve.
func serve(a jetstream.Address, dir string) (jetstream.Server, error) {
	opts := &server.Options{ServerName: "hbcheck", Host: a.Host, Port: a.Port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
		DisableJetStreamBanner: true, MaxPayload: maxPayload, Authorization: a.Secret}
	if a.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("cluster %v: %w", a, err)
	}
	var said logged
	s.SetLoggerV2(&said, false, false, false)
	go s.Start()
	for end := time.Now().Add(startTime); !s.ReadyForConnections(100 * time.Millisecond); {
		if text := said.last(); text != "" || time.Now().After(end) {
			s.Shutdown()
			return nil, fmt.Errorf("cluster %v: the server does not start: %s", a, text)
		}
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("cluster %v: the server does not start JetStream in %s: %s", a, dir, said.last())
	}
	return inside{s}, nil
}
