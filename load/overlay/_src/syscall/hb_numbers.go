package syscall

// In a program that cannot see the numbers of descriptors, opening a file does not take the
// smallest one that is free, but one of the goroutine's own. So goroutines that open other files do
// not notice when a file is opened or closed. Pipes have small numbers in every program.
//
// Claim: a program has the same outcomes with these numbers, up to its descriptors' numbers.
//
//  1. A number is a name: the functions here and in hb_files.go compare it with others, and package
//     internal/poll keeps it. Package os and its users have an FD, which does not use the number after
//     it was closed.
//  2. A program sees a number, or gives one, only by functions that hbShows knows (load, facts.go).
//  3. A number is made of the goroutine's path and of the files that it has opened and not closed itself.
//     So it does not depend on what others do, and neither does the list, which is sorted. (A loop that
//     opens a file and closes it has the same number each time, so that states repeat.)

// hbFirst is the first of these numbers; a pointer of the machine is smaller.
const hbFirst = 1 << 61

// hbTook is an open file and its number.
type hbTook struct {
	fd   int
	f    *hbFile
	next *hbTook
}

// hbTooks is sorted by fd.
var hbTooks *hbTook

// hbShows reports whether the program can see numbers of descriptors.
func hbShows() bool

// hbNumber returns a number from hbFirst on that no other open file has.
func hbNumber() int

// hbReturn gives number fd back if the goroutine got it itself.
func hbReturn(fd int)

// hbTake gives f a number of its own.
func hbTake(f *hbFile) int {
	x := &hbTook{fd: hbNumber(), f: f}
	at := &hbTooks
	for *at != nil && (*at).fd < x.fd {
		at = &(*at).next
	}
	x.next, *at = *at, x
	return x.fd
}

// hbTaken returns the open file with number fd.
func hbTaken(fd int) (*hbFile, error) {
	for x := hbTooks; x != nil; x = x.next {
		if x.fd == fd {
			return x.f, nil
		}
	}
	return nil, EBADF
}

// hbRelease frees the number fd of an open file.
func hbRelease(fd int) {
	for at := &hbTooks; *at != nil; at = &(*at).next {
		if (*at).fd == fd {
			*at = (*at).next
			hbReturn(fd)
			return
		}
	}
}

// hbOpenFiles returns the open files, perhaps with nils among them.
func hbOpenFiles() []*hbFile {
	list := append([]*hbFile(nil), hbFiles...)
	for x := hbTooks; x != nil; x = x.next {
		list = append(list, x.f)
	}
	return list
}
