package main

import "errors"

// entry is what inspect knows of one codec.
type entry struct {
	name   string                                    // for -codec
	kinds  []string                                  // of the cases that it may run
	parse  func(raw []byte) (*testCase, error)       // reads a case of one of the kinds; unknown fields are an error
	stream func(input []byte, eof bool) (any, error) // decodes one stream
}

// errOther is what parse returns for a case whose kind is right and which is another codec's all the same.
var errOther = errors.New("the case is for another codec")

// entries is the table of codecs. To add one write a file with its entry and name it here.
func entries() []entry {
	return []entry{stompEntry(), requestEntry(), responseEntry(), websocketEntry()}
}

func names() []string {
	all := entries()
	list := make([]string, len(all))
	for i, e := range all {
		list[i] = e.name
	}
	return list
}
