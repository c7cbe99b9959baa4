package penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HelloTest {
    @ParameterizedTest
    @CsvSource({"hello,1", "hello,16", "legalhost,1", "techempower,1", "browser,1"})
    void nettyGivesTheReferenceAnswer(String request, int pipelined) {
        NettyHello row = new NettyHello();
        row.request = request;
        row.pipelined = pipelined;
        row.open();
        for (int i = 0; i < 3; i++) {
            check("Netty", "Hello, World!", 0x3c8f4d4aL, row.netty());
        }
    }

    @ParameterizedTest
    @CsvSource({"hello,1", "hello,16"})
    void vertxGivesTheReferenceAnswer(String request, int pipelined) throws Exception {
        VertxHello row = new VertxHello();
        row.request = request;
        row.pipelined = pipelined;
        row.open();
        for (int i = 0; i < 3; i++) {
            check("vert.x", "Hello, world!", 0x38e58b1cL, row.vertx());
        }
        row.close();
    }

    private static void check(String server, String body, long sum, Object answer) {
        String text = ((ByteBuf) answer).toString(StandardCharsets.US_ASCII);
        assertEquals("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nserver: " + server + "\r\ndate: " + Hello.DATE
            + "\r\ncontent-length: 13\r\n\r\n" + body, text);
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        assertEquals(sum, crc.getValue());
    }
}
