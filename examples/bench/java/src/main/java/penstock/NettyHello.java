package penstock;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpHeaderNames.DATE;
import static io.netty.handler.codec.http.HttpHeaderNames.SERVER;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The reference row "netty": decoder, encoder and one handler, no checks of header values. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
public class NettyHello {
    @Param("hello")
    public String request;

    @Param("1")
    public int pipelined;

    private Hello hello;

    @Setup
    public void open() {
        EmbeddedChannel channel = new EmbeddedChannel(new Decoder(), new Encoder(), new Answer());
        channel.config().setAllocator(new ReusedBuffers(pipelined));
        hello = new Hello(channel, request, pipelined);
    }

    /** One op: the request, or pipelined ones, decoded, handled, encoded. */
    @Benchmark
    public Object netty() {
        return hello.run();
    }

    private static final class Decoder extends HttpRequestDecoder {
        Decoder() {
            super(4096, 8192, 8192, false, 128);
        }

        @Override
        protected boolean isContentAlwaysEmpty(HttpMessage m) {
            return false;
        }
    }

    private static final class Encoder extends HttpResponseEncoder {
        @Override
        public boolean acceptOutboundMessage(Object m) throws Exception {
            return m.getClass() == DefaultFullHttpResponse.class || super.acceptOutboundMessage(m);
        }
    }

    /** Answers each request, checking for the most frequent types first. */
    private static final class Answer extends ChannelInboundHandlerAdapter {
        private static final byte[] TEXT = "Hello, World!".getBytes(StandardCharsets.US_ASCII);
        private static final ByteBuf BODY =
            Unpooled.unreleasableBuffer(Unpooled.directBuffer(TEXT.length).writeBytes(TEXT));
        private static final AsciiString TYPE_VALUE = AsciiString.cached("text/plain");
        private static final AsciiString SERVER_VALUE = AsciiString.cached("Netty");
        private static final AsciiString DATE_VALUE = AsciiString.cached(Hello.DATE);
        private static final AsciiString LENGTH_VALUE = AsciiString.cached(String.valueOf(TEXT.length));

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object m) {
            if (m == LastHttpContent.EMPTY_LAST_CONTENT) {
                return;
            }
            if (m.getClass() == DefaultHttpRequest.class || m instanceof HttpRequest) {
                answer(ctx);
            } else {
                ReferenceCountUtil.release(m);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        private static void answer(ChannelHandlerContext ctx) {
            HttpHeaders headers = new DefaultHttpHeaders(false);
            headers.set(CONTENT_TYPE, TYPE_VALUE).set(SERVER, SERVER_VALUE).set(DATE, DATE_VALUE).set(CONTENT_LENGTH, LENGTH_VALUE);
            HttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                BODY.duplicate(), headers, EmptyHttpHeaders.INSTANCE);
            ctx.write(response, ctx.voidPromise());
        }
    }
}
