package httpx

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func prefixes(list ...string) (p []netip.Prefix) {
	for _, s := range list {
		p = append(p, netip.MustParsePrefix(s))
	}
	return p
}

func forwardedRequest(t *testing.T, lines string) *Request {
	t.Helper()
	r := &Request{Method: MethodGet}
	require.NoError(t, r.Header.Add("Host", "inside.example"))
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		require.NoError(t, r.Header.Add(name, value))
	}
	return r
}

var trusting = prefixes("10.0.0.0/8", "fd00::/8")

func TestOriginIsTheFirstAddressThatIsNotTrusted(t *testing.T) {
	for name, c := range map[string]struct {
		peer, lines, want string
	}{
		"no proxy":                      {"192.0.2.1", "", "192.0.2.1 http inside.example"},
		"a peer that is not trusted":    {"192.0.2.1", "X-Forwarded-For: 1.1.1.1\nX-Forwarded-Proto: https\nX-Forwarded-Host: a", "192.0.2.1 http inside.example"},
		"one proxy":                     {"10.0.0.1", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: https", "192.0.2.1 https inside.example"},
		"one proxy, a client that lies": {"10.0.0.1", "X-Forwarded-For: 1.1.1.1, 192.0.2.1", "192.0.2.1 http inside.example"},
		"a client that says it is one":  {"10.0.0.1", "X-Forwarded-For: 10.0.0.9, 192.0.2.1", "192.0.2.1 http inside.example"},
		"two proxies":                   {"10.0.0.1", "X-Forwarded-For: 1.1.1.1, 192.0.2.1, 10.0.0.2", "192.0.2.1 http inside.example"},
		"two lines":                     {"10.0.0.1", "X-Forwarded-For: 1.1.1.1\nX-Forwarded-For: 192.0.2.1,10.0.0.2", "192.0.2.1 http inside.example"},
		"a client inside":               {"10.0.0.1", "X-Forwarded-For: 10.1.1.1, 10.0.0.2", "10.1.1.1 http inside.example"},
		"a proxy that says nothing":     {"10.0.0.1", "", "10.0.0.1 http inside.example"},
		"empty elements":                {"10.0.0.1", "X-Forwarded-For: , 192.0.2.1 ,,", "192.0.2.1 http inside.example"},
		"no address":                    {"10.0.0.1", "X-Forwarded-For: 192.0.2.1, unknown", "invalid IP http inside.example"},
		"no address in front":           {"10.0.0.1", "X-Forwarded-For: unknown, 192.0.2.1", "192.0.2.1 http inside.example"},
		"IPv6":                          {"fd00::1", "X-Forwarded-For: 2001:db8::1", "2001:db8::1 http inside.example"},
		"IPv6 with a port":              {"fd00::1", "X-Forwarded-For: [2001:db8::1]:80", "2001:db8::1 http inside.example"},
		"IPv6 in brackets":              {"fd00::1", "X-Forwarded-For: [2001:db8::1]", "2001:db8::1 http inside.example"},
		"IPv4 in brackets":              {"fd00::1", "X-Forwarded-For: [192.0.2.1]", "invalid IP http inside.example"},
		"IPv4 with a port":              {"10.0.0.1", "X-Forwarded-For: 192.0.2.1:80", "192.0.2.1 http inside.example"},
		"IPv4 as IPv6":                  {"::ffff:10.0.0.1", "X-Forwarded-For: ::ffff:192.0.2.1", "192.0.2.1 http inside.example"},
		"a trusted one as IPv6":         {"10.0.0.1", "X-Forwarded-For: 192.0.2.1, ::ffff:10.0.0.2", "192.0.2.1 http inside.example"},
		"a zone":                        {"10.0.0.1", "X-Forwarded-For: fe80::1%eth0", "fe80::1 http inside.example"},
		"schemes of each proxy":         {"10.0.0.1", "X-Forwarded-For: 192.0.2.1, 10.0.0.2\nX-Forwarded-Proto: http, https, http", "192.0.2.1 https inside.example"},
		"one scheme for two proxies":    {"10.0.0.1", "X-Forwarded-For: 192.0.2.1, 10.0.0.2\nX-Forwarded-Proto: HTTPS", "192.0.2.1 https inside.example"},
		"a scheme without addresses":    {"10.0.0.1", "X-Forwarded-Proto: http, https", "10.0.0.1 https inside.example"},
		"a scheme that is none":         {"10.0.0.1", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: javascript", "192.0.2.1 http inside.example"},
		"a host nobody asked for":       {"10.0.0.1", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Host: a.example", "192.0.2.1 http inside.example"},
		"the other field":               {"10.0.0.1", "Forwarded: for=1.1.1.1;proto=https", "10.0.0.1 http inside.example"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Forwarded{Trusted: trusting}
			o := f.Find(netip.MustParseAddr(c.peer), forwardedRequest(t, c.lines))
			require.Equal(t, c.want, o.Addr.String()+" "+o.Scheme+" "+o.Host)
		})
	}
}

func TestOriginIsFoundInTheStandardField(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"one proxy":               {`Forwarded: for=192.0.2.1;proto=https;host=a.example;by=10.0.0.1`, "192.0.2.1 https a.example"},
		"a client that lies":      {`Forwarded: for=1.1.1.1;proto=https;host=evil, for=192.0.2.1`, "192.0.2.1 http inside.example"},
		"two proxies":             {`Forwarded: for=192.0.2.1;proto=https;host=a.example, for=10.0.0.2;proto=http;host=b.example`, "192.0.2.1 https a.example"},
		"two lines":               {"Forwarded: for=192.0.2.1;proto=https\nForwarded: for=10.0.0.2;host=b.example", "192.0.2.1 https b.example"},
		"quotes":                  {`Forwarded: For="[2001:db8::1]:4711" ; Proto="https"`, "2001:db8::1 https inside.example"},
		"escapes":                 {`Forwarded: for="192.0.2.\1"`, "192.0.2.1 http inside.example"},
		"no quotes":               {`Forwarded: for=[2001:db8::1]:4711`, "2001:db8::1 http inside.example"},
		"hidden":                  {`Forwarded: for=192.0.2.1, for=_hidden;proto=https`, "invalid IP https inside.example"},
		"unknown":                 {`Forwarded: for=unknown`, "invalid IP http inside.example"},
		"an element without for":  {`Forwarded: for=192.0.2.1, proto=https`, "invalid IP https inside.example"},
		"a comma within quotes":   {`Forwarded: for="1.1.1.1, for=10.0.0.2", for=192.0.2.1`, "192.0.2.1 http inside.example"},
		"quotes that never end":   {`Forwarded: for=", for=192.0.2.1`, "invalid IP http inside.example"},
		"a pair that comes twice": {`Forwarded: for=10.0.0.2;for=192.0.2.1`, "invalid IP http inside.example"},
		"no value":                {`Forwarded: for=`, "invalid IP http inside.example"},
		"no pair":                 {`Forwarded: for`, "invalid IP http inside.example"},
		"junk":                    {`Forwarded: for=192.0.2.1 x`, "invalid IP http inside.example"},
		"nothing":                 {``, "10.0.0.1 http inside.example"},
		"the other field":         {`X-Forwarded-For: 192.0.2.1`, "10.0.0.1 http inside.example"},
		"a bad host":              {`Forwarded: for=192.0.2.1;host="a/b"`, "192.0.2.1 http inside.example"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Forwarded{Trusted: trusting, Standard: true}
			o := f.Find(netip.MustParseAddr("10.0.0.1"), forwardedRequest(t, c.lines))
			require.Equal(t, c.want, o.Addr.String()+" "+o.Scheme+" "+o.Host)
			o = f.Find(netip.MustParseAddr("192.0.2.9"), forwardedRequest(t, c.lines))
			require.Equal(t, "192.0.2.9 http inside.example", o.Addr.String()+" "+o.Scheme+" "+o.Host)
		})
	}
}

func TestHostOfTheCommonFieldIsTakenOnRequest(t *testing.T) {
	f := Forwarded{Trusted: trusting, TrustHost: true, Scheme: "https"}
	proxy := netip.MustParseAddr("10.0.0.1")
	o := f.Find(proxy, forwardedRequest(t, "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Host: evil.example, a.example:8080"))
	require.Equal(t, Origin{netip.MustParseAddr("192.0.2.1"), "https", "a.example:8080"}, o)
	o = f.Find(proxy, forwardedRequest(t, "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Host: a/b"))
	require.Equal(t, "inside.example", o.Host)
	o = f.Find(netip.Addr{}, forwardedRequest(t, "X-Forwarded-For: 192.0.2.1"))
	require.False(t, o.Addr.IsValid(), "a peer without an address is not trusted")
}

func TestOriginOfAnExchangeIsFound(t *testing.T) {
	f := Forwarded{Trusted: prefixes("0.0.0.0/0", "::/0")}
	var o Origin
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, Init(ServerConfig{
		Handle: func(_ *pipeline.Context, x *Exchange) error {
			o = f.Of(x)
			return x.RespondText(200, "")
		},
	}))
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
	_ = ch.Wire()
	_, hasAddress := addrOf(ch.Channel().RemoteAddr()), addrOf(ch.Channel().RemoteAddr()).IsValid()
	require.Equal(t, hasAddress, o.Addr == netip.MustParseAddr("192.0.2.1"))
	require.Equal(t, "x", o.Host)
}

func TestAddressOfAPeerIsFound(t *testing.T) {
	require.Equal(t, "192.0.2.1", addrOf(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}).Unmap().String())
	require.False(t, addrOf(&net.UnixAddr{Name: "/a"}).IsValid())
	require.False(t, addrOf(nil).IsValid())
}

// FuzzForwarded checks that no field of a client behind a proxy changes what the proxy has said.
func FuzzForwarded(f *testing.F) {
	f.Add("for=1.1.1.1;proto=https, for=10.0.0.2")
	f.Add(`for="[fd00::1]:80";host="a\"b"`)
	f.Add(`for=", `)
	f.Fuzz(func(t *testing.T, sent string) {
		if !validValue(sent) {
			return
		}
		proxy := netip.MustParseAddr("10.0.0.1")
		for _, separate := range []bool{false, true} {
			var r Request
			for name, added := range map[string]string{"Forwarded": "for=192.0.2.1;proto=http;host=a", "X-Forwarded-For": "192.0.2.1"} {
				if separate {
					require.NoError(t, r.Header.Add(name, sent))
					require.NoError(t, r.Header.Add(name, added))
				} else {
					require.NoError(t, r.Header.Add(name, sent+", "+added))
				}
			}
			o := (&Forwarded{Trusted: trusting}).Find(proxy, &r)
			require.Equal(t, "192.0.2.1", o.Addr.String(), "%q", sent)
			o = (&Forwarded{Trusted: trusting, Standard: true}).Find(proxy, &r)
			if o.Addr.IsValid() {
				require.Equal(t, "192.0.2.1 http a", o.Addr.String()+" "+o.Scheme+" "+o.Host, "%q", sent)
			}
		}
	})
}
