// Package made needs objects that are made in several steps.
package made

import (
	"errors"
	"io"
	"sync"
)

// Options of a hub.
type Options struct {
	OnError func(err error)
	Level   int
}

// A Hub has rooms, and writes to a connection.
type Hub struct {
	mu    sync.Mutex
	conn  io.ReadWriter
	o     Options
	rooms map[string]*Room
}

// Dial returns a hub for a connection.
func Dial(conn io.ReadWriter, o Options) (*Hub, error) {
	if conn == nil || o.OnError == nil {
		return nil, errors.New("not complete")
	}
	return &Hub{conn: conn, o: o, rooms: map[string]*Room{}}, nil
}

// Enter returns the room of this name.
func (h *Hub) Enter(name string) (*Room, error) {
	if _, err := h.conn.Write([]byte(name)); err != nil {
		h.o.OnError(err)
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[name] == nil {
		h.rooms[name] = &Room{hub: h}
	}
	return h.rooms[name], nil
}
