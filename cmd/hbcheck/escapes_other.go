//go:build !windows

package main

import "os"

// escapes reports whether the terminal f obeys escape sequences.
func escapes(*os.File) bool { return true }
