package penstock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;

/** What one op of the hello rows feeds, and takes. */
final class Hello {
    /** The date stands still, as in the reference benchmark; 29 characters. */
    static final String DATE = "Thu, 01 Jan 1970 00:00:00 GMT";

    private final EmbeddedChannel channel;
    private final ByteBuf input;
    private final int answers;

    Hello(EmbeddedChannel channel, String request, int pipelined) {
        this.channel = channel;
        this.answers = pipelined;
        input = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(text(request).repeat(pipelined).getBytes(StandardCharsets.US_ASCII)));
    }

    /** Feeds the requests and takes the answers out; the last one, which the channel's allocator gives out again later. */
    Object run() {
        input.setIndex(0, input.capacity());
        channel.writeInbound(input);
        Object last = null;
        for (int i = 0; i < answers; i++) {
            last = channel.outboundMessages().poll();
        }
        return last;
    }

    /** The requests of the Go rows with the same names. */
    private static String text(String name) {
        switch (name) {
            case "hello": // the reference benchmark's own, without a Host
                return "GET / HTTP/1.1\r\n\r\n";
            case "legalhost":
                return "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
            case "techempower":
                return "GET /plaintext HTTP/1.1\r\nHost: server\r\n"
                    + "Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7\r\n"
                    + "Connection: keep-alive\r\n\r\n";
            case "browser":
                return "GET /index.html?page=3 HTTP/1.1\r\nHost: www.example.com\r\nConnection: keep-alive\r\n"
                    + "Cache-Control: max-age=0\r\n"
                    + "sec-ch-ua: \"Chromium\";v=\"126\", \"Not.A/Brand\";v=\"24\"\r\nsec-ch-ua-mobile: ?0\r\n"
                    + "sec-ch-ua-platform: \"Linux\"\r\nUpgrade-Insecure-Requests: 1\r\n"
                    + "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36\r\n"
                    + "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n"
                    + "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n"
                    + "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n";
            default:
                throw new IllegalArgumentException(name);
        }
    }
}
