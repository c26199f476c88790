package bench

import "strconv"

// smcPrograms returns the suite smc: parametric programs on which stateless model checkers
// are compared, with formulae for their numbers of executions. Where there is no formula, the
// numbers are those of GenMC and Nidhugg, which agree.
func smcPrograms() []CountedProgram {
	var list []CountedProgram
	add := func(program, args string, classes, rf uint64) {
		t := CountedProgram{Suite: "smc", Program: program, Args: args, Large: classes > 6000, Classes: classes, RF: rf}
		if n := rateGenMC[t.Name()]; n > 0 {
			t.Published = append(t.Published, Count{"GenMC", "executions/s", n})
		}
		if n := rateNidhugg[t.Name()]; n > 0 {
			t.Published = append(t.Published, Count{"Nidhugg", "executions/s", n})
		}
		list = append(list, t)
	}
	// each adds a program for sizes up to the first one with more than 100,000 executions.
	each := func(program, more string, from int, classes, rf func(n int) uint64) {
		for n := from; ; n++ {
			var known uint64
			if rf != nil {
				known = rf(n)
			}
			c := classes(n)
			add(program, strconv.Itoa(n)+more, c, known)
			if c > 100_000 {
				return
			}
		}
	}
	same := func(f func(int) uint64) (a, b func(int) uint64) { return f, f }
	count := func(n int) uint64 { return uint64(n) }

	c, rf := same(func(n int) uint64 { return 1 << n })
	each("readers", "", 2, c, rf)
	each("nwriters", "", 2, func(n int) uint64 { return factorial(n + 1) }, func(n int) uint64 { return uint64(n + 1) })
	each("lastwrite", "", 2, factorial, count)
	c, rf = same(func(n int) uint64 { return uint64(n+3) << (n - 2) })
	each("lastzero", "", 2, c, rf)
	c, rf = same(casrot)
	each("casrot", "", 2, c, rf)
	add("casw", "3", 66, 24)
	add("casw", "4", 1200, 200)
	c, rf = same(func(n int) uint64 { return uint64(n)<<(n-1) + 1 })
	each("wcas", "", 2, c, rf)
	c, rf = same(factorial)
	each("ainc", "", 2, c, rf)
	each("lockinc", "", 2, c, rf)
	c, rf = same(func(n int) uint64 { return factorial(n) * factorial(n) })
	each("incs", " 2", 2, c, rf)
	each("inc", "", 2, c, nil)
	c, rf = same(func(n int) uint64 { return factorial(n) * factorial(n) * factorial(n) })
	each("incs", " 3", 2, c, rf)
	for i, n := range []uint64{11, 140, 1698, 19_605, 218_243} {
		add("fibbench", strconv.Itoa(i+1), n, n)
	}
	each("sigma", "", 2, doubleFactorial, factorial)
	for i, n := range []uint64{4, 15, 130, 2028, 49_776} {
		add("coa", strconv.Itoa(i+1), n, []uint64{0, 12, 0, 48, 0}[i])
	}
	add("big", "7 3", 69_112, 69_112)
	add("big", "8 6", 1_820_474, 1_820_474)
	add("exponentialbug", "3", 36_570, 3634)
	add("raceparametric", "4", 3334, 1107)
	add("szymanski", "2", 22_945, 22_945)
	add("dekker", "2", 1599, 1599)
	for n := 11; n <= 16; n++ {
		add("indexer", strconv.Itoa(n), 1<<(3*(n-11)), 1<<(3*(n-11)))
	}
	for n := 13; n <= 26; n += 3 {
		add("filesystem", strconv.Itoa(n), 1<<(n-13), 1<<(n-13))
	}
	return list
}

// The executions in a second of processor time of GenMC 0.11 (sequential consistency, without its
// approximations for awaits and symmetry), and of the quickest mode of Nidhugg (revision 0aea4d23)
// that counts Mazurkiewicz classes, on the C programs. Measured by us on a computer like those of
// our tests.
var (
	rateGenMC = map[string]uint64{
		"readers 13": 36_000, "readers 15": 35_000, "lastzero 10": 26_000, "lastzero 13": 25_000, "lastzero 15": 19_000,
		"fibbench 4": 61_000, "fibbench 5": 185_000, "big 7 3": 256_000, "big 8 6": 212_000, "coa 5": 249_000,
		"exponentialbug 3": 203_000, "szymanski 2": 45_000, "dekker 2": 32_000, "sigma 6": 69_000, "casrot 8": 51_000,
		"casw 4": 40_000, "ainc 7": 36_000, "ainc 8": 38_000, "lastwrite 6": 24_000, "nwriters 6": 84_000,
		"raceparametric 4": 19_000, "indexer 14": 410, "lockinc 7": 19_000,
	}
	rateNidhugg = map[string]uint64{
		"readers 13": 3900, "lastzero 10": 6200, "fibbench 4": 16_000, "fibbench 5": 16_000, "big 7 3": 20_000,
		"exponentialbug 3": 14_000, "szymanski 2": 10_800, "dekker 2": 11_000, "sigma 6": 10_700, "casrot 8": 10_000,
		"casw 4": 17_000, "ainc 7": 22_000, "lastwrite 6": 14_000, "nwriters 6": 12_000, "raceparametric 4": 4600,
		"indexer 14": 650, "lockinc 7": 13_000,
	}
)

func factorial(n int) uint64 {
	f := uint64(1)
	for i := 2; i <= n; i++ {
		f *= uint64(i)
	}
	return f
}

// doubleFactorial returns 1·3·5···(2n-1).
func doubleFactorial(n int) uint64 {
	f := uint64(1)
	for i := 3; i < 2*n; i += 2 {
		f *= uint64(i)
	}
	return f
}

// casrot returns the sum over k of (k+1)^(n-k) - k^(n-k), for k from 0 to n-1.
func casrot(n int) uint64 {
	power := func(b, e int) uint64 {
		p := uint64(1)
		for range e {
			p *= uint64(b)
		}
		return p
	}
	var sum uint64
	for k := range n {
		sum += power(k+1, n-k) - power(k, n-k)
	}
	return sum
}
