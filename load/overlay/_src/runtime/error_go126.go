//go:build !go1.27

package runtime

const hbPanicNilText = "panic called with nil argument"
