package por

// A Keeper saves a search, so that another process can go on with it. A search is what is on the stack of
// the procedures that it consists of: which explorer it fell back to, what its reduction assumes by now,
// and the data of the explorer itself. Each enters its data (see package saved), from the outside in:
//
//	Explorer.Explore    which of its fallbacks explores
//	└ hb.Refine         the relation
//	  └ run             everything else; from here it is saved
//
// Where a search is gone on with, Enter fills the data with what was saved. So each procedure is where it
// was, and calls the next one. The last one brings the system to where it was, and says so (Arrived).
//
// A search is saved between two steps of its own only, where its data says all there is: when it is saved
// makes no difference to what it does.
type Keeper interface {
	// Enter adds what data points to, to what is saved. It reports whether it was filled.
	Enter(data any) (resumed bool)
	// Leave takes away what was entered last.
	Leave()
	// Due reports whether the search is to be saved as soon as it can be.
	Due() bool
	// Save saves it.
	Save()
	// Arrived says that the system is in the state again in which the search was saved.
	Arrived()
}

// Enter adds data to what is saved, if anything is, until leave is called.
func (c *Config) Enter(data any) (resumed bool, leave func()) {
	if c.Keeper == nil {
		return false, func() {}
	}
	return c.Keeper.Enter(data), c.Keeper.Leave
}
