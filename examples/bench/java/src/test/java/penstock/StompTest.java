package penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBufUtil;
import java.util.zip.CRC32;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StompTest {
    @ParameterizedTest
    @CsvSource({"One,002c12f6", "Three,aea84617", "Seven,bc4efb2a", "Eleven,7f27ba69", "Twenty,d9157c2a"})
    void nettyWritesTheReferenceOctets(String kind, String sum) throws Exception {
        NettyStomp row = open(kind, 0);
        for (int i = 0; i < 3; i++) {
            row.encode();
            CRC32 crc = new CRC32();
            crc.update(ByteBufUtil.getBytes(row.last));
            assertEquals(sum, String.format("%08x", crc.getValue()));
        }
    }

    @ParameterizedTest
    @CsvSource({"One,10", "Three,100", "Seven,1000", "Eleven,10000", "Twenty,10000"})
    void everyOpHasTheBody(String kind, int size) throws Exception {
        NettyStomp empty = open(kind, 0);
        NettyStomp row = open(kind, size);
        empty.encode();
        int head = empty.last.readableBytes() + (kind.equals("One") ? "ERROR".length() - "RECEIPT".length() : 0);
        for (int i = 0; i < 3; i++) {
            row.encode();
            assertEquals(head + size, row.last.readableBytes());
            assertEquals(size, row.decode());
        }
    }

    private static NettyStomp open(String kind, int size) throws Exception {
        NettyStomp row = new NettyStomp();
        row.kind = kind;
        row.size = size;
        row.pooled = true;
        row.rearmed = true;
        row.keep = true;
        row.open();
        return row;
    }
}
