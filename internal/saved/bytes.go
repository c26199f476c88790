package saved

import (
	"bufio"
	"bytes"
)

// Marshal encodes the variables to which data point, for another process of the same build.
func Marshal(data ...any) ([]byte, error) {
	var b bytes.Buffer
	e := newEncoder(&b)
	e.data(data)
	return b.Bytes(), e.err
}

// Unmarshal fills the variables to which data point with the values that Marshal has written.
func Unmarshal(b []byte, data ...any) error {
	f := &File{d: &decoder{r: bufio.NewReader(bytes.NewReader(b))}}
	for _, p := range data {
		if err := f.Read(p); err != nil {
			return err
		}
	}
	return nil
}
