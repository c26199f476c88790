package net

import "syscall"

// Options of sockets, set and read by their descriptors. Options that make no difference in memory keep their
// values. Those that change what this model does are applied, or refused.

// An hbOption is an option that has been set.
type hbOption struct {
	level, name int
	value       []byte
}

// Options for which package syscall has no names.
const (
	hbSharePort   = 15 // SO_REUSEPORT
	hbProtocol    = 38 // SO_PROTOCOL
	hbDomain      = 39 // SO_DOMAIN
	hbUserTimeout = 18 // TCP_USER_TIMEOUT
	hbEstablished = 1  // TCP_ESTABLISHED
	hbInfoSize    = 104
)

// hbKeeps lists, by level, the options whose values are only kept.
var hbKeeps = [...]struct {
	level int
	names []int
}{
	{syscall.SOL_SOCKET, []int{
		syscall.SO_REUSEADDR, syscall.SO_BROADCAST, syscall.SO_SNDBUF, syscall.SO_RCVBUF, syscall.SO_KEEPALIVE,
		syscall.SO_PRIORITY, syscall.SO_LINGER, hbSharePort, syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO,
	}},
	{syscall.IPPROTO_TCP, []int{
		syscall.TCP_NODELAY, syscall.TCP_MAXSEG, syscall.TCP_CORK, syscall.TCP_KEEPIDLE, syscall.TCP_KEEPINTVL,
		syscall.TCP_KEEPCNT, syscall.TCP_SYNCNT, syscall.TCP_LINGER2, syscall.TCP_WINDOW_CLAMP, syscall.TCP_QUICKACK,
		hbUserTimeout, 23 /* TCP_FASTOPEN */, 25 /* TCP_NOTSENT_LOWAT */, 30, /* TCP_FASTOPEN_CONNECT */
	}},
	{syscall.IPPROTO_IP, []int{
		syscall.IP_TOS, syscall.IP_TTL, syscall.IP_PKTINFO, syscall.IP_MTU_DISCOVER, syscall.IP_MULTICAST_IF,
		syscall.IP_MULTICAST_TTL, syscall.IP_MULTICAST_LOOP, 24, /* IP_BIND_ADDRESS_NO_PORT */
	}},
	{syscall.IPPROTO_IPV6, []int{
		syscall.IPV6_UNICAST_HOPS, syscall.IPV6_MULTICAST_IF, syscall.IPV6_MULTICAST_HOPS, syscall.IPV6_MULTICAST_LOOP,
		syscall.IPV6_MTU_DISCOVER, syscall.IPV6_RECVPKTINFO, syscall.IPV6_TCLASS,
	}},
}

// hbKept reports whether the value of an option is only kept.
func hbKept(level, name int) bool {
	for _, row := range hbKeeps {
		for _, n := range row.names {
			if row.level == level && n == name {
				return true
			}
		}
	}
	return false
}

// hbRefuseOption refuses an option.
func hbRefuseOption(level, name int) {
	syscall.HbRefuse("option " + hbDecimal(name) + " of level " + hbDecimal(level) + " of a socket")
}

func hbDecimal(n int) string {
	if n >= 10 {
		return hbDecimal(n/10) + hbDecimal(n%10)
	} else if n < 0 {
		return "-" + hbDecimal(-n)
	}
	return string(rune('0' + n))
}

func hbInt(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)} }

// hbIntOf returns the number in value; 0 if it is shorter.
func hbIntOf(value []byte) int {
	if len(value) < 4 {
		return 0
	}
	return int(int32(uint32(value[0]) | uint32(value[1])<<8 | uint32(value[2])<<16 | uint32(value[3])<<24))
}

func (c hbCalls) SetOption(level, name int, value []byte) error {
	fd := c.fd
	if !hbKept(level, name) {
		hbRefuseOption(level, name)
	}
	if len(value) < 4 && level != syscall.IPPROTO_IP { // options of IP may be bytes
		return syscall.EINVAL
	}
	if level == syscall.SOL_SOCKET {
		switch name {
		case syscall.SO_LINGER:
			if len(value) < 8 {
				return syscall.EINVAL
			}
			if fd.end != nil {
				h := fd.end.in()
				h.touch()
				fd.end.hard = hbIntOf(value) != 0 && hbIntOf(value[4:]) == 0
			}
		case syscall.SO_SNDBUF, syscall.SO_RCVBUF:
			value = hbInt(hbBuffer(name, hbIntOf(value)))
		case syscall.SO_REUSEADDR, syscall.SO_BROADCAST, syscall.SO_KEEPALIVE, hbSharePort:
			value = hbInt(min(1, hbIntOf(value)&0x7fffffff))
		}
	}
	//mutant: setting an option declares nothing [models TestModels/rawOptions]
	fd.raw.touch(true)
	fd.raw.set(level, name, value)
	fd.showDestinations()
	return nil
}

// hbBuffer returns the size that Linux gives a buffer for which a program wants size.
func hbBuffer(name, size int) int {
	least := 2304
	if name == syscall.SO_SNDBUF {
		least = 4608
	}
	return max(least, 2*min(size, 212992))
}

// set changes an option. Options are sorted, so that equal ones are equal states.
func (r *hbRaw) set(level, name int, value []byte) {
	i := 0
	for i < len(r.options) && (r.options[i].level < level || r.options[i].level == level && r.options[i].name < name) {
		i++
	}
	rest := r.options[i:]
	if len(rest) > 0 && rest[0].level == level && rest[0].name == name {
		rest = rest[1:]
	}
	r.options = append(append(append([]hbOption(nil), r.options[:i]...), hbOption{level, name, value}), rest...)
}

// get returns an option that has been set, or nil.
func (r *hbRaw) get(level, name int) []byte {
	for _, o := range r.options {
		if o.level == level && o.name == name {
			return o.value
		}
	}
	return nil
}

// shares reports whether a socket of type sotype may have the address of another one that shares, too.
func (r *hbRaw) shares(sotype int) bool {
	return hbIntOf(r.get(syscall.SOL_SOCKET, hbSharePort)) != 0 ||
		sotype == syscall.SOCK_DGRAM && hbIntOf(r.get(syscall.SOL_SOCKET, syscall.SO_REUSEADDR)) != 0
}

func (c hbCalls) Option(level, name int) ([]byte, error) {
	fd := c.fd
	fd.raw.touch(false)
	if value := fd.raw.get(level, name); value != nil {
		return append([]byte(nil), value...), nil
	}
	tcp := fd.sotype == syscall.SOCK_STREAM && fd.family != syscall.AF_UNIX
	switch level {
	case syscall.SOL_SOCKET:
		switch name {
		case syscall.SO_TYPE:
			return hbInt(fd.sotype), nil
		case syscall.SO_ERROR:
			return hbInt(int(fd.pending())), nil
		case syscall.SO_ACCEPTCONN:
			return hbInt(hbBit(fd.listener != nil)), nil
		case hbDomain:
			return hbInt(fd.family), nil
		case syscall.SO_KEEPALIVE:
			return hbInt(hbBit(tcp && fd.end != nil)), nil
		case syscall.SO_REUSEADDR:
			return hbInt(hbBit(fd.listener != nil && tcp)), nil
		case syscall.SO_BROADCAST:
			return hbInt(hbBit(fd.sotype == syscall.SOCK_DGRAM)), nil
		case syscall.SO_PRIORITY, hbSharePort:
			return hbInt(0), nil
		case syscall.SO_LINGER:
			return make([]byte, 8), nil
		case syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO:
			return make([]byte, 16), nil
		case syscall.SO_PEERCRED:
			if fd.family == syscall.AF_UNIX {
				return append(append(hbInt(syscall.Getpid()), hbInt(syscall.Getuid())...), hbInt(syscall.Getgid())...), nil
			}
		}
	case syscall.IPPROTO_TCP:
		switch {
		case !tcp:
			return nil, syscall.EOPNOTSUPP
		case name == syscall.TCP_NODELAY:
			return hbInt(hbBit(fd.end != nil)), nil
		case name == syscall.TCP_CORK, name == hbUserTimeout:
			return hbInt(0), nil
		case name == syscall.TCP_INFO: // nothing has been measured
			return append([]byte{hbEstablished}, make([]byte, hbInfoSize-1)...), nil
		}
	}
	hbRefuseOption(level, name)
	return nil, nil
}

func hbBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pending returns the error that the socket has had, and forgets it.
func (fd *netFD) pending() (err syscall.Errno) {
	switch {
	case fd.end != nil:
		err = fd.end.failure()
	case fd.packets != nil:
		s := fd.packets
		s.touch(true)
		err, s.failed = s.failed, 0
		s.update()
	}
	return err
}
