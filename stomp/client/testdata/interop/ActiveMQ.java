import org.apache.activemq.broker.BrokerService;

/** An ActiveMQ with one connector, at the URL of the first argument, and its files below the folder of the second. */
public class ActiveMQ {
    public static void main(String[] args) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.setBrokerName("peer");
        broker.setDataDirectory(args[1]);
        broker.addConnector(args[0]);
        broker.start();
        broker.waitUntilStopped();
    }
}
