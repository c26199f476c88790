module example.com/xsync

go 1.26.0

require (
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	hbcheck.dev/hbcheck v0.0.0
)

replace hbcheck.dev/hbcheck => ../../../..
