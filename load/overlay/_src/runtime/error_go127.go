//go:build go1.27

package runtime

const hbPanicNilText = "runtime error: panic called with nil argument"
