package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// An Address is the address of a cluster, with credentials. The key prefix may also follow the question
// mark.
//
//	:4222                 a server inside this process, which listens on this port
//	SECRET@:4222          the same, for those who know the secret
//	nats://user:password@host:4222,nats://other:4222?creds=FILE&nkey=FILE&ca=FILE&cert=FILE&key=FILE
type Address struct {
	Inside bool
	Host   string // of the server inside this process
	Port   int    // 0: any
	Secret string
	URL    string // of the user's server
	Prefix string
	files  url.Values
}

// ParseAddress parses an address.
func ParseAddress(s string) (a Address, err error) {
	a.Prefix = "hbcheck"
	bad := func(why string) (Address, error) { return a, fmt.Errorf("%s: %s", s, why) }
	if strings.Contains(s, "://") {
		list, query, _ := strings.Cut(s, "?")
		for _, one := range strings.Split(list, ",") {
			u, err := url.Parse(strings.TrimSpace(one))
			if err != nil || u.Host == "" {
				return bad("want nats://host:port")
			}
			switch u.Scheme {
			case "nats", "tls", "ws", "wss":
			default:
				return bad("want nats://, tls://, ws:// or wss://")
			}
		}
		a.URL = list
		if a.files, err = url.ParseQuery(query); err != nil {
			return bad(err.Error())
		}
		for k, v := range a.files {
			switch {
			case k == "prefix" && validPrefix(v[0]):
				a.Prefix = v[0]
			case k == "prefix":
				return bad("a prefix has letters, digits and underscores")
			case k != "creds" && k != "nkey" && k != "ca" && k != "cert" && k != "key":
				return bad("want creds, nkey, ca, cert, key or prefix after ?, not " + k)
			}
		}
		if (a.files.Get("cert") == "") != (a.files.Get("key") == "") {
			return bad("cert and key belong together")
		}
		return a, nil
	}
	a.Inside = true
	at := strings.LastIndexByte(s, '@')
	if at >= 0 {
		a.Secret = s[:at]
	}
	host, port, err := net.SplitHostPort(s[at+1:])
	if err != nil {
		return bad("want :port, host:port or nats://host:port")
	}
	if a.Port, err = strconv.Atoi(port); err != nil || a.Port < 0 || a.Port > 65535 {
		return bad("want a number as the port")
	}
	a.Host = host
	return a, nil
}

func validPrefix(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// String returns the address without secrets.
func (a Address) String() string {
	if a.Inside {
		return net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	}
	var list []string
	for _, one := range strings.Split(a.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			u.User = nil
			list = append(list, u.String())
		}
	}
	return strings.Join(list, ",")
}

// Options say how to connect.
type Options struct {
	Name    string        // of this client, for the server's lists
	Dir     string        // for the data of a server inside this process
	AckWait time.Duration // 0: DefaultAckWait
	// Waiting is called once if there is no server yet; then Connect waits for one. nil: that is an error.
	Waiting func(err error)
}

// Connect starts the server, if it is inside, and connects to it.
func Connect(ctx context.Context, a Address, o Options) (*Cluster, error) {
	c := &Cluster{prefix: a.Prefix, ackWait: o.AckWait, Address: a.String()}
	if c.ackWait == 0 {
		c.ackWait = DefaultAckWait
	}
	opts := []nats.Option{nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 500*time.Millisecond), nats.Timeout(5 * time.Second), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	for k, v := range a.files {
		switch k {
		case "creds":
			opts = append(opts, nats.UserCredentials(v[0]))
		case "nkey":
			opt, err := nats.NkeyOptionFromSeed(v[0])
			if err != nil {
				return nil, fmt.Errorf("cluster: nkey=%s: %w", v[0], err)
			}
			opts = append(opts, opt)
		case "ca":
			opts = append(opts, nats.RootCAs(v[0]))
		case "cert":
			opts = append(opts, nats.ClientCert(v[0], a.files.Get("key")))
		}
	}
	where := a.URL
	if a.Inside {
		if Serve == nil {
			return nil, ErrNoServer
		}
		s, err := Serve(a, o.Dir)
		if err != nil {
			return nil, err
		}
		c.stop, c.Address = s.Stop, s.Address()
		opts = append(opts, nats.InProcessServer(s), nats.Token(a.Secret))
		where = ""
	}
	var err error
	for told := false; ; {
		if c.conn, err = nats.Connect(where, opts...); err == nil {
			err = c.open(ctx)
			if err == nil {
				return c, nil
			}
			c.conn.Close()
		}
		if ctx.Err() != nil || o.Waiting == nil || final(err) || !unreachable(err) {
			break
		}
		if !told {
			o.Waiting(fmt.Errorf("cluster %s: %w", c.Address, err))
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
	if c.stop != nil {
		c.stop()
	}
	return nil, fmt.Errorf("cluster %s: %w", c.Address, err)
}

// unreachable reports whether Connect may succeed after this error once the server has started.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &op) ||
		errors.Is(err, nats.ErrNoResponders)
}

// A Server is one inside this process.
type Server interface {
	nats.InProcessConnProvider
	Address() string
	Stop()
}

// Serve starts a server that keeps its data in dir. It is nil in a build without a server: package server
// (internal/cluster/server) sets it, and adds 20 MB to a binary.
var Serve func(a Address, dir string) (Server, error)

// ErrNoServer is the error of a build without a server.
var ErrNoServer = errors.New("this build of hbcheck has no NATS server inside: build one with go install -tags cluster ./cmd/hbcheck, or name a server that runs: --cluster nats://HOST:4222")
