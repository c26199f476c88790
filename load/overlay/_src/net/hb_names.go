package net

import (
	"context"
	"net/netip"
	"syscall"
)

// Names and interfaces. localhost is 127.0.0.1, and there is no name server. Like most machines, this one
// has the loopback and an interface with a private IPv4 address, at which it reaches itself.

func supportsIPv4() bool    { return true }
func supportsIPv6() bool    { return true }
func supportsIPv4map() bool { return true }

func concurrentThreadsLimit() int { return 500 }

// hbUnknown is the error for a name that a name server would have to resolve.
func hbUnknown(name string) error {
	hbUnreached()
	return &DNSError{Err: syscall.ENETUNREACH.Error(), Name: name, IsTemporary: true}
}

func (r *Resolver) lookupIPAddr(ctx context.Context, network, host string) ([]IPAddr, error) {
	if host == "" {
		return nil, newDNSError(errNoSuchHost, host, "")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []IPAddr{{IP: IP(ip.AsSlice()).To16(), Zone: ip.Zone()}}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, newDNSError(mapErr(err), host, "")
	}
	return r.lookupIP(ctx, network, host)
}

func (r *Resolver) lookupIP(ctx context.Context, network, host string) ([]IPAddr, error) {
	switch host {
	case "localhost", "localhost.", "localhost.localdomain", "ip4-localhost":
		return []IPAddr{{IP: IPv4(127, 0, 0, 1)}}, nil
	case "ip6-localhost", "ip6-loopback":
		return []IPAddr{{IP: IPv6loopback}}, nil
	}
	return nil, hbUnknown(host)
}

func (r *Resolver) lookupHost(ctx context.Context, host string) ([]string, error) {
	addrs, err := r.lookupIP(ctx, "ip", host)
	var list []string
	for _, a := range addrs {
		list = append(list, a.String())
	}
	return list, err
}

func (r *Resolver) lookupCNAME(ctx context.Context, name string) (string, error) {
	if _, err := r.lookupIP(ctx, "ip", name); err != nil {
		return "", err
	}
	return absDomainName(name), nil
}

func (r *Resolver) lookupSRV(ctx context.Context, service, proto, name string) (string, []*SRV, error) {
	return "", nil, hbUnknown(name)
}

func (r *Resolver) lookupMX(ctx context.Context, name string) ([]*MX, error) {
	return nil, hbUnknown(name)
}

func (r *Resolver) lookupNS(ctx context.Context, name string) ([]*NS, error) {
	return nil, hbUnknown(name)
}

func (r *Resolver) lookupTXT(ctx context.Context, name string) ([]string, error) {
	return nil, hbUnknown(name)
}

func (r *Resolver) lookupAddr(ctx context.Context, addr string) ([]string, error) {
	if ip := ParseIP(addr); ip != nil && ip.IsLoopback() {
		return []string{"localhost"}, nil
	}
	return nil, hbUnknown(addr)
}

// hbPrivate is the address of the second interface.
var hbPrivate = [4]byte{10, 0, 0, 2}

func interfaceTable(ifindex int) ([]Interface, error) {
	all := []Interface{
		{Index: 1, MTU: 65536, Name: "lo", Flags: FlagUp | FlagLoopback | FlagRunning},
		{Index: 2, MTU: 1500, Name: "eth0", HardwareAddr: HardwareAddr{2, 0, 10, 0, 0, 2}, Flags: FlagUp | FlagBroadcast | FlagMulticast | FlagRunning},
	}
	switch {
	case ifindex == 0:
		return all, nil
	case ifindex < 0 || ifindex > len(all):
		return nil, nil
	}
	return all[ifindex-1 : ifindex], nil
}

func interfaceAddrTable(ifi *Interface) ([]Addr, error) {
	var addrs []Addr
	lo, eth := ifi == nil || ifi.Index == 1, ifi == nil || ifi.Index == 2
	if lo {
		addrs = append(addrs, &IPNet{IP: IPv4(127, 0, 0, 1), Mask: CIDRMask(8, 8*IPv4len)})
	}
	if eth {
		p := hbPrivate
		addrs = append(addrs, &IPNet{IP: IPv4(p[0], p[1], p[2], p[3]), Mask: CIDRMask(24, 8*IPv4len)})
	}
	if lo {
		addrs = append(addrs, &IPNet{IP: IPv6loopback, Mask: CIDRMask(128, 8*IPv6len)})
	}
	return addrs, nil
}

func interfaceMulticastAddrTable(ifi *Interface) ([]Addr, error) { return nil, nil }
