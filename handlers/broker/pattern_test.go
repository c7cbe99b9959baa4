package broker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWildcardsMatchSegments(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{"/topic/*", []string{"/topic/a", "/topic/"}, []string{"/topic", "/topic/a/b", "/topic/a.b", "/topic.a", "topic/a"}},
		{"/topic/a.*", []string{"/topic/a.b"}, []string{"/topic/a", "/topic/a/b", "/topic/a.b.c", "/topic/ab"}},
		{"/topic/*/c", []string{"/topic/a/c", "/topic/b/c"}, []string{"/topic/c", "/topic/a/b/c", "/topic/a/d"}},
		{"/*/*", []string{"/topic/a", "/x/y"}, []string{"/topic", "/topic/a/b"}},
		{"/topic/#", []string{"/topic", "/topic/a", "/topic/a/b", "/topic/a.b.c"}, []string{"/topics/a", "/topic.a"}},
		{"/topic/a.#", []string{"/topic/a", "/topic/a.b", "/topic/a.b.c"}, []string{"/topic/a/b", "/topic/b"}},
		{"/topic/>", []string{"/topic/a", "/topic/a/b", "/topic/a.b"}, []string{"/topic", "/topics/a"}},
		{"/topic/*.>", []string{"/topic/a.b", "/topic/a.b.c"}, []string{"/topic/a", "/topic/a/b"}},
		{"stock.*.#", []string{"stock.nyse", "stock.nyse.ibm"}, []string{"stock", "/stock.nyse"}},
		{"#", []string{"/topic/a", "a", "a.b", "/"}, []string{"/queue/a"}},
		{">", []string{"/topic/a", "a", "a.b"}, []string{"queue.a"}},
		{"*", []string{"a"}, []string{"/a", "a.b"}},
		{"/topic/a*", []string{"/topic/a*"}, []string{"/topic/ab"}}, // not a segment of its own
	}
	for _, tt := range tests {
		var b Broker
		in := attach(t, &b, tt.pattern, ConsumerConfig{Credit: 100})
		for _, name := range tt.yes {
			publish(t, &b, name, name)
			require.Equal(t, []string{name}, in.texts(), "%s: %s", tt.pattern, name)
		}
		for _, name := range tt.no {
			publish(t, &b, name, name)
			require.Empty(t, in.texts(), "%s: %s", tt.pattern, name)
		}
		b.Close()
	}
}

func TestNamesWithWildcardsInThemAreDeliveredOnce(t *testing.T) {
	var b Broker
	defer b.Close()
	for _, pattern := range []string{"/topic/*", "/topic/#", "/topic/>", "#"} {
		in := attach(t, &b, pattern, ConsumerConfig{Credit: 100})
		for _, name := range []string{"/topic/*", "/topic/#", "/topic/>"} {
			publish(t, &b, name, name)
			require.Equal(t, []string{name}, in.texts(), "%s: %s", pattern, name)
		}
		in.Close()
	}
}

func TestWildcardsAndNamesGetEachMessageOnceAndInOrder(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	exact := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 100})
	star := attach(t, &b, "/topic/*", ConsumerConfig{Credit: 100})
	rest := attach(t, &b, "/topic/>", ConsumerConfig{Credit: 100, Filter: func(m *Message) bool { return m.Text() != "2" }})
	publish(t, &b, "/topic/a", "1", "2")
	publish(t, &b, "/topic/b", "3")
	publish(t, &b, "/topic/b/c", "4")
	require.Equal(t, []string{"1", "2"}, exact.texts())
	require.Equal(t, []string{"1", "2", "3"}, star.texts())
	require.Equal(t, []string{"1", "3", "4"}, rest.texts())
	require.Equal(t, 2, b.Stats().Wildcards)
	star.Close()
	star.Close()
	rest.Close()
	require.Zero(t, b.Stats().Wildcards)
	require.Empty(t, b.patterns.root.children, "nothing is left of them")
	publish(t, &b, "/topic/b", "5")
	require.EqualValues(t, 1, b.Stats().Unrouted)
}

func TestBadPatternsAreRefused(t *testing.T) {
	var b Broker
	for _, name := range []string{"", "/topic/#/a", "/topic/>.b", "#.a", string(make([]byte, MaxNameBytes+1))} {
		_, err := b.Attach(name, ConsumerConfig{})
		require.ErrorIs(t, err, ErrName, "%q", name)
	}
	_, err := b.Attach(strings.Repeat("/a", MaxSegments)+"/#", ConsumerConfig{})
	require.ErrorIs(t, err, ErrName, "each segment of a pattern costs memory")
	require.Zero(t, b.Stats().Consumers)
	attach(t, &b, strings.Repeat("/a", MaxSegments-1)+"/#", ConsumerConfig{})
	attach(t, &b, strings.Repeat("/a", 3*MaxSegments), ConsumerConfig{})
	b.Close()
}

func TestQueuesHaveNoWildcards(t *testing.T) {
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/*", ConsumerConfig{Credit: 1})
	publish(t, &b, "/queue/a", "1")
	require.Empty(t, in.texts())
	publish(t, &b, "/queue/*", "2")
	require.Equal(t, []string{"2"}, in.texts())
}

func TestFullWildcardSubscriptionStopsItsTopicsOnly(t *testing.T) {
	var b Broker
	defer b.Close()
	attach(t, &b, "/topic/a/*", ConsumerConfig{Policy: PolicyPause, MaxMessages: 1})
	other := attach(t, &b, "/topic/a/x", ConsumerConfig{Credit: 10})
	publish(t, &b, "/topic/a/x", "1")
	_, err := b.Publish(message("/topic/a/x", "2"))
	require.ErrorIs(t, err, ErrFull)
	require.Len(t, other.all, 1)
	publish(t, &b, "/topic/b", "3")
}

func TestManyPatternsAreFoundByTheNameAlone(t *testing.T) {
	var b Broker
	defer b.Close()
	for i := range 1000 {
		attach(t, &b, fmt.Sprintf("/topic/%d/*", i), ConsumerConfig{})
	}
	w := b.patterns.find("/topic/77/x")
	defer w.put()
	require.Len(t, w.list, 1)
	require.Equal(t, "/topic/77/*", w.list[0].Destination())
}

// matches says the slow way whether a name matches a pattern.
func matches(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case strings.HasSuffix(pattern[0], "#"):
		return len(name) == 0 || pattern[0] == "#" || pattern[0][0] == name[0][0]
	case len(name) == 0:
		return false
	case strings.HasSuffix(pattern[0], ">"):
		return pattern[0] == ">" || pattern[0][0] == name[0][0]
	case pattern[0] == "*":
		return !isSeparator(name[0][0]) && matches(pattern[1:], name[1:])
	case strings.HasSuffix(pattern[0], "*"):
		return pattern[0][0] == name[0][0] && matches(pattern[1:], name[1:])
	}
	return pattern[0] == name[0] && matches(pattern[1:], name[1:])
}

func TestTreeOfPatternsFindsWhatOneByOneMatches(t *testing.T) {
	segment := func(of ...string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"/", "."}).Draw(t, "separator") + rapid.SampledFrom(of).Draw(t, "text")
		})
	}
	join := func(t *rapid.T, list []string) ([]string, string) {
		if rapid.Bool().Draw(t, "no separator in front") && len(list[0]) > 1 {
			list[0] = list[0][1:]
		}
		return list, strings.Join(list, "")
	}
	rapid.Check(t, func(t *rapid.T) {
		var p patterns
		kept := map[*Consumer][]string{}
		for range rapid.IntRange(1, 20).Draw(t, "patterns") {
			list := rapid.SliceOfN(segment("a", "b", "*"), 1, 4).Draw(t, "pattern")
			if end := rapid.SampledFrom([]string{"", "/#", ".#", "/>", ".>"}).Draw(t, "end"); end != "" {
				list = append(list, end)
			}
			c := &Consumer{}
			kept[c], c.name = join(t, list)
			p.root.add(c.name, c)
		}
		for range 10 {
			list, name := join(t, rapid.SliceOfN(segment("a", "b", "c"), 1, 5).Draw(t, "name"))
			var want members
			for c, pattern := range kept {
				if matches(pattern, list) {
					want = append(want, c)
				}
			}
			w := p.find(name)
			require.ElementsMatch(t, want, w.list, name)
			w.put()
		}
		for c := range kept {
			p.root.remove(c.name, c)
		}
		require.Empty(t, p.root.children)
	})
}
