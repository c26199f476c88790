package net

import "syscall"

// Names of Unix stream sockets. A name that begins with @ names no file.

// hbBindUnix binds l to name.
func hbBindUnix(name string, l *hbListener) error {
	if name == "" || name[0] == '@' {
		syscall.HbRefuse("a socket of Unix that is no file")
	}
	return syscall.HbMakeSocket(name, l)
}

// hbFindUnix returns the listener at name.
func hbFindUnix(name string) (*hbListener, error) {
	if name == "" || name[0] == '@' {
		return nil, syscall.ECONNREFUSED
	}
	x, err := syscall.HbSocket(name)
	if err != nil {
		return nil, err
	}
	l, ok := x.(*hbListener)
	if !ok {
		return nil, syscall.ECONNREFUSED
	}
	return l, nil
}
