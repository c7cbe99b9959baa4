package penstock;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The reference benchmark's stand-in for an allocator: the same few heap buffers, cleared, again and again, so that
 * allocation costs nothing. There is one for each answer that an op has under way. Anything else is refused.
 */
final class ReusedBuffers extends AbstractByteBufAllocator {
    private static final int SIZE = 512;

    private final ByteBuf[] buffers;
    private int next;

    ReusedBuffers(int count) {
        super(false);
        buffers = new ByteBuf[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = Unpooled.buffer(SIZE, SIZE);
        }
    }

    @Override
    protected ByteBuf newHeapBuffer(int initial, int most) {
        if (initial > SIZE) {
            throw new IllegalArgumentException("buffer of " + initial + " bytes");
        }
        ByteBuf b = buffers[next];
        next = next + 1 == buffers.length ? 0 : next + 1;
        return b.clear();
    }

    @Override
    protected ByteBuf newDirectBuffer(int initial, int most) {
        throw new UnsupportedOperationException("direct buffer");
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
