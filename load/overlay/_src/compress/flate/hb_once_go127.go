//go:build go1.27

package flate

// init makes what the first writers would make: see hb_once.go.
func init() {
	huffOffset()
	fixedLiteralEncoding()
	fixedOffsetEncoding()
}
