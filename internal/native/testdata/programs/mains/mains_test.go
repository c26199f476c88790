// Package mains has a TestMain that does something before and after the tests.
package mains

import (
	"fmt"
	"os"
	"testing"
)

var ready bool

func TestMain(m *testing.M) {
	ready = true
	code := m.Run()
	fmt.Println("> code", code)
	os.Exit(code)
}

func TestReady(t *testing.T) {
	fmt.Println(">", ready)
}

func TestFails(t *testing.T) { t.Fail() }
