package signal

// ignored are the signals given to Ignore, which Ignored tells of.
var ignored [numSig]bool

func signalWaitUntilIdle() {}

func signal_disable(sig uint32) { ignored[sig] = false }

func signal_enable(sig uint32) {
	hbNotified()
	ignored[sig] = false
}

// hbNotified says that the program waits for signals.
func hbNotified()

func signal_ignore(sig uint32) { ignored[sig] = true }

func signal_ignored(sig uint32) bool { return ignored[sig] }
