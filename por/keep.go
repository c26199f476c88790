package por

// A Keeper saves a search, so that another process can continue it. The state of a search is the data of the
// procedures on its stack: the explorer to which it fell back, the assumptions of its reduction,
// and the data of the explorer itself. Each enters its data (see package saved), from the outside in:
//
//	Explorer.Explore    which of its fallbacks explores
//	└ hb.Refine         the relation
//	  └ run             everything else, and the moment of saving
//
// When a search is resumed, Enter fills the data with the saved contents. So each procedure is where it
// was, and calls the next one. The last one brings the system to its saved state, and calls Arrived.
//
// A search is saved only between two of its steps, where its data are complete: the moment
// makes no difference to its later steps.
type Keeper interface {
	// Enter adds the variable to which data points to the saved ones. It reports whether it was filled.
	Enter(data any) (resumed bool)
	// Leave removes the variable that was entered last.
	Leave()
	// Due reports whether the search should be saved as soon as possible.
	Due() bool
	// Save saves the search.
	Save()
	// Abandon is called if the search must end before it has reached its saved state. It does not
	// return.
	Abandon()
	// Arrived is called when the system has reached the state in which the search was saved.
	Arrived()
}

// Enter adds data to the saved variables, if there is a Keeper, until leave is called.
func (c *Config) Enter(data any) (resumed bool, leave func()) {
	if c.Keeper == nil {
		return false, func() {}
	}
	return c.Keeper.Enter(data), c.Keeper.Leave
}
