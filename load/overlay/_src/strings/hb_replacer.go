package strings

// hbReplacer returns a Replacer that has chosen its algorithm. Otherwise the goroutines that use it first would
// be explored in all orders: the choice depends on the strings only.
func hbReplacer(oldnew []string) *Replacer {
	r := &Replacer{oldnew: oldnew}
	r.once.Do(r.buildOnce)
	return r
}
