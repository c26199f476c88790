package strings

// hbReplacer returns a Replacer that has chosen its algorithm, which depends only on the strings. If the
// first use chose it, the first uses by several goroutines would be explored in all orders.
func hbReplacer(oldnew []string) *Replacer {
	r := &Replacer{oldnew: oldnew}
	r.once.Do(r.buildOnce)
	return r
}
