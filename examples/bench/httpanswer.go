package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Every server gives this answer and a Date, and nothing else.
const (
	answerBody   = "Hello, World!"
	answerType   = "text/plain"
	answerServer = "bench"
)

var answerLength = strconv.Itoa(len(answerBody))

// checkAnswers asks once, then 16 times at once, and compares what comes. All servers must give the same.
func checkAnswers(addr string) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	in := bufio.NewReader(conn)
	request := "GET " + httpPath + " HTTP/1.1\r\nHost: " + addr + "\r\n\r\n"
	for _, n := range []int{1, 16} {
		if _, err := io.WriteString(conn, strings.Repeat(request, n)); err != nil {
			return err
		}
		for i := range n {
			if err := checkAnswer(in); err != nil {
				return fmt.Errorf("answer %d of %d: %w", i+1, n, err)
			}
		}
	}
	if n := in.Buffered(); n > 0 {
		return fmt.Errorf("%d bytes behind the last answer", n)
	}
	return nil
}

func checkAnswer(in *bufio.Reader) error {
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	want := map[string]string{
		"Content-Type": answerType, "Server": answerServer, "Content-Length": answerLength, "Date": r.Header.Get("Date"),
	}
	got := make(map[string]string)
	for name, values := range r.Header {
		got[name] = strings.Join(values, "|")
	}
	if r.StatusCode != http.StatusOK || string(body) != answerBody || !maps.Equal(got, want) || len(r.TransferEncoding) > 0 || r.Close {
		return fmt.Errorf("%s %v %q, fields wanted %v", r.Status, got, body, slices.Sorted(maps.Keys(want)))
	}
	if _, err := http.ParseTime(want["Date"]); err != nil {
		return fmt.Errorf("bad date: %w", err)
	}
	return nil
}
