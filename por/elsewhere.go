package por

// An Elsewhere explores pieces of a search in other processes, which have systems of the same program. A
// piece and its result are bytes. These mean the same in all processes, because a process refuses a piece in
// which the program does something new to the system of the search (for example, starts a goroutine without a
// number).
//
// A piece that is refused, or lost, is explored by the search itself. So an Elsewhere that does nothing
// changes nothing.
type Elsewhere interface {
	// Workers returns the largest number of pieces that are explored at the same time.
	Workers() int
	// Acquire waits until another process has room for a piece, and reports whether one has. It returns
	// false when over is closed. The next Explore takes the room.
	Acquire(over <-chan struct{}) bool
	// TryAcquire is Acquire without waiting.
	TryAcquire() bool
	// Release gives back the room that Acquire has reserved, if no piece needs it.
	Release()
	// Note is called when a piece is cut off, by the goroutine that uses the system of the search. The piece
	// may need all numbers that the system has assigned by now.
	Note()
	// Explore returns the result of a piece. ok is false if it was refused, or stop returns true.
	Explore(piece []byte, stop func() bool) (result []byte, ok bool)
	// Publish keeps data for all pieces (Board.Fetch), and returns its number: one more than the last time,
	// or 0 if that failed.
	Publish(data []byte) (number int)
}

// A Board has the data of a process that explores pieces of one search, besides the pieces. The zero value
// is that of a process without earlier pieces.
type Board struct {
	Fetch func(number int) ([]byte, error) // returns what the search has published
	Kept  any                              // data that a piece leaves for the next one
}

// A Sender is a Mergeable whose subsearches can be sent to another process.
type Sender interface {
	Mergeable
	// Encode returns the reports that p has received, as bytes; Decode is its inverse.
	Encode(p Subsearch) ([]byte, error)
	Decode(data []byte) (Subsearch, error)
	// A search may first work undivided, and then only in subsearches on the same system. It calls Divide
	// once, between the two.
	Divide()
}

// A PieceSearch explores a piece on a system in the initial state of the search, and returns the
// result; nil if Config.Poll stopped it. After due has returned true, it returns the unexplored
// rest as soon as this rest is small enough.
type PieceSearch func(sys System, v Sender, cfg Config, piece []byte, due func() bool) (result []byte, err error)

// Sends returns v as a Sender, if the pieces of the search are to be explored elsewhere, too.
func (c *Config) Sends(v Visitor) (s Sender, ok bool) {
	if c.Elsewhere == nil {
		return nil, false
	}
	s, ok = v.(Sender)
	return s, ok
}
