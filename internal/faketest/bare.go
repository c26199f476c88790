package faketest

import (
	"errors"
	"go/token"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// bare is the part of a Machine that a fake one does not implement.
type bare struct{}

var errBare = errors.New("a fake machine cannot do that")

func (bare) VM() *vm.Machine                                                         { return nil }
func (bare) DrawnFirst() []vm.Assumption                                             { return nil }
func (bare) PartnerCase(trace.GID, int) int                                          { return 0 }
func (bare) CaseTaken(trace.GID, int) string                                         { return "" }
func (bare) NextKey(trace.GID, int) string                                           { return "" }
func (bare) Contents() string                                                        { return "" }
func (bare) CodeSize() int                                                           { return 0 }
func (bare) Await(vm.Await)                                                          {}
func (bare) SpinSchedule() trace.Schedule                                            { return nil }
func (bare) ShareGIDs()                                                              {}
func (bare) Replica() (describe.Machine, error)                                      { return nil, errBare }
func (bare) SharesNumbers() bool                                                     { return false }
func (bare) Existed() []trace.GID                                                    { return nil }
func (bare) ForgetExisted()                                                          {}
func (bare) With(func(*vm.Config), func() bool) (describe.Machine, error)            { return nil, errBare }
func (bare) NeedsRefining() bool                                                     { return false }
func (bare) Refined() vm.Refinement                                                  { return vm.Refinement{} }
func (bare) NoteCut()                                                                {}
func (bare) DoubtsClock() bool                                                       { return false }
func (bare) ExploresInitialisers() bool                                              { return false }
func (bare) Pos(trace.Op) token.Position                                             { return token.Position{} }
func (bare) Touches(_ trace.GID, buf []trace.Access) []trace.Access                  { return buf }
func (bare) Loop(trace.GID) (token.Position, bool)                                   { return token.Position{}, false }
func (bare) Wait(trace.GID) (time.Duration, bool)                                    { return 0, false }
func (bare) TimersPending() bool                                                     { return false }
func (bare) Alive(trace.GID) bool                                                    { return true }
func (bare) TimeStep() int                                                           { return 0 }
func (bare) Testing() bool                                                           { return false }
func (bare) ClockStep() int                                                          { return 0 }
func (bare) Passed() *vm.Passing                                                     { return nil }
func (bare) Ranged() *vm.Ranging                                                     { return nil }
func (bare) Failures() []*describe.Fault                                             { return nil }
func (bare) Forgotten() ([]trace.GID, bool)                                          { return nil, false }
func (bare) EntryEnded() bool                                                        { return false }
func (bare) EntryMade([]uint32) bool                                                 { return false }
func (bare) HangsInTest(trace.GID) bool                                              { return false }
func (bare) SubtestEnded() bool                                                      { return false }
func (bare) RunningTests() []trace.GID                                               { return nil }
func (bare) TestsHolding([]uint32, trace.GID) []trace.GID                            { return nil }
func (bare) WatchCalls(func(_, _ trace.GID, _ func([]uint32) bool)) func(*vm.Config) { return nil }
func (bare) Referring([]uint32, trace.GID) []trace.GID                               { return nil }
func (bare) HeldByVariables([]uint32) bool                                           { return false }
func (bare) AwaitedBy(trace.GID) []uint32                                            { return nil }
func (bare) WaitsForLock(trace.GID) bool                                             { return false }
func (bare) CanCollect() bool                                                        { return false }
func (bare) Lacks() vm.Lack                                                          { return vm.LackNothing }
func (bare) Assumed() []vm.Assumption                                                { return nil }
func (bare) Modes() []vm.Mode                                                        { return nil }
func (bare) Slack() time.Duration                                                    { return 0 }
func (bare) InputLen() int                                                           { return 0 }
func (bare) StoodStill() bool                                                        { return false }
func (bare) Symbolic() bool                                                          { return false }
func (bare) Inputs() ([]describe.Input, bool)                                        { return nil, false }
func (bare) Concrete([]describe.Input) func(*vm.Config)                              { return nil }
func (bare) SolverTrouble() string                                                   { return "" }
func (bare) Subtests() (all, skipped []string)                                       { return nil, nil }
func (bare) TestName(trace.GID) string                                               { return "" }
func (bare) RunSubtests(_, _ []string)                                               {}
func (bare) Blocks() []load.Block                                                    { return nil }
func (bare) Covered() []bool                                                         { return nil }
func (bare) CoveredInit() []bool                                                     { return nil }
func (bare) Locked() map[token.Position]bool                                         { return nil }
func (bare) Ordered() map[describe.Order]uint64                                      { return nil }
func (bare) ForgetCovered()                                                          {}
func (bare) Oracle(oracle.Kind, func() bool) por.Oracle                              { return nil }
func (bare) Parts() por.Parts                                                        { return nil }
func (bare) Cost() int                                                               { return 0 }
func (bare) Check(por.Oracle) *check.Machine                                         { return nil }
func (bare) UserPos(trace.GID, *trace.Op) token.Position                             { return token.Position{} }
func (bare) Save() (*vm.Saved, error)                                                { return nil, errBare }
func (bare) Regrow(*vm.Saved, func() bool) error                                     { return errBare }
func (bare) Restore(*vm.Saved) error                                                 { return errBare }
func (bare) Learn(*vm.Saved, func() bool) error                                      { return errBare }
func (bare) Numbered() uint64                                                        { return 0 }
func (bare) Refinement() vm.Refinement                                               { return vm.Refinement{} }
