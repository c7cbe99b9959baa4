# One scenario of a ruby-stomp client: peer.rb PORT VERSION SCENARIO. It prints "done" when all was as it should be.
require 'securerandom'
require 'stomp'
require 'timeout'

PORT = ARGV[0].to_i
VERSION = ARGV[1]
QUEUE = "/queue/ruby-#{SecureRandom.hex(8)}"

def check(ok, what)
  raise what unless ok
end

def connect(beat: '0,0', passcode: 'guest')
  c = Stomp::Connection.new(
    hosts: [{ login: 'guest', passcode: passcode, host: '127.0.0.1', port: PORT }], reliable: false,
    connect_headers: { 'accept-version' => VERSION, 'host' => '/', 'heart-beat' => beat }
  )
  check(c.protocol == VERSION, "version #{c.protocol}")
  c
end

# receipt waits for one; what comes before it is kept for want.
def receipt(c, name)
  kept = (@kept ||= Hash.new { |h, k| h[k] = [] })
  Timeout.timeout(20) do
    loop do
      m = c.receive
      check(m.command != 'ERROR', "ERROR #{m.headers}")
      return if m.command == 'RECEIPT' && m.headers['receipt-id'] == name
      kept[c] << m
    end
  end
end

def want(c, *bodies, redelivered: nil)
  kept = (@kept ||= Hash.new { |h, k| h[k] = [] })
  bodies.map do |body|
    m = kept[c].shift || Timeout.timeout(20) { c.receive }
    check(m.command == 'MESSAGE' && m.body == body, "#{m.command} #{m.body.inspect} came instead of #{body.inspect}")
    check((m.headers['redelivered'] == 'true') == redelivered, "redelivered: #{m.headers}") unless redelivered.nil?
    m
  end
end

def send_all(c, *bodies, **headers)
  bodies.each_with_index do |body, i|
    c.publish(QUEUE, body, { 'receipt' => "r#{i}" }.merge(headers.transform_keys(&:to_s)))
    receipt(c, "r#{i}")
  end
end

def subscribe(c, ack, **more)
  c.subscribe(QUEUE, { 'ack' => ack, 'id' => 's', 'receipt' => 'subscribed' }.merge(more.transform_keys(&:to_s)), 's')
  receipt(c, 'subscribed')
end

def settle(c, verb, m, **more)
  headers = more.transform_keys(&:to_s).merge('receipt' => 'settled')
  headers['subscription'] = m.headers['subscription'] if VERSION == '1.1'
  id = VERSION == '1.2' ? m.headers['ack'] : m.headers['message-id']
  c.send(verb, id, headers)
  receipt(c, 'settled')
end

def close(c)
  Timeout.timeout(20) { c.disconnect('receipt' => 'bye') }
  check(c.disconnect_receipt.headers['receipt-id'] == 'bye', 'no receipt for DISCONNECT')
end

def bodies(from, to)
  (from...to).map { |i| "body#{i}" }
end

def acks
  c = connect
  send_all(c, *bodies(0, 6))
  first = connect
  subscribe(first, 'client')
  settle(first, :ack, want(first, *bodies(0, 6), redelivered: false)[2])
  close(first)
  second = connect
  subscribe(second, VERSION == '1.0' ? 'client' : 'client-individual')
  got = want(second, *bodies(3, 6), redelivered: true)
  settle(second, :ack, VERSION == '1.0' ? got[0] : got[1])
  close(second)
  third = connect
  subscribe(third, 'auto')
  left = VERSION == '1.0' ? bodies(4, 6) : %w[body3 body5]
  want(third, *left, redelivered: true)
  [c, third].each { |x| close(x) }
end

def nacks
  c = connect
  send_all(c, 'a', 'b')
  subscribe(c, 'client-individual', 'prefetch-count': '1')
  settle(c, :nack, want(c, 'a', redelivered: false)[0])
  settle(c, :ack, want(c, 'a', redelivered: true)[0])
  settle(c, :ack, want(c, 'b', redelivered: false)[0])
  close(c)
end

def transactions
  c = connect
  subscribe(c, 'client')
  c.begin('t1', 'receipt' => 'begun')
  receipt(c, 'begun')
  send_all(c, 'never', transaction: 't1')
  c.abort('t1', 'receipt' => 'aborted')
  receipt(c, 'aborted')
  c.begin('t2', 'receipt' => 'begun')
  receipt(c, 'begun')
  send_all(c, 'a', 'b', transaction: 't2')
  check(@kept[c].empty?, 'a message came before COMMIT')
  c.commit('t2', 'receipt' => 'committed')
  receipt(c, 'committed')
  settle(c, :ack, want(c, 'a', 'b')[1])
  close(c)
end

def heartbeats
  c = connect(beat: '500,500')
  subscribe(c, 'auto')
  sleep 3
  check(c.open?, 'the connection did not last')
  send_all(c, 'still here')
  want(c, 'still here')
  check(c.hbrecv_count > 1, "#{c.hbrecv_count} heart-beats came")
  puts "#{c.hbsend_count} heart-beats went, #{c.hbrecv_count} came"
  close(c)
end

send(ARGV[2])
puts 'done'
