// Programs about what the distribution has in assembly.
package libs

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/md5"
	crand "crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"fmt"
	"hash"
	"hash/crc32"
	"math/big"
	"math/rand"
)

// Kernels: hashes, ciphers, curves and numbers come to the same.
func Kernels() {
	r := rand.New(rand.NewSource(1))
	text := func(n int) []byte { b := make([]byte, n); r.Read(b); return b }
	sum := sha256.New()
	for i, h := range []hash.Hash{md5.New(), sha1.New(), sha256.New(), sha512.New(), sha512.New384(), sha256.New224(), sha3.New256(), sha3.New512(),
		crc32.NewIEEE(), crc32.New(crc32.MakeTable(crc32.Castagnoli)), crc32.New(crc32.MakeTable(crc32.Koopman))} {
		for n := range 30 {
			h.Write(text(n * 17))
			sum.Write(h.Sum(nil))
		}
		fmt.Printf("%d %x\n", i, h.Sum(nil))
	}
	for _, n := range []int{16, 24, 32} {
		c, _ := aes.NewCipher(text(n))
		g, _ := cipher.NewGCM(c)
		for k := range 5 {
			nonce := text(12)
			sealed := g.Seal(nil, nonce, text(k*23), text(k*7))
			sum.Write(sealed)
			b := text(16)
			c.Decrypt(b, b)
			sum.Write(b)
			dst := text(64)
			cipher.NewCBCDecrypter(c, text(16)).CryptBlocks(dst, dst)
			sum.Write(dst)
			cipher.NewCTR(c, text(16)).XORKeyStream(dst, dst)
			sum.Write(dst)
		}
		fmt.Printf("aes %d %x\n", n, sum.Sum(nil))
	}
	for range 2 {
		a, err := ecdh.P256().NewPrivateKey(append([]byte{0}, text(31)...))
		b, err2 := ecdh.P256().NewPrivateKey(append([]byte{0}, text(31)...))
		s, err3 := a.ECDH(b.PublicKey())
		fmt.Printf("%x %v %v %v\n", s, err, err2, err3)
		x, _ := ecdh.X25519().NewPrivateKey(text(32))
		y, _ := ecdh.X25519().NewPrivateKey(text(32))
		s, _ = x.ECDH(y.PublicKey())
		fmt.Printf("%x\n", s)
	}
	k := ed25519.NewKeyFromSeed(text(32))
	sig := ed25519.Sign(k, text(100))
	fmt.Printf("%x\n", sig)
	key := &rsa.PrivateKey{}
	key.E = 65537
	P, _ := new(big.Int).SetString("fbb6ea0b01424b2e57f7f7cbecb139853175e0392b4356db4b51708b4382fb5123c296b9afcb23c5b5405b2838c130e71d4a46d0079cc70a541c5cb365be5891", 16)
	Q, _ := new(big.Int).SetString("f6cc935362ae3294ce5371ab7b74a242bcb93c6255e4452d11ef406fa3fccac8fcc446ba4c043449dc4719d751c6b004fdc4585fce19e9d2ddc03e67d4d6dd9d", 16)
	one := big.NewInt(1)
	key.N = new(big.Int).Mul(P, Q)
	phi := new(big.Int).Mul(new(big.Int).Sub(P, one), new(big.Int).Sub(Q, one))
	key.D = new(big.Int).ModInverse(big.NewInt(65537), phi)
	key.Primes = []*big.Int{P, Q}
	key.Precompute()
	h := sha256.Sum256([]byte("x"))
	s, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, h[:])
	fmt.Printf("%x %v %v\n", s, err, rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, h[:], s))
}

// KeyMade: a key of random primes is a key. Its exponent is divided by a common factor of both.
func KeyMade() {
	key, err := rsa.GenerateKey(crand.Reader, 1024)
	if err != nil {
		panic(err)
	}
	h := sha256.Sum256([]byte("x"))
	s, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, h[:])
	fmt.Println(err, key.Validate(), rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, h[:], s))
	for _, p := range key.Primes {
		fmt.Println(p.BitLen())
	}
}

// HashRace: a buffer is hashed while it is written to.
//
//native:race
func HashRace() {
	b := make([]byte, 64)
	done := make(chan bool)
	go func() { b[7] = 1; done <- true }()
	sha256.Sum256(b)
	<-done
	fmt.Print(len(b))
}

// SumRace: so is one that is summed.
//
//native:race
func SumRace() {
	b := make([]byte, 64)
	done := make(chan bool)
	go func() { b[7] = 1; done <- true }()
	crc32.ChecksumIEEE(b)
	<-done
	fmt.Print(len(b))
}

// CipherRace: a block is read while it is encrypted.
//
//native:race
func CipherRace() {
	c, _ := aes.NewCipher(make([]byte, 16))
	b := make([]byte, 16)
	done := make(chan bool)
	go func() { c.Encrypt(b, make([]byte, 16)); done <- true }()
	_ = b[3] == 7
	<-done
	fmt.Print(len(b))
}

// Hashes of one buffer are no race.
func Hashes() {
	b := make([]byte, 64)
	done := make(chan [32]byte)
	go func() { done <- sha256.Sum256(b) }()
	x := sha256.Sum256(b)
	fmt.Print(x == <-done)
}
