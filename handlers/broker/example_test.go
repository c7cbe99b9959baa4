package broker_test

import (
	"fmt"

	"github.com/penstock-go/penstock/handlers/broker"
)

// A queue gives each message to one consumer; what fails comes again, in its place and marked.
func Example() {
	var b broker.Broker
	defer b.Close()

	for _, text := range []string{"first order", "second order"} {
		m := broker.NewMessage("/queue/orders")
		m.AppendProperty("priority", "4")
		m.AppendString(text)
		if pause, err := b.Publish(m); err != nil || pause != nil {
			fmt.Println("full", err) // a session stops reading until pause.OnResume calls
		}
	}

	var inbox []*broker.Delivery // a session posts to its event loop instead
	consumer, err := b.Attach("/queue/orders", broker.ConsumerConfig{
		Deliver: func(d *broker.Delivery) { inbox = append(inbox, d) },
		Credit:  1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer consumer.Close()

	for tries := 0; len(inbox) > 0; tries++ {
		d := inbox[0]
		inbox = inbox[1:]
		fmt.Printf("%s, try %d, redelivered %t\n", d.Message.Text(), d.Count, d.Redelivered)
		if tries == 0 {
			d.Retry()
			consumer.Grant(1)
			continue
		}
		d.AcceptAndGrant()
	}
	stats := b.Stats()
	fmt.Println(stats.Acknowledged, "accepted,", stats.Messages, "left")
	// Output:
	// first order, try 1, redelivered false
	// first order, try 2, redelivered true
	// second order, try 1, redelivered false
	// 2 accepted, 0 left
}

// A transaction takes a message from one queue and puts the answer into another, both or neither.
func ExampleTransaction() {
	var b broker.Broker
	defer b.Close()

	question := broker.NewMessage("/queue/questions")
	question.AppendString("6 x 7")
	_, _ = b.Publish(question)

	var inbox []*broker.Delivery
	consumer, _ := b.Attach("/queue/questions", broker.ConsumerConfig{
		Deliver: func(d *broker.Delivery) { inbox = append(inbox, d) },
		Credit:  1,
	})
	defer consumer.Close()

	tx := b.Begin()
	answer := broker.NewMessage("/queue/answers")
	answer.AppendString(inbox[0].Message.Text() + " = 42")
	_ = tx.Publish(answer)
	_ = tx.Accept(inbox[0])
	_, err := tx.Commit()
	fmt.Println(err)
	b.Destinations(func(s broker.DestinationStats) bool {
		if s.Messages > 0 {
			fmt.Println(s.Name, s.Messages)
		}
		return true
	})
	// Output:
	// <nil>
	// /queue/answers 1
}
