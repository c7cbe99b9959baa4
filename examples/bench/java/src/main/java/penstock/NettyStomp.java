package penstock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.stomp.DefaultStompFrame;
import io.netty.handler.codec.stomp.StompFrame;
import io.netty.handler.codec.stomp.StompHeadersSubframe;
import io.netty.handler.codec.stomp.StompSubframeAggregator;
import io.netty.handler.codec.stomp.StompSubframeDecoder;
import io.netty.handler.codec.stomp.StompSubframeEncoder;
import io.netty.util.ReferenceCountUtil;
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

/**
 * The reference rows of STOMP. One op of encode writes a frame that is there already, with a promise, to a handler that
 * releases the octets; one op of decode reads a frame that came whole, with a content-length when it has a body.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
public class NettyStomp {
    private static final int LINE = 4096;
    private static final int CHUNK = 64 << 10;

    @Param("Seven")
    public String kind;

    @Param("0")
    public int size;

    @Param("true")
    public boolean pooled;

    /** Whether every op finds the body whole; the reference forgets that, so that from its second op on there is none. */
    @Param("true")
    public boolean rearmed;

    /** The last octets that were written, when they are wanted. */
    ByteBuf last;
    boolean keep;

    private StompFrame frame;
    private StompSubframeEncoder encoder;
    private ChannelHandlerContext ctx;
    private EmbeddedChannel reader;
    private ByteBuf wire;

    @Setup
    public void open() throws Exception {
        ByteBufAllocator alloc = pooled ? PooledByteBufAllocator.DEFAULT : UnpooledByteBufAllocator.DEFAULT;
        StompHeadersSubframe head = StompKinds.head(kind, size);
        frame = new DefaultStompFrame(head.command(), Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(body(size)).asReadOnly()));
        frame.headers().set(head.headers());
        encoder = new StompSubframeEncoder();
        EmbeddedChannel writer = new EmbeddedChannel(new Sink(), encoder);
        writer.config().setAllocator(alloc);
        ctx = writer.pipeline().context(encoder);

        StompFrame declared = new DefaultStompFrame(head.command(), Unpooled.wrappedBuffer(body(size)));
        declared.headers().set(head.headers());
        if (size > 0) {
            declared.headers().add("content-length", Integer.toString(size));
        }
        EmbeddedChannel once = new EmbeddedChannel(new StompSubframeEncoder());
        once.writeOutbound(declared);
        ByteBuf octets = once.readOutbound();
        wire = Unpooled.unreleasableBuffer(Unpooled.copiedBuffer(octets));
        octets.release();
        reader = new EmbeddedChannel(new StompSubframeDecoder(LINE, CHUNK), new StompSubframeAggregator(1 << 20));
        reader.config().setAllocator(alloc);
    }

    @Benchmark
    public Object encode() throws Exception {
        if (rearmed) {
            frame.content().readerIndex(0);
        }
        ChannelPromise promise = ctx.newPromise();
        encoder.write(ctx, frame.retain(), promise);
        return promise;
    }

    @Benchmark
    public int decode() {
        wire.setIndex(0, wire.capacity());
        reader.writeInbound(wire);
        StompFrame read = reader.readInbound();
        int n = read.content().readableBytes();
        read.release();
        return n;
    }

    private static byte[] body(int size) {
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++) {
            body[i] = (byte) (1 + i % 255);
        }
        return body;
    }

    /** Where the octets go. */
    private final class Sink extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext to, Object msg, ChannelPromise promise) {
            if (keep) {
                last = Unpooled.copiedBuffer((ByteBuf) msg);
            }
            ReferenceCountUtil.release(msg);
            promise.setSuccess();
        }
    }
}
