package main

import (
	"os"
	"syscall"
)

var setConsoleMode = syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")

// escapes reports whether the terminal f obeys escape sequences. A Windows console must be switched to the
// mode for escape sequences.
func escapes(f *os.File) bool {
	const enableVirtualTerminalProcessing = 4
	var mode uint32
	console := syscall.Handle(f.Fd())
	if err := syscall.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	if mode&enableVirtualTerminalProcessing != 0 {
		return true
	}
	ok, _, _ := setConsoleMode.Call(uintptr(console), uintptr(mode|enableVirtualTerminalProcessing))
	return ok != 0
}
