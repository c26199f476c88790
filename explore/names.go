package explore

import (
	"fmt"
	"strings"
)

// runtimeName turns a function's name as go/ssa writes it into the one the
// runtime prints: "(*p.T).m$1" becomes "p.(*T).m.func1".
func runtimeName(s string) string {
	s, anon, _ := strings.Cut(s, "$")
	if recv, method, ok := strings.Cut(s, ")."); ok && strings.HasPrefix(s, "(") {
		recv = recv[1:]
		star := strings.HasPrefix(recv, "*")
		recv = strings.TrimPrefix(recv, "*")
		dot := typeDot(recv)
		pkg, name := recv[:dot], elide(recv[dot:])
		if star {
			name = ".(*" + name[1:] + ")"
		}
		s = pkg + name + "." + elide(method)
	} else {
		dot := typeDot(s)
		s = s[:dot] + elide(s[dot:])
	}
	if n, ok := strings.CutPrefix(s[typeDot(s):], ".init#"); ok {
		s = s[:typeDot(s)] + ".init." + fmt.Sprint(atoi(n)-1)
	}
	for i, n := range strings.Split(anon, "$") {
		switch {
		case n == "":
		case i > 0:
			s += "." + n
		case n[0] >= '0' && n[0] <= '9':
			s += ".func" + n
		default:
			s += "-" + n // bound, thunk: the machine's own wrappers
		}
	}
	return s
}

// typeDot returns the index of the dot behind the package path in "path/to/p.Name[T]".
func typeDot(s string) int {
	end := len(s)
	if i := strings.IndexByte(s, '['); i >= 0 {
		end = i
	}
	slash := strings.LastIndexByte(s[:end], '/') + 1
	if i := strings.IndexByte(s[slash:end], '.'); i >= 0 {
		return slash + i
	}
	return 0
}

// elide replaces type arguments by dots, as the runtime does.
func elide(s string) string {
	if i := strings.IndexByte(s, '['); i >= 0 {
		return s[:i] + "[...]"
	}
	return s
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}
