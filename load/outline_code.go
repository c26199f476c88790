package load

import "encoding/binary"

// coder writes and reads an outline: each method does both, so that there is one description of the format.
// A number is a varint; a text is the number of an earlier one, or a new one.
type coder struct {
	reading bool
	buf     []byte
	text    string // buf as a string, to take parts of
	at      int
	numbers map[string]int // of texts, when writing
	texts   []string       // when reading
	bad     bool
}

func encodeOutline(x *outline) []byte {
	c := &coder{numbers: make(map[string]int)}
	c.outline(x)
	return c.buf
}

func decodeOutline(data []byte) (*outline, bool) {
	c := &coder{reading: true, buf: data, text: string(data)}
	x := new(outline)
	c.outline(x)
	return x, !c.bad && c.at == len(data)
}

func (c *coder) int(v *int) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, int64(*v))
		return
	}
	n, size := binary.Varint(c.buf[c.at:])
	if size <= 0 {
		c.bad, *v = true, 0
		return
	}
	c.at += size
	*v = int(n)
}

func (c *coder) bool(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	c.int(&n)
	*v = n == 1
}

func (c *coder) string(v *string) {
	if !c.reading {
		n, known := c.numbers[*v]
		if c.int(&n); !known {
			c.numbers[*v] = len(c.numbers) + 1
			n = len(*v)
			c.int(&n)
			c.buf = append(c.buf, *v...)
		}
		return
	}
	n := 0
	if c.int(&n); n != 0 {
		if n < 0 || n > len(c.texts) {
			c.bad = true
			return
		}
		*v = c.texts[n-1]
		return
	}
	if c.int(&n); n < 0 || n > len(c.buf)-c.at {
		c.bad = true
		return
	}
	*v = c.text[c.at : c.at+n]
	c.at += n
	c.texts = append(c.texts, *v)
}

// list codes the elements of a slice.
func list[T any](c *coder, v *[]T, code func(*T)) {
	n := len(*v)
	c.int(&n)
	if c.reading {
		if n < 0 || n > len(c.buf)-c.at { // each takes a byte
			c.bad = true
			return
		}
		if n > 0 {
			*v = make([]T, n)
		}
	}
	for i := range *v {
		code(&(*v)[i])
	}
}

func (c *coder) outline(x *outline) {
	c.string(&x.name)
	c.string(&x.dir)
	c.bool(&x.overlaid)
	list(c, &x.imports, c.string)
	list(c, &x.files, c.file)
	list(c, &x.decls, c.decl)
	c.decl(&x.roots)
	list(c, &x.links, func(l *link) { c.string(&l.local); c.string(&l.symbol) })
	facts, testing := int(x.facts), int(x.testing)
	c.int(&facts)
	c.int(&testing)
	x.facts, x.testing = fact(facts), TestMethods(testing)
}

func (c *coder) file(f *outlineFile) {
	c.string(&f.name)
	c.int(&f.size)
	last := 0
	list(c, &f.lines, func(at *int) { c.after(at, &last) })
	c.string(&f.version)
	c.int(&f.clause)
	c.int(&f.ident)
	list(c, &f.edits, func(e *edit) { c.int(&e.off); c.string(&e.text) })
	last = 0
	list(c, &f.pieces, func(p *piece) {
		c.int(&p.kind)
		c.after(&p.off, &last)
		c.after(&p.end, &last)
		c.int(&p.header)
		c.int(&p.body)
		c.bool(&p.late)
		c.int(&p.decl)
		list(c, &p.blank, c.int)
	})
}

// after codes an offset as its distance from the last one.
func (c *coder) after(v, last *int) {
	n := *v - *last
	c.int(&n)
	*v = *last + n
	*last = *v
}

func (c *coder) decl(d *outlineDecl) {
	list(c, &d.names, c.string)
	c.bool(&d.checked)
	c.string(&d.method)
	list(c, &d.methods, c.int)
	list(c, &d.mentions, func(m *outlineMention) { c.int(&m.of); c.string(&m.name) })
	list(c, &d.calls, c.string)
	c.bool(&d.reflects)
}
