package penstock;

import io.netty.handler.codec.stomp.DefaultStompHeadersSubframe;
import io.netty.handler.codec.stomp.StompCommand;
import io.netty.handler.codec.stomp.StompHeaders;
import io.netty.handler.codec.stomp.StompHeadersSubframe;

/** The fixtures of the Go rows with the same names. */
final class StompKinds {
    private static final String UUID = "11111111-2222-4333-8444-555555555555";
    private static final String TIME = "1700000000000";

    private StompKinds() {
    }

    /** Command and headers of a row; with a body a RECEIPT is an ERROR, as in Go. */
    static StompHeadersSubframe head(String kind, int size) {
        switch (kind) {
            case "One":
                return head(size > 0 ? StompCommand.ERROR : StompCommand.RECEIPT, "receipt-id", UUID);
            case "Three":
                return head(StompCommand.ERROR, "receipt-id", UUID, "content-type", "text/plain", "message", "malformed frame received");
            case "Seven":
                return message("7");
            case "Eleven":
                return message("11", "Strict-Transport-Security", "max-age=31536000; includeSubdomains; preload", "Server",
                    "GitHub.com", "Expires", "Sat, 01 Jan 2000 00:00:00 GMT", "Content-Language", "en");
            case "Twenty":
                return message("20", "date", "Wed, 22 Apr 2015 00:40:28 GMT", "expires", "Tue, 31 Mar 1981 05:00:00 GMT",
                    "last-modified", "Wed, 22 Apr 2015 00:40:28 GMT", "ms", "ms", "pragma", "no-cache", "server", "tsa_b",
                    "set-cookie", "noneofyourbusiness", "strict-transport-security", "max-age=631138519", "version", "STOMP_v1.2",
                    "x-connection-hash", "e176fe40accc1e2c613a34bc1941aa98", "x-content-type-options", "nosniff",
                    "x-frame-options", "SAMEORIGIN", "x-transaction", "a54142ede693444d9");
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    private static StompHeadersSubframe message(String subscription, String... more) {
        StompHeadersSubframe head = head(StompCommand.MESSAGE, "subscription", subscription, "message-id", UUID,
            "destination", "/queue/chat", "content-type", "application/octet-stream", "ack", UUID, "timestamp", TIME);
        add(head.headers(), more);
        return head;
    }

    private static StompHeadersSubframe head(StompCommand command, String... headers) {
        StompHeadersSubframe head = new DefaultStompHeadersSubframe(command);
        add(head.headers(), headers);
        return head;
    }

    private static void add(StompHeaders to, String... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            to.add(namesAndValues[i], namesAndValues[i + 1]);
        }
    }
}
