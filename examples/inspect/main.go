// Command inspect decodes bytes with the codecs of this module and prints what came out, as JSON.
//
//	go run ./examples/inspect stomp/testdata/stomp.json           # prints what each case delivers
//	go run ./examples/inspect -check stomp/testdata/stomp.json    # compares that with what it expects
//	printf 'SEND\ndestination:/q\n\nhello\0' | go run ./examples/inspect -codec stomp -raw
//	echo '47 45 54 20 2f' | go run ./examples/inspect -codec http-request -hex -eof
//
// A case file is an array of objects with an id, a kind, an input and what is expected of it; the files in the
// testdata of the protocols are such. With -check each case runs whole, octet by octet and cut at random, and all
// ways must come out alike. It ends with status 1 when something differs and 2 when it could not do its work.
package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
)

// errDiffers says that -check found something, which has been printed.
var errDiffers = errors.New("cases differ")

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout)
	switch {
	case errors.Is(err, errDiffers):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(2)
	}
}

// run is the command with its arguments.
func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	name := flags.String("codec", "", "codec to use, where the kind of a case does not tell: "+strings.Join(names(), ", "))
	compare := flags.Bool("check", false, "compare with what the cases expect and print what differs")
	fromHex := flags.Bool("hex", false, "decode standard input, hex digits, with -codec")
	fromRaw := flags.Bool("raw", false, "decode standard input as it is, with -codec")
	eof := flags.Bool("eof", false, "with -hex or -raw: the stream ends behind the input")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *name != "" && !slices.Contains(names(), *name) {
		return fmt.Errorf("no codec %q: there are %s", *name, strings.Join(names(), ", "))
	}
	if *fromHex || *fromRaw {
		return stream(*name, in, *fromHex, *eof, out)
	}
	if flags.NArg() != 1 {
		return errors.New("one case file is needed, or -hex or -raw")
	}
	list, err := load(flags.Arg(0), *name)
	if err != nil {
		return err
	}
	if *compare {
		return check(list, out)
	}
	return show(list, out)
}

// stream decodes what in has as one stream and prints it.
func stream(name string, in io.Reader, isHex, eof bool, out io.Writer) error {
	input, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if isHex {
		digits := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, string(input))
		if input, err = hex.DecodeString(digits); err != nil {
			return err
		}
	}
	for _, e := range entries() {
		if e.name == name {
			got, err := e.stream(input, eof)
			if err != nil {
				return err
			}
			text, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "%s\n", text)
			return err
		}
	}
	return errors.New("-hex and -raw need -codec")
}

// show prints what each case delivers when its input comes whole, as an array with one line for each.
func show(list []*testCase, out io.Writer) error {
	before := "[\n"
	for _, c := range list {
		text, err := json.Marshal(c.report())
		if err != nil {
			return err
		}
		if _, err = fmt.Fprintf(out, "%s%s", before, text); err != nil {
			return err
		}
		before = ",\n"
	}
	_, err := fmt.Fprintln(out, "\n]")
	return err
}

// check prints the cases that differ, each with how, then the totals.
func check(list []*testCase, out io.Writer) error {
	failed := 0
	for _, c := range list {
		way, differences := c.check()
		if len(differences) == 0 {
			continue
		}
		failed++
		fmt.Fprintf(out, "%s (%s)\n", c.id, way)
		for _, d := range differences {
			fmt.Fprintf(out, "    %s\n", d)
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", len(list)-failed, failed)
	if failed > 0 {
		return errDiffers
	}
	return nil
}
