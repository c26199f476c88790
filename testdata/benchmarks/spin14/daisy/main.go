// Daisy: a file system in layers. A disk of bytes (petal) holds inodes, blocks
// and a map of the blocks in use (daisyDisk); files are inodes with one block
// each (daisy); a directory is a file with entries (daisyDir). Two clients
// write, read, create and remove files.
//
// Shared: the disk under its lock; inodes, blocks and files under locks that
// are numbered and made on demand by a lock manager. Inodes are read into fresh
// objects. Different from the Java text: the disk is a slice of bytes as small
// as it can be, random numbers and messages are left out.
//
//	daisy small|full
package main

import (
	"os"
	"sync"
)

// The layout of the disk.
const (
	maxInode  = 4
	maxBlock  = 4
	inodeSize = 24 // block number 8, size 8, used 1
	blockSize = 240
	entrySize = 8 + 8 + nameSize
	nameSize  = 32

	inodeArea = 0
	blockArea = inodeArea + maxInode*inodeSize
	allocArea = blockArea + maxBlock*blockSize
	diskSize  = allocArea + maxBlock
)

type status int

const (
	ok status = iota
	errExist
	errNoEntry
	errStale
	errNoSpace
)

// mutex is a lock that is an ordinary monitor.
type mutex struct {
	mu     sync.Mutex
	freed  sync.Cond
	locked bool
	id     int
}

func newMutex(id int) *mutex {
	m := &mutex{id: id}
	m.freed.L = &m.mu
	return m
}

func (m *mutex) acq() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.locked {
		m.freed.Wait()
	}
	m.locked = true
}

func (m *mutex) rel() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.locked = false
	m.freed.Signal()
}

// vector is a list whose single operations are locked, as Java's.
type vector struct {
	mu   sync.Mutex
	list []*mutex
}

func (v *vector) size() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.list)
}

func (v *vector) grow(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := make([]*mutex, n)
	copy(list, v.list)
	v.list = list
}

func (v *vector) at(i int) *mutex {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.list[i]
}

func (v *vector) set(i int, m *mutex) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list[i] = m
}

// lockManager makes numbered locks when they are first asked for.
type lockManager struct {
	global *mutex
	locks  vector
}

func (l *lockManager) acq(n int) {
	if n >= l.locks.size() || l.locks.at(n) == nil {
		l.global.acq()
		if n >= l.locks.size() {
			l.locks.grow(n + maxLock)
		}
		if l.locks.at(n) == nil {
			l.locks.set(n, newMutex(n))
		}
		l.global.rel()
	}
	l.locks.at(n).acq()
}

func (l *lockManager) rel(n int) { l.locks.at(n).rel() }

// The numbers of the locks of inodes, blocks and files.
const (
	inodeLocks = 0
	blockLocks = inodeLocks + maxInode
	fileLocks  = blockLocks + maxBlock
	maxLock    = fileLocks + maxInode
)

// petal is the disk.
type petal struct {
	mu   sync.Mutex
	data []byte
}

func (p *petal) read(pos int) byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.get(pos)
}

func (p *petal) write(pos int, b byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(pos, b)
}

// readLong and writeLong are eight accesses under one lock.

func (p *petal) readLong(pos int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for i := range 8 {
		n |= int(p.get(pos+i)) << (8 * i)
	}
	return n
}

func (p *petal) writeLong(pos, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range 8 {
		p.put(pos+i, byte(n>>(8*i)))
	}
}

func (p *petal) get(pos int) byte {
	if pos >= len(p.data) {
		return 0
	}
	return p.data[pos]
}

func (p *petal) put(pos int, b byte) { p.data[pos] = b }

// inode is an inode in memory.
type inode struct {
	number int
	block  int
	size   int
	used   bool
}

// daisyDisk knows the layout.
type daisyDisk struct {
	mu    sync.Mutex
	petal *petal
}

func (d *daisyDisk) readInode(n int, x *inode) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := inodeArea + n*inodeSize
	x.number = n
	x.block = d.petal.readLong(at)
	x.size = d.petal.readLong(at + 8)
	x.used = d.petal.read(at+16) == 1
}

func (d *daisyDisk) writeInode(n int, x *inode) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := inodeArea + n*inodeSize
	d.petal.writeLong(at, x.block)
	d.petal.writeLong(at+8, x.size)
	used := byte(0)
	if x.used {
		used = 1
	}
	d.petal.write(at+16, used)
}

func (d *daisyDisk) writeAllocBit(n int, used bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := byte(0)
	if used {
		b = 1
	}
	d.petal.write(allocArea+n, b)
}

func (d *daisyDisk) readAllocBit(n int) bool { return d.petal.read(allocArea+n) == 1 }

func (d *daisyDisk) readByte(block, i int) byte {
	return d.petal.read(blockArea + block*blockSize + i)
}

func (d *daisyDisk) writeByte(block, i int, b byte) {
	d.petal.write(blockArea+block*blockSize+i, b)
}

// daisy is files: inodes with a block.
type daisy struct {
	disk  *daisyDisk
	locks *lockManager
}

// get returns inode n, locked; put writes it back and unlocks it.
func (d *daisy) get(n int) *inode {
	d.locks.acq(inodeLocks + n)
	x := new(inode)
	d.disk.readInode(n, x)
	return x
}

func (d *daisy) put(x *inode) {
	d.disk.writeInode(x.number, x)
	d.locks.rel(inodeLocks + x.number)
}

// allocInode returns an inode that was free, locked.
func (d *daisy) allocInode() *inode {
	for n := range maxInode {
		x := d.get(n)
		if !x.used {
			x.used = true
			return x
		}
		d.locks.rel(inodeLocks + n)
	}
	return nil
}

// alloc returns a block that was free, or -1.
func (d *daisy) alloc() int {
	for b := range maxBlock {
		d.locks.acq(blockLocks + b)
		if !d.disk.readAllocBit(b) {
			d.disk.writeAllocBit(b, true)
			d.locks.rel(blockLocks + b)
			return b
		}
		d.locks.rel(blockLocks + b)
	}
	return -1
}

func (d *daisy) free(b int) {
	d.locks.acq(blockLocks + b)
	d.disk.writeAllocBit(b, false)
	d.locks.rel(blockLocks + b)
}

// create returns the number of a new file, or -1.
func (d *daisy) create() int {
	x := d.allocInode()
	if x == nil {
		return -1
	}
	b := d.alloc()
	if b < 0 {
		x.used = false
		d.put(x)
		return -1
	}
	x.block, x.size = b, 0
	d.put(x)
	return x.number
}

func (d *daisy) remove(n int) status {
	x := d.get(n)
	if !x.used {
		d.locks.rel(inodeLocks + n)
		return errStale
	}
	x.used = false
	d.free(x.block)
	d.put(x)
	return ok
}

func (d *daisy) read(n, offset int, buf []byte) (int, status) {
	x := d.get(n)
	defer d.locks.rel(inodeLocks + n)
	if !x.used {
		return 0, errStale
	}
	d.locks.acq(blockLocks + x.block)
	defer d.locks.rel(blockLocks + x.block)
	k := 0
	for k < len(buf) && offset+k < x.size {
		buf[k] = d.disk.readByte(x.block, offset+k)
		k++
	}
	return k, ok
}

func (d *daisy) write(n, offset int, buf []byte) status {
	if offset+len(buf) > blockSize {
		return errNoSpace
	}
	x := d.get(n)
	defer d.locks.rel(inodeLocks + n)
	if !x.used {
		return errStale
	}
	d.locks.acq(blockLocks + x.block)
	for i, b := range buf {
		d.disk.writeByte(x.block, offset+i, b)
	}
	if end := offset + len(buf); end > x.size {
		x.size = end
		d.disk.writeInode(n, x)
	}
	d.locks.rel(blockLocks + x.block)
	return ok
}

func (d *daisy) size(n int) (int, status) {
	x := d.get(n)
	defer d.locks.rel(inodeLocks + n)
	if !x.used {
		return 0, errStale
	}
	return x.size, ok
}

// shrink sets the size of a file.
func (d *daisy) shrink(n, size int) status {
	x := d.get(n)
	if !x.used {
		d.locks.rel(inodeLocks + n)
		return errStale
	}
	x.size = size
	d.put(x)
	return ok
}

// dirEntry is a file's place in a directory.
type dirEntry struct {
	inode int
	name  string
}

// daisyDir is directories: files whose lock is held while they are open.
type daisyDir struct{ files *daisy }

func (d *daisyDir) open(dir int) ([]dirEntry, status) {
	d.files.locks.acq(fileLocks + dir)
	size, st := d.files.size(dir)
	if st != ok {
		d.files.locks.rel(fileLocks + dir)
		return nil, st
	}
	var list []dirEntry
	for at := 0; at < size; {
		n := d.readLong(dir, at)
		name := make([]byte, d.readLong(dir, at+8))
		d.files.read(dir, at+16, name)
		list = append(list, dirEntry{n, string(name)})
		at += 16 + len(name)
	}
	return list, ok
}

func (d *daisyDir) close(dir int, list []dirEntry) {
	at := 0
	for _, e := range list {
		d.writeLong(dir, at, e.inode)
		d.writeLong(dir, at+8, len(e.name))
		d.files.write(dir, at+16, []byte(e.name))
		at += 16 + len(e.name)
	}
	d.files.shrink(dir, at)
	d.files.locks.rel(fileLocks + dir)
}

func (d *daisyDir) readLong(file, at int) int {
	var b [8]byte
	d.files.read(file, at, b[:])
	n := 0
	for i, x := range b {
		n |= int(x) << (8 * i)
	}
	return n
}

func (d *daisyDir) writeLong(file, at, n int) {
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	d.files.write(file, at, b[:])
}

// create makes a file called name in dir.
func (d *daisyDir) create(dir int, name string) (int, status) {
	list, st := d.open(dir)
	if st != ok {
		return 0, st
	}
	for _, e := range list {
		if e.name == name {
			d.close(dir, list)
			return 0, errExist
		}
	}
	n := d.files.create()
	if n < 0 {
		d.close(dir, list)
		return 0, errNoSpace
	}
	d.close(dir, append(list, dirEntry{n, name}))
	return n, ok
}

// remove removes the file called name from dir.
func (d *daisyDir) remove(dir int, name string) status {
	list, st := d.open(dir)
	if st != ok {
		return st
	}
	for i, e := range list {
		if e.name == name {
			d.files.remove(e.inode)
			d.close(dir, append(list[:i], list[i+1:]...))
			return ok
		}
	}
	d.close(dir, list)
	return errNoEntry
}

// newFileSystem returns a file system whose root directory is inode 0.
func newFileSystem() *daisyDir {
	files := &daisy{&daisyDisk{petal: &petal{data: make([]byte, diskSize)}}, &lockManager{global: newMutex(-1)}}
	files.create()
	return &daisyDir{files}
}

// client is one of the goroutines.
type client struct {
	fs   *daisyDir
	dir  int
	file int // that both use
	id   int
}

// small writes to the common file and reads from it.
func (c *client) small() {
	c.fs.files.write(c.file, 2*c.id, []byte("te"))
	var buf [2]byte
	c.fs.files.read(c.file, c.id, buf[:])
}

// full makes a file of its own, too, and removes it.
func (c *client) full() {
	files, name := c.fs.files, "file"+string(rune('0'+c.id))
	var buf [4]byte
	files.write(c.file, 4*c.id, []byte("test"))
	files.read(c.file, 2*c.id, buf[:])
	n, _ := c.fs.create(c.dir, name)
	files.read(n, 0, buf[:])
	files.write(n, 2, []byte("test"))
	files.read(c.file, 0, buf[:])
	files.write(c.file, 8+4*c.id, []byte("test"))
	c.fs.remove(c.dir, name)
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *daisyDir

func main() {
	full := os.Args[1] == "full"
	fs := newFileSystem()
	dir := 0
	if full {
		dir, _ = fs.create(0, "dir")
	}
	file, _ := fs.create(dir, "file")
	var wg sync.WaitGroup
	for id := range 2 {
		c := &client{fs, dir, file, id}
		if full {
			wg.Go(c.full)
		} else {
			wg.Go(c.small)
		}
	}
	wg.Wait()
	final = fs
}
