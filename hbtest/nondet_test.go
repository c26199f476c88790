package hbtest

import (
	"math/rand"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// TestZero: without the tool and without HBTEST_SEED inputs are zero.
func TestZero(t *testing.T) {
	if os.Getenv("HBTEST_SEED") != "" {
		t.Skip("HBTEST_SEED is set")
	}
	type level uint8
	if Nondet[int]() != 0 || Nondet[bool]() || Nondet[level]() != 0 || Nondet[string]() != "" || len(Bytes(3)) != 0 {
		t.Error("not zero")
	}
}

// TestSeed: with HBTEST_SEED inputs are random, and the same for the same number.
func TestSeed(t *testing.T) {
	if os.Getenv("HBTEST_SEED") != "" {
		for range 20 {
			os.Stdout.WriteString(reflect.ValueOf(Nondet[int16]()).String() + strings.Repeat("x", int(uint8(Nondet[uint8]()))) + "\n")
		}
		return
	}
	once := func(seed string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSeed$")
		cmd.Env = append(os.Environ(), "HBTEST_SEED="+seed)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(out), "PASS")
		return text
	}
	if a, b := once("1"), once("1"); a != b {
		t.Errorf("the same seed, other values: %q and %q", a, b)
	}
	if once("1") == once("2") {
		t.Error("another seed, the same values")
	}
}

// TestFill: all kinds of values, among them negative and large ones.
func TestFill(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var x struct {
		a int8
		b uint64
		c bool
		d string
		e []int8
	}
	negative, large, yes, long := false, false, false, 0
	for range 100 {
		fill(reflect.ValueOf(&x.d).Elem(), r)
		fill(reflect.ValueOf(&x.e).Elem(), r)
		long = max(long, len(x.d)+len(x.e))
		fill(reflect.ValueOf(&x.a).Elem(), r)
		fill(reflect.ValueOf(&x.b).Elem(), r)
		fill(reflect.ValueOf(&x.c).Elem(), r)
		negative, large, yes = negative || x.a < 0, large || x.b > 1<<62, yes || x.c
	}
	if long < 5 || long > 8 {
		t.Errorf("strings and slices of together %d elements at most", long)
	}
	if !negative || !large || !yes {
		t.Errorf("negative %v, large %v, true %v", negative, large, yes)
	}
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "float64") {
			t.Errorf("panic %q, want one that names float64", s)
		}
	}()
	f := 1.0
	fill(reflect.ValueOf(&f).Elem(), r)
}
