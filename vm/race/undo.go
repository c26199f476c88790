package race

// saved is the value of entry n of a table before it changed.
type saved[T any] struct {
	n   uint32
	old T
}

// A Mark is a point Rewind can return to. Marks are used last-in first-out.
type Mark struct {
	epoch                         uint64
	clocks                        space[clock]
	times                         space[uint32]
	parts                         space[*chunk]
	chunks                        space[chunk]
	lists                         space[entry]
	threads, cells, vars          uint32
	threadUndo, cellUndo, varUndo uint32
}

// Mark opens a point to return to.
func (d *Detector) Mark() Mark {
	k := Mark{d.epoch, d.clocks.space, d.times.space, d.parts.space, d.chunks.space, d.lists.space, uint32(len(d.threads)), uint32(len(d.cells)), uint32(len(d.vars)),
		uint32(len(d.threadUndo)), uint32(len(d.cellUndo)), uint32(len(d.varUndo))}
	d.newEpoch()
	return k
}

// newEpoch begins a stretch in which everything has to be saved again before it changes.
func (d *Detector) newEpoch() {
	d.lastEpoch++
	d.epoch = d.lastEpoch
}

// Rewind returns to k, which stays open. There are no races to report then.
func (d *Detector) Rewind(k *Mark) {
	d.threadUndo = undo(d.threads, d.threadUndo, k.threadUndo)
	d.cellUndo = undo(d.cells, d.cellUndo, k.cellUndo)
	d.varUndo = undo(d.vars, d.varUndo, k.varUndo)
	d.threads = d.threads[:k.threads]
	if len(d.cells) > int(k.cells) {
		clear(d.cells[k.cells:]) // lists are the host's
		d.cells = d.cells[:k.cells]
		d.cellAt.truncate(int(k.cells))
	}
	if len(d.vars) > int(k.vars) {
		clear(d.vars[k.vars:])
		d.vars = d.vars[:k.vars]
		d.varAt.truncate(int(k.vars))
	}
	d.clocks.rewind(k.clocks)
	d.times.rewind(k.times)
	d.parts.rewind(k.parts)
	d.chunks.rewind(k.chunks)
	d.lists.rewind(k.lists)
	d.Clear()
	d.newEpoch()
}

// Drop closes k and keeps the present state.
func (d *Detector) Drop(k *Mark) { d.epoch = k.epoch }

// undo takes back the changes of table that are logged after the first n.
func undo[T any](table []T, log []saved[T], n uint32) []saved[T] {
	for i := len(log) - 1; i >= int(n); i-- {
		table[log[i].n] = log[i].old
	}
	clear(log[n:])
	return log[:n]
}

// Sweep forgets everything about the objects that are freed: their numbers may be given to others.
func (d *Detector) Sweep(freed func(obj uint32) bool) {
	for n, l := range d.cellAt.locs {
		if freed(l.obj()) {
			c := d.cell(uint32(n))
			*c = cell{saved: c.saved}
		}
	}
	for _, l := range d.varAt.locs {
		if freed(l.obj()) {
			v := d.variable(l)
			*v = syncVar{saved: v.saved}
		}
	}
}

// Bytes returns how much memory the detector holds, roughly.
func (d *Detector) Bytes() int64 {
	records := cap(d.cells) + cap(d.cellUndo) + cap(d.vars) + cap(d.varUndo)
	slots := len(d.cellAt.slots) + len(d.varAt.slots) + len(d.Stacks.slots)
	return 64*int64(records) + 12*int64(slots)
}
