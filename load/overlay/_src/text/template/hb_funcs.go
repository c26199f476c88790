package template

import (
	"fmt"
	"reflect"
)

// addValueFuncs is the library's function. The entry that it refuses first, and those added before, depend
// on the order of the map. If it refuses none, the order makes no difference, and is no choice.
func addValueFuncs(out map[string]reflect.Value, in FuncMap) {
	if hbAccepts(in) {
		hbAdd(out, in)
		return
	}
	for name, fn := range in {
		if !goodName(name) {
			panic(fmt.Errorf("function name %q is not a valid identifier", name))
		}
		v := reflect.ValueOf(fn)
		if v.Kind() != reflect.Func {
			panic("value for " + name + " not a function")
		}
		if err := goodFunc(name, v.Type()); err != nil {
			panic(err)
		}
		out[name] = v
	}
}

// hbAccepts reports whether addValueFuncs refuses no entry.
func hbAccepts(in FuncMap) bool {
	for name, fn := range in {
		v := reflect.ValueOf(fn)
		if !goodName(name) || v.Kind() != reflect.Func || goodFunc(name, v.Type()) != nil {
			return false
		}
	}
	return true
}

// hbAdd adds functions that are accepted.
func hbAdd(out map[string]reflect.Value, in FuncMap) {
	for name, fn := range in {
		out[name] = reflect.ValueOf(fn)
	}
}
