package native

import (
	"bytes"
	"strings"
)

// Natives of internal/bytealg, and other searches in bytes. Strings never change; slices are read on behalf
// of the caller.

// reads declares the slices of bytes whose words begin at the given places.
func reads(at ...int) []Slice {
	var list []Slice
	for _, i := range at {
		list = append(list, Slice{At: i, Elem: 1})
	}
	return list
}

var bytealgNatives = []Func{
	{Name: "internal/bytealg.Compare", Uses: reads(0, 3), Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(bytes.Compare(bytesAt(mem, r, 0), bytesAt(mem, r, 3))))
	}},
	{Name: "internal/bytealg.CompareString", Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(strings.Compare(stringAt(mem, r, 0), stringAt(mem, r, 2))))
	}},
	{Name: "internal/bytealg.Equal", Uses: reads(0, 3), Fn: func(mem Guest, r Words) {
		r.SetBool(0, bytes.Equal(bytesAt(mem, r, 0), bytesAt(mem, r, 3)))
	}},
	{Name: "bytes.Equal", Uses: reads(0, 3), Fn: func(mem Guest, r Words) {
		r.SetBool(0, bytes.Equal(bytesAt(mem, r, 0), bytesAt(mem, r, 3)))
	}},
	{Name: "internal/bytealg.Count", Uses: reads(0), Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(bytes.Count(bytesAt(mem, r, 0), []byte{byte(r.U(3))})))
	}},
	{Name: "internal/bytealg.CountString", Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(bytes.Count(bytesAt(mem, r, 0), []byte{byte(r.U(2))})))
	}},
	{Name: "internal/bytealg.Index", Uses: reads(0, 3), Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(bytes.Index(bytesAt(mem, r, 0), bytesAt(mem, r, 3))))
	}},
	{Name: "internal/bytealg.IndexString", Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(strings.Index(stringAt(mem, r, 0), stringAt(mem, r, 2))))
	}},
	{Name: "internal/bytealg.IndexByte", Uses: reads(0), Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(bytes.IndexByte(bytesAt(mem, r, 0), byte(r.U(3)))))
	}},
	{Name: "internal/bytealg.IndexByteString", Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(strings.IndexByte(stringAt(mem, r, 0), byte(r.U(2)))))
	}},
	{Name: "internal/bytealg.LastIndexByteString", Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(strings.LastIndexByte(stringAt(mem, r, 0), byte(r.U(2)))))
	}},
}
