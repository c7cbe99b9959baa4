package penstock;

import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.Http1xServerConnection;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.net.impl.VertxHandler;
import java.lang.reflect.Constructor;
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
import org.openjdk.jmh.annotations.TearDown;

/** The reference rows "vertx", "vertxOpt" and "vertxOptMetricsOn": a server's connection with an application. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
public class VertxHello {
    private static final CharSequence TYPE_VALUE = HttpHeaders.createOptimized("text/plain");
    private static final CharSequence SERVER_VALUE = HttpHeaders.createOptimized("vert.x");
    private static final CharSequence DATE_VALUE = HttpHeaders.createOptimized(Hello.DATE);
    private static final CharSequence LENGTH_VALUE = HttpHeaders.createOptimized("13");
    private static final Buffer BODY = Buffer.buffer("Hello, world!");

    @Param("hello")
    public String request;

    @Param("1")
    public int pipelined;

    private VertxInternal vertx;
    private Hello hello;

    @Setup
    public void open() throws Exception {
        vertx = (VertxInternal) Vertx.vertx();
        HttpServerOptions options = new HttpServerOptions();
        EmbeddedChannel channel = new EmbeddedChannel(new VertxHttpRequestDecoder(options), encoder());
        channel.config().setAllocator(new ReusedBuffers(pipelined));
        ContextInternal context = vertx.createEventLoopContext(channel.eventLoop(), null, VertxHello.class.getClassLoader());
        VertxHandler<Http1xServerConnection> handler = VertxHandler.create(
            ctx -> new Http1xServerConnection(() -> context, null, options, ctx, context, "localhost", null));
        handler.addHandler(connection -> connection.handler(VertxHello::answer));
        channel.pipeline().addLast(handler);
        hello = new Hello(channel, request, pipelined);
    }

    @TearDown
    public void close() {
        vertx.close();
    }

    /** The encoder is private to its package. */
    private static ChannelHandler encoder() throws Exception {
        Constructor<?> c = Class.forName("io.vertx.core.http.impl.VertxHttpResponseEncoder").getDeclaredConstructor();
        c.setAccessible(true);
        return (ChannelHandler) c.newInstance();
    }

    private static void answer(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        MultiMap headers = response.headers();
        headers.add(HttpHeaders.CONTENT_TYPE, TYPE_VALUE);
        headers.add(HttpHeaders.SERVER, SERVER_VALUE);
        headers.add(HttpHeaders.DATE, DATE_VALUE);
        headers.add(HttpHeaders.CONTENT_LENGTH, LENGTH_VALUE);
        response.end(BODY);
    }

    @Benchmark
    public Object vertx() {
        return hello.run();
    }

    @Benchmark
    @Fork(value = 1, jvmArgsAppend = {
        "-Dvertx.threadChecks=false",
        "-Dvertx.disableContextTimings=true",
        "-Dvertx.disableTCCL=true",
        "-Dvertx.disableHttpHeadersValidation=true",
        "-Dvertx.disableMetrics=true",
    })
    public Object vertxOpt() {
        return hello.run();
    }

    @Benchmark
    @Fork(value = 1, jvmArgsAppend = {
        "-Dvertx.threadChecks=false",
        "-Dvertx.disableContextTimings=true",
        "-Dvertx.disableTCCL=true",
        "-Dvertx.disableHttpHeadersValidation=true",
        "-Dvertx.disableMetrics=false",
    })
    public Object vertxOptMetricsOn() {
        return hello.run();
    }
}
