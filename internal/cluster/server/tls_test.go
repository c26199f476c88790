//go:build cluster

package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"hbcheck.dev/hbcheck/internal/cluster"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
)

// TestTLS: a server of the user's with TLS and NKeys takes a client that has both, and no other.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	ca := write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	seedOf := func(name string) (file, public string) {
		user, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := user.Seed()
		public, _ = user.PublicKey()
		return write(name, seed), public
	}
	seed, public := seedOf("seed")
	other, _ := seedOf("other")
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: filepath.Join(dir, "data"),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}}, TLSTimeout: 10,
		Nkeys: []*server.NkeyUser{{Nkey: public}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	connect := func(query string) (*jetstream.Cluster, error) {
		a, err := jetstream.ParseAddress(fmt.Sprintf("tls://127.0.0.1:%d?%s", s.Addr().(*net.TCPAddr).Port, query))
		if err != nil {
			t.Fatal(err)
		}
		return jetstream.Connect(t.Context(), a, jetstream.Options{})
	}
	c, err := connect("ca=" + ca + "&nkey=" + seed)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if won, err := c.Run(t.Context(), build, "run").Commit("t", cluster.Record{}); !won || err != nil {
		t.Errorf("%v, %v", won, err)
	}
	for query, want := range map[string]string{"nkey=" + seed: "certificate", "ca=" + ca: "Authorization", "ca=" + ca + "&nkey=" + other: "Authorization"} {
		if c, err := connect(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
			if c != nil {
				c.Close()
			}
		}
	}
}
