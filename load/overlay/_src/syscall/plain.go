package syscall

// What reads and writes memory of the program.

// taken returns what p holds.
func taken(p []byte) []byte { return append(make([]byte, 0, len(p)), p...) }

func fill(p, b []byte) int { return copy(p, b) }

func fillStat(stat, st *Stat_t) { *stat = *st }

func Uname(buf *Utsname) (err error) {
	*buf = Utsname{}
	set := func(field *[65]int8, s string) {
		for i := range len(s) {
			field[i] = int8(s[i])
		}
	}
	set(&buf.Sysname, "Linux")
	set(&buf.Nodename, "localhost")
	set(&buf.Release, "6.1.0")
	set(&buf.Version, "#1")
	set(&buf.Machine, "x86_64")
	return nil
}
