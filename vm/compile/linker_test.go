package compile_test

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/compile"
	"hbcheck.dev/hbcheck/vm/layout"
)

// linker links nothing: its numbers and addresses are made up.
type linker struct {
	table    *layout.Table
	captures *compile.Captures
}

func newLinker() *linker {
	return &linker{table: layout.NewTable(), captures: compile.NewCaptures()}
}

func (k *linker) Global(*ssa.Global) uint64                             { return 1 << 32 }
func (k *linker) Literal(string) uint64                                 { return 2 << 32 }
func (k *linker) Func(*ssa.Function) uint32                             { return 7 }
func (k *linker) Stub(*ssa.Builtin, *types.Signature, token.Pos) uint32 { return 8 }
func (k *linker) Native(fn *ssa.Function) (int, bool)                   { return 0, fn.Blocks == nil }
func (k *linker) Unused(n int) int                                      { return n }
func (k *linker) TypeWord(types.Type) uint64                            { return 3 << 32 }
func (k *linker) MapType(types.Type) uint32                             { return 1 }
func (k *linker) Layout(t types.Type) *layout.Layout                    { return k.table.Of(t) }
func (k *linker) ZeroBase() uint64                                      { return 4 << 32 }
func (k *linker) Table(*ssa.Alloc) uint64                               { return 0 }
func (k *linker) Captures() *compile.Captures                           { return k.captures }
func (k *linker) OnlyCalled(*ssa.Function) bool                         { return true }
func (k *linker) IsOwn(*ssa.Function) bool                              { return false }
func (k *linker) Trusted(*ssa.Function) bool                            { return false }
func (k *linker) Ordered(*ssa.Range) bool                               { return true }
func (k *linker) Untried(*ssa.MakeChan) bool                            { return false }
func (k *linker) ReadsOutput() bool                                     { return false }
func (k *linker) Clocked(*ssa.Function) bool                            { return false }
func (k *linker) Puns(*ssa.Function) (check, walks bool)                { return false, false }
func (k *linker) Kept(*ssa.Function) []ssa.Value                        { return nil }
func (k *linker) Begins(*ssa.BasicBlock, int) []int                     { return nil }
func (k *linker) Between(from, to *ssa.BasicBlock) []int                { return nil }
