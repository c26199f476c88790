// CRE Demo: wireless access at airports, as a set of components that are bound
// to each other before anything runs. Who wants to use the network gets an
// address, logs in with an account, a ticket or as a frequent flyer, and may
// then pass the firewall as long as the token of the login is valid. Two
// clients do some of all that.
//
// Shared: the manager's addresses under its lock; a small data base whose
// operations are locked; tables whose operations are locked, with rows whose
// fields are not; two maps of tokens that no lock protects, as in Java, where
// nobody notices; and the bindings, which nobody changes any more. Different
// from the Java text: time is a number and timers fire at once (there, too, a
// timeout is a call); messages are left out.
//
//	credemo requests: how many requests each client makes, at most 8
package main

import (
	"os"
	"strconv"
	"sync"
)

// The components' interfaces, named as the demo names them.

type authorizer interface {
	start() bool
	loginAccount(address, account, password string) bool
	loginTicket(address, ticket string) bool
	loginFlyer(address, flyer string) bool
	recharge(account, card, expires string, amount int) bool
	logout(address string) bool
	addressInvalidated(address string)
	tokenInvalidated(t *token)
}

type blocker interface {
	enablePortBlock(address string) bool
	disablePortBlock(address string) bool
}

type dhcp interface {
	start() bool
	requestNew(mac string) string
	renew(mac, address string) bool
	release(mac, address string) bool
}

type addressDB interface {
	add(mac, address string, expires int)
	remove(address string)
	address(mac string) (string, bool)
	mac(address string) (string, bool)
	expires(address string) int
	setExpires(address string, t int)
}

type timerUser interface{ timeout() }

type timer interface {
	setTimeout(d int)
	cancelTimeouts()
}

type ticketDB interface {
	validity(ticket string) (arrival int, business, ok bool)
	of(flyer string) []string
	token(ticket string) *token
}

// firewall lets everything through.
type firewall struct{}

func (firewall) enablePortBlock(string) bool  { return true }
func (firewall) disablePortBlock(string) bool { return true }

// callTimer calls back in the very moment in which it is set.
type callTimer struct{ user timerUser }

func (t *callTimer) setTimeout(int)  { t.user.timeout() }
func (t *callTimer) cancelTimeouts() {}

// simulator counts the tokens there are.
var simulator struct {
	mu     sync.Mutex
	tokens int
}

func nextToken() int {
	simulator.mu.Lock()
	defer simulator.mu.Unlock()
	simulator.tokens++
	return simulator.tokens
}

// token is what a login results in: a validity checker with a timer.
type token struct {
	number   int
	valid    bool
	evidence *token
	timer    timer
	owner    authorizer
	custom   *customToken // nil: a plain one
	expires  int
}

func newToken(expires int) *token {
	t := &token{number: nextToken(), expires: expires}
	t.timer = &callTimer{t}
	return t
}

func (t *token) setEvidence(e *token) { t.evidence = e }

func (t *token) start(owner authorizer) {
	t.owner = owner
	t.valid = true
	t.timer.setTimeout(t.expires)
}

// timeout tells the owner, who does not know the token yet.
func (t *token) timeout() { t.owner.tokenInvalidated(t) }

func (t *token) invalidateAndSave() bool {
	t.valid = false
	t.timer.cancelTimeouts()
	if t.custom != nil {
		t.custom.save()
	}
	t.owner.tokenInvalidated(t)
	return true
}

// customToken is the part of a token that belongs to an account.
type customToken struct {
	accounts *accountDB
	account  string
	left     int
}

func (c *customToken) save() { c.accounts.setPrepaid(c.account, c.left) }

// table is a map whose single operations are locked.
type table[V any] struct {
	mu   sync.Mutex
	rows map[string]V
}

func (t *table[V]) get(key string) (V, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.rows[key]
	return v, ok
}

func (t *table[V]) put(key string, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		t.rows = make(map[string]V)
	}
	t.rows[key] = v
}

func (t *table[V]) values() []V {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []V
	for _, v := range t.rows {
		list = append(list, v)
	}
	return list
}

type account struct {
	id       string
	password string
	prepaid  int
}

type accountDB struct {
	accounts table[*account]
	cards    *cardCenter
}

func (d *accountDB) token(id, password string) *token {
	a, ok := d.accounts.get(id)
	if !ok || a.password != password || a.prepaid == 0 {
		return nil
	}
	t := newToken(a.prepaid)
	t.custom = &customToken{d, id, a.prepaid}
	return t
}

func (d *accountDB) setPrepaid(id string, time int) {
	if a, ok := d.accounts.get(id); ok {
		a.prepaid = time
	}
}

func (d *accountDB) recharge(id, card, expires string, amount int) bool {
	a, ok := d.accounts.get(id)
	if !ok || !d.cards.withdraw(card, expires, amount) {
		return false
	}
	a.prepaid += amount
	return true
}

type card struct {
	number  string
	expires string
	balance int
}

type cardCenter struct{ cards table[*card] }

func (c *cardCenter) withdraw(number, expires string, amount int) bool {
	k, ok := c.cards.get(number)
	if !ok || k.expires != expires || k.balance < amount {
		return false
	}
	k.balance -= amount
	return true
}

type ticket struct {
	id      string
	arrival int
	flyer   string
}

// airline is the ticket data base of one.
type airline struct{ tickets table[*ticket] }

func (a *airline) validity(id string) (arrival int, business, ok bool) {
	t, ok := a.tickets.get(id)
	if !ok {
		return 0, false, false
	}
	return t.arrival, id[len(id)-1] == 'B', true
}

func (a *airline) of(flyer string) []string {
	var list []string
	for _, t := range a.tickets.values() {
		if t.flyer == flyer {
			list = append(list, t.id)
		}
	}
	return list
}

func (a *airline) token(id string) *token {
	arrival, business, ok := a.validity(id)
	if !ok || !business {
		return nil
	}
	return newToken(arrival)
}

// classifier finds the airline of a ticket.
type classifier struct{ af, csa ticketDB }

func (c *classifier) token(id string) *token {
	switch id[:3] {
	case "AFR":
		return c.af.token(id)
	case "CSA":
		return c.csa.token(id)
	}
	return nil
}

type flyer struct{ id string }

type flyerDB struct {
	flyers  table[*flyer]
	af, csa ticketDB
}

// token returns a token for the ticket that is valid longest.
func (d *flyerDB) token(id string) *token {
	if _, ok := d.flyers.get(id); !ok {
		return nil
	}
	longest := 0
	for _, db := range []ticketDB{d.af, d.csa} {
		for _, t := range db.of(id) {
			if arrival, _, ok := db.validity(t); ok {
				longest = max(longest, arrival)
			}
		}
	}
	if longest == 0 {
		return nil
	}
	return newToken(longest)
}

// transientDB is the data base of addresses in use.
type transientDB struct {
	mu        sync.Mutex
	addressOf map[string]string
	macOf     map[string]string
	expiresAt map[string]int
}

func newTransientDB() *transientDB {
	return &transientDB{addressOf: make(map[string]string), macOf: make(map[string]string), expiresAt: make(map[string]int)}
}

func (d *transientDB) add(mac, address string, expires int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addressOf[mac] = address
	d.macOf[address] = mac
	d.expiresAt[address] = expires
}

func (d *transientDB) remove(address string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.addressOf, d.macOf[address])
	delete(d.macOf, address)
	delete(d.expiresAt, address)
}

func (d *transientDB) address(mac string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, ok := d.addressOf[mac]
	return a, ok
}

func (d *transientDB) mac(address string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, ok := d.macOf[address]
	return m, ok
}

func (d *transientDB) expires(address string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.expiresAt[address]
}

func (d *transientDB) setExpires(address string, t int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expiresAt[address] = t
}

const (
	leaseEnds = 5000
	now       = 1500
)

// manager is the IpAddressManager.
type manager struct {
	db    addressDB
	timer timer
	login authorizer

	mu             sync.Mutex
	available      []string
	assigned       map[string]bool
	usePermanent   bool
	renewPermanent bool
}

func (m *manager) start() bool { return true }

func (m *manager) requestNew(mac string) string {
	if a, ok := m.db.address(mac); ok {
		return a
	}
	m.mu.Lock()
	if len(m.available) == 0 {
		m.mu.Unlock()
		return ""
	}
	a := m.available[0]
	m.available = m.available[1:]
	m.assigned[a] = true
	m.mu.Unlock()
	m.db.add(mac, a, leaseEnds)
	m.timer.setTimeout(leaseEnds)
	return a
}

func (m *manager) renew(mac, address string) bool {
	if have, ok := m.db.mac(address); !ok || have != mac {
		return false
	}
	m.mu.Lock()
	permanent := m.usePermanent && m.renewPermanent
	m.mu.Unlock()
	if permanent {
		return false
	}
	m.db.setExpires(address, leaseEnds)
	m.timer.setTimeout(leaseEnds)
	return true
}

func (m *manager) release(mac, address string) bool {
	if have, ok := m.db.mac(address); !ok || have != mac {
		return false
	}
	m.db.remove(address)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.giveBack(address)
	return true
}

// giveBack ends the use of an address. The manager is locked.
func (m *manager) giveBack(address string) {
	delete(m.assigned, address)
	m.available = append(m.available, address)
	m.login.addressInvalidated(address)
	if len(m.assigned) == 0 {
		m.timer.cancelTimeouts()
	}
}

// timeout takes back what has expired.
func (m *manager) timeout() {
	m.mu.Lock()
	defer m.mu.Unlock()
	var expired []string
	for a := range m.assigned {
		if m.db.expires(a) <= now {
			expired = append(expired, a)
		}
	}
	for _, a := range expired {
		m.db.remove(a)
		m.giveBack(a)
	}
}

// listener is the DhcpListener in front of the manager.
type listener struct{ manager dhcp }

func (l *listener) start() bool                      { return l.manager.start() }
func (l *listener) requestNew(mac string) string     { return l.manager.requestNew(mac) }
func (l *listener) renew(mac, address string) bool   { return l.manager.renew(mac, address) }
func (l *listener) release(mac, address string) bool { return l.manager.release(mac, address) }

// arbitrator decides who may pass.
type arbitrator struct {
	listener dhcp
	firewall blocker
	accounts *accountDB
	tickets  *classifier
	flyers   *flyerDB

	addressOf map[*token]string
	tokenOf   map[string]*token
}

func (a *arbitrator) start() bool { return a.listener.start() }

func (a *arbitrator) loginAccount(address, id, password string) bool {
	return a.register(a.accounts.token(id, password), address)
}

func (a *arbitrator) loginTicket(address, id string) bool {
	return a.register(a.tickets.token(id), address)
}

func (a *arbitrator) loginFlyer(address, id string) bool {
	return a.register(a.flyers.token(id), address)
}

func (a *arbitrator) recharge(id, card, expires string, amount int) bool {
	return a.accounts.recharge(id, card, expires, amount)
}

func (a *arbitrator) register(t *token, address string) bool {
	if t == nil {
		return false
	}
	t.setEvidence(t)
	t.start(a)
	a.addressOf[t] = address
	a.tokenOf[address] = t
	return a.firewall.disablePortBlock(address)
}

func (a *arbitrator) logout(address string) bool {
	t := a.tokenOf[address]
	return t != nil && t.invalidateAndSave()
}

func (a *arbitrator) addressInvalidated(address string) {
	if t := a.tokenOf[address]; t != nil {
		t.invalidateAndSave()
	}
}

func (a *arbitrator) tokenInvalidated(t *token) {
	address := a.addressOf[t]
	delete(a.addressOf, t)
	delete(a.tokenOf, address)
	a.firewall.enablePortBlock(address)
}

// system is all components, bound.
type system struct {
	login authorizer
	dhcp  dhcp
}

func newSystem() *system {
	m := &manager{db: newTransientDB(), assigned: make(map[string]bool)}
	for i := 1; i <= 7; i++ {
		m.available = append(m.available, "192.168.0."+strconv.Itoa(i))
	}
	m.timer = &callTimer{m}
	cards := new(cardCenter)
	accounts := &accountDB{cards: cards}
	af, csa := new(airline), new(airline)
	flyers := &flyerDB{af: af, csa: csa}
	for i := 1; i <= 3; i++ {
		n := strconv.Itoa(i)
		accounts.accounts.put("100"+n, &account{"100" + n, "Password" + n, 0})
		cards.cards.put("1111-2222-3333-440"+n, &card{"1111-2222-3333-440" + n, "01/10", 50000})
		class := "E"
		if i == 2 {
			class = "B"
		}
		af.tickets.put("AFR100"+n+class, &ticket{id: "AFR100" + n + class, arrival: i})
		csa.tickets.put("CSA100"+n+class, &ticket{id: "CSA100" + n + class, arrival: i})
	}
	for i := 1; i <= 2; i++ {
		id := "SKY100" + strconv.Itoa(i)
		flyers.flyers.put(id, &flyer{id})
	}
	a := &arbitrator{listener: &listener{m}, firewall: firewall{}, accounts: accounts, tickets: &classifier{af, csa}, flyers: flyers,
		addressOf: make(map[*token]string), tokenOf: make(map[string]*token)}
	m.login = a
	return &system{a, a.listener}
}

// traveller has no luck: no account, no tickets.
type traveller struct {
	system   *system
	requests int
}

func (c *traveller) run() {
	s := c.system
	var first, second string
	for i := range c.requests {
		switch i {
		case 0:
			s.login.start()
		case 1:
			first = s.dhcp.requestNew("00:00:00:00")
		case 2:
			s.login.loginAccount(first, "1005", "Password5")
		case 3:
			s.login.recharge("1005", "1111-2222-3333-4401", "01/10", 60)
		case 4:
			second = s.dhcp.requestNew("00:00:00:01")
		case 5:
			s.login.loginFlyer(second, "SKY1001")
		case 6:
			s.dhcp.renew("00:00:00:00", first)
		case 7:
			s.dhcp.release("00:00:00:01", second)
		}
	}
}

// passenger comes in and leaves again.
type passenger struct {
	system   *system
	requests int
}

func (c *passenger) run() {
	s := c.system
	address := ""
	for i := range c.requests {
		switch i {
		case 0:
			s.login.start()
		case 1:
			address = s.dhcp.requestNew("00:00:00:04")
		case 2:
			s.login.loginTicket(address, "AFR1002B")
		case 3:
			s.login.logout(address)
		}
	}
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *system

func main() {
	requests := number(1)
	s := newSystem()
	var wg sync.WaitGroup
	t, p := &traveller{s, requests}, &passenger{s, requests}
	wg.Go(t.run)
	wg.Go(p.run)
	wg.Wait()
	final = s
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
