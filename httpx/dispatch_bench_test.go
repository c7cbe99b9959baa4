package httpx

import (
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// What telling messages apart costs: one switch on concrete types, as all handlers of this package do it, against chains
// of interface assertions, as frameworks do whose messages are interfaces. Each function says which of eight kinds its
// message is. "hit last" gives all of them a message of the last kind, "miss" one of none, "in turns" one after another.
//
//	go test -run - -bench Dispatch ./httpx

type (
	kind0 struct{ n int }
	kind1 struct{ n int }
	kind2 struct{ n int }
	kind3 struct{ n int }
	kind4 struct{ n int }
	kind5 struct{ n int }
	kind6 struct{ n int }
	kind7 struct{ n int }
	other struct{}

	is0 interface{ Kind0() int }
	is1 interface{ Kind1() int }
	is2 interface{ Kind2() int }
	is3 interface{ Kind3() int }
	is4 interface{ Kind4() int }
	is5 interface{ Kind5() int }
	is6 interface{ Kind6() int }
	is7 interface{ Kind7() int }
)

func (k *kind0) Kind0() int { return k.n }
func (k *kind1) Kind1() int { return k.n }
func (k *kind2) Kind2() int { return k.n }
func (k *kind3) Kind3() int { return k.n }
func (k *kind4) Kind4() int { return k.n }
func (k *kind5) Kind5() int { return k.n }
func (k *kind6) Kind6() int { return k.n }
func (k *kind7) Kind7() int { return k.n }

//go:noinline
func concreteSwitch(m any) int {
	switch m := m.(type) {
	case *kind0:
		return m.n
	case *kind1:
		return m.n
	case *kind2:
		return m.n
	case *kind3:
		return m.n
	case *kind4:
		return m.n
	case *kind5:
		return m.n
	case *kind6:
		return m.n
	case *kind7:
		return m.n
	}
	return -1
}

//go:noinline
func interfaceSwitch(m any) int {
	switch m := m.(type) {
	case is0:
		return m.Kind0()
	case is1:
		return m.Kind1()
	case is2:
		return m.Kind2()
	case is3:
		return m.Kind3()
	case is4:
		return m.Kind4()
	case is5:
		return m.Kind5()
	case is6:
		return m.Kind6()
	case is7:
		return m.Kind7()
	}
	return -1
}

// concreteThenInterface is what an encoder does that also takes types of its users.
//
//go:noinline
func concreteThenInterface(m any) int {
	switch m := m.(type) {
	case *kind0:
		return m.n
	case *kind1:
		return m.n
	case *kind2:
		return m.n
	case is7:
		return m.Kind7()
	}
	return -1
}

// interfaceChain is one assertion behind the other, as handlers in a row make them.
//
//go:noinline
func interfaceChain(m any) int {
	if k, ok := m.(is0); ok {
		return k.Kind0()
	}
	if k, ok := m.(is1); ok {
		return k.Kind1()
	}
	if k, ok := m.(is2); ok {
		return k.Kind2()
	}
	if k, ok := m.(is3); ok {
		return k.Kind3()
	}
	if k, ok := m.(is4); ok {
		return k.Kind4()
	}
	if k, ok := m.(is5); ok {
		return k.Kind5()
	}
	if k, ok := m.(is6); ok {
		return k.Kind6()
	}
	if k, ok := m.(is7); ok {
		return k.Kind7()
	}
	return -1
}

// dispatchers are the ways; dispatchInputs the messages, a power of two of them.
var dispatchers = []struct {
	name string
	tell func(m any) int
}{
	{"concrete switch", concreteSwitch},
	{"interface switch", interfaceSwitch},
	{"concrete then interface", concreteThenInterface},
	{"interface chain", interfaceChain},
}

func dispatchInputs() map[string][]any {
	return map[string][]any{
		"hit first": {&kind0{}},
		"hit last":  {&kind7{}},
		"miss":      {&other{}},
		"in turns":  {&kind0{}, &kind5{}, &kind2{}, &kind7{}, &kind1{}, &kind4{}, &kind3{}, &kind6{}},
	}
}

func BenchmarkDispatch(b *testing.B) {
	for _, input := range []string{"hit first", "hit last", "miss", "in turns"} {
		messages := dispatchInputs()[input]
		for _, d := range dispatchers {
			b.Run(input+"/"+d.name, func(b *testing.B) {
				i, sum := 0, 0
				for b.Loop() {
					sum += d.tell(messages[i&(len(messages)-1)])
					i++
				}
			})
			b.Run(input+"/"+d.name+"/parallel", func(b *testing.B) {
				b.RunParallel(func(p *testing.PB) {
					i, sum := 0, 0
					for p.Next() {
						sum += d.tell(messages[i&(len(messages)-1)])
						i++
					}
				})
			})
		}
	}
}

// BenchmarkEncoderDispatch is the same in the place where it counts: what ResponseEncoder pays to know its messages.
func BenchmarkEncoderDispatch(b *testing.B) {
	e := NewResponseEncoder(nil)
	full := NewFullResponse(200)
	defer full.Release()
	own := &struct{ FullResponse }{}
	octets := buffer.FromString("x")
	defer octets.Release()
	for _, row := range []struct {
		name string
		m    any
		want bool
	}{
		{"FullResponse", full, true}, {"Content", EmptyLast, true}, {"a type of the user", own, true}, {"octets", octets, false},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				if e.Accepts(row.m) != row.want {
					b.Fatal("wrong")
				}
			}
		})
	}
}

// The four ways must agree, or the figures mean nothing.
func TestAllWaysToTellMessagesApartAgree(t *testing.T) {
	for _, messages := range dispatchInputs() {
		for i, m := range messages {
			for _, d := range dispatchers {
				got, none := d.tell(m), -1
				if _, miss := m.(*other); miss != (got == none) && d.name != "concrete then interface" {
					t.Fatalf("%s tells %d of message %d", d.name, got, i)
				}
			}
		}
	}
}
