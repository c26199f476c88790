package trace

// Object is a sort of object that operations are on.
type Object uint8

// The sorts of objects.
const (
	OnNothing Object = iota
	OnMemory         // bytes that programs reach by their address
	OnLock           // a sync.Mutex or a sync.RWMutex
	OnChannel
	OnWaitGroup
	OnOnce
	OnCond
	OnBubble  // the other goroutines of a testing/synctest bubble
	OnLibrary // an object of a package whose model defines its operations
	OnClock
	OnOutput
	OnGoroutines // which goroutines there are

	NumObjects
)

// An ObjectRow has the properties of all operations on a sort of object.
type ObjectRow struct {
	Name string

	// Placed: each object has an address, so that operations on two of them are independent, and an
	// operation depends only on operations on the same object.
	Placed bool

	// Primitive: it serves synchronisation and nothing else. A goroutine that waits at such an object
	// waits for an operation on it, and so for a goroutine that can reach the object.
	Primitive bool
}

// objects is the table.
var objects = [NumObjects]ObjectRow{
	OnNothing:    {Name: "nothing"},
	OnMemory:     {Name: "memory", Placed: true},
	OnLock:       {Name: "lock", Placed: true, Primitive: true},
	OnChannel:    {Name: "channel", Placed: true, Primitive: true},
	OnWaitGroup:  {Name: "WaitGroup", Placed: true, Primitive: true},
	OnOnce:       {Name: "Once", Placed: true, Primitive: true},
	OnCond:       {Name: "Cond", Placed: true, Primitive: true},
	OnBubble:     {Name: "bubble"},
	OnLibrary:    {Name: "library object", Placed: true},
	OnClock:      {Name: "clock"},
	OnOutput:     {Name: "output"},
	OnGoroutines: {Name: "goroutines"},
}

// Row returns the properties of all operations on an object of sort o. It is not to be changed.
func (o Object) Row() *ObjectRow { return &objects[o] }

// String returns the name of o.
func (o Object) String() string { return objects[o].Name }
