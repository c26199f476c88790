//go:build cluster

package server_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"hbcheck.dev/hbcheck/internal/cluster"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
)

// start starts a server as users have one, and returns its port.
func start(t *testing.T, o *server.Options) int {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog, o.JetStream, o.StoreDir = "127.0.0.1", -1, true, true, true, filepath.Join(t.TempDir(), "data")
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.Addr().(*net.TCPAddr).Port
}

func dial(t *testing.T, port int, query string) (*jetstream.Cluster, error) {
	t.Helper()
	a, err := jetstream.ParseAddress(fmt.Sprintf("nats://127.0.0.1:%d%s", port, query))
	if err != nil {
		t.Fatal(err)
	}
	c, err := jetstream.Connect(t.Context(), a, jetstream.Options{})
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

// TestCredentials: a server with accounts takes a client with a credentials file of one of its users, and
// refuses one of another operator, one that has expired, and none.
func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	type operator struct {
		key     nkeys.KeyPair
		claims  string
		account nkeys.KeyPair
		public  string // of the account
		token   string // of the account
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	public := func(k nkeys.KeyPair) string {
		p, err := k.PublicKey()
		check(err)
		return p
	}
	newOperator := func() (o operator) {
		var err error
		o.key, err = nkeys.CreateOperator()
		check(err)
		o.claims, err = jwt.NewOperatorClaims(public(o.key)).Encode(o.key)
		check(err)
		o.account, err = nkeys.CreateAccount()
		check(err)
		o.public = public(o.account)
		claims := jwt.NewAccountClaims(o.public)
		claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
		o.token, err = claims.Encode(o.key)
		check(err)
		return o
	}
	file := func(name string, o operator, expires int64) string {
		user, err := nkeys.CreateUser()
		check(err)
		claims := jwt.NewUserClaims(public(user))
		claims.Expires = expires
		token, err := claims.Encode(o.account)
		check(err)
		seed, err := user.Seed()
		check(err)
		text, err := jwt.FormatUserConfig(token, seed)
		check(err)
		name = filepath.Join(dir, name)
		check(os.WriteFile(name, text, 0o600))
		return name
	}
	ours, system, theirs := newOperator(), "", newOperator()
	key, err := nkeys.CreateAccount()
	check(err)
	system = public(key)
	token, err := jwt.NewAccountClaims(system).Encode(ours.key)
	check(err)
	resolver := &server.MemAccResolver{}
	check(resolver.Store(ours.public, ours.token))
	check(resolver.Store(system, token))
	claims, err := jwt.DecodeOperatorClaims(ours.claims)
	check(err)
	port := start(t, &server.Options{TrustedOperators: []*jwt.OperatorClaims{claims}, SystemAccount: system, AccountResolver: resolver})
	c, err := dial(t, port, "?creds="+file("ours.creds", ours, 0))
	check(err)
	if won, err := c.Run(t.Context(), build, "run").Commit("t", cluster.Record{}); !won || err != nil {
		t.Errorf("%v, %v", won, err)
	}
	for query, want := range map[string]string{
		"?creds=" + file("theirs.creds", theirs, 0):               "Authorization",
		"?creds=" + file("old.creds", ours, time.Now().Unix()-60): "Authorization",
		"?creds=" + filepath.Join(dir, "none.creds"):              "no such file",
		"": "Authorization",
	} {
		if _, err := dial(t, port, query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}

// TestSmallMessages: whatever is larger than the largest message of a server travels as an object.
func TestSmallMessages(t *testing.T) {
	c, err := dial(t, start(t, &server.Options{MaxPayload: 4096}), "")
	if err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 300_000)
	for i := range large {
		large[i] = byte(i * i >> 3)
	}
	for i := 1; i < len(large); i++ {
		large[i] ^= large[i-1]*7 + byte(i>>8)
	}
	run := c.Run(t.Context(), build, "run")
	if err := run.PutProgram(large); err != nil {
		t.Fatal(err)
	}
	if data, err := run.Program(); err != nil || !bytes.Equal(data, large) {
		t.Errorf("%v, %d bytes", err, len(data))
	}
	if won, err := run.Commit("t", cluster.Record{Result: large}); !won || err != nil {
		t.Errorf("%v, %v", won, err)
	}
	if r, ok, err := run.Lookup("t"); !ok || err != nil || !bytes.Equal(r.Result, large) {
		t.Errorf("%v, %v, %d bytes", ok, err, len(r.Result))
	}
	if err := run.Publish(cluster.Task{Name: "u", Data: large}); err != nil {
		t.Fatal(err)
	}
	p, err := c.Puller(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := p.Pull(t.Context()); err != nil || !bytes.Equal(d.Task().Data, large) {
		t.Errorf("%v", err)
	}
}
