import { maxMessageBytes } from "@consilium/core/limits";
import type { ChannelOptions } from "@grpc/grpc-js";

/**
 * Bytes a sender may have under way before the receiver acknowledges them, per stream and per connection. At the
 * default of 64 KiB a round trip of 50 ms allows 1.3 MB/s at best; 4 MiB allows 80 MB/s.
 */
export const flowControlWindowBytes = 4 * 1024 * 1024;

/**
 * A ping this often keeps idle load balancers and firewalls from forgetting the connection (the shortest common
 * limit is 60 s), and finds a dead peer within `keepaliveIntervalMs + keepaliveTimeoutMs`.
 */
const keepaliveIntervalMs = 20_000;
const keepaliveTimeoutMs = 10_000;

/**
 * A connection without a call is closed after this: anyone who needs it again opens another. A site's own holds its control
 * stream open.
 */
const connectionIdleMs = 60_000;

const shared: ChannelOptions = {
  "grpc.keepalive_time_ms": keepaliveIntervalMs,
  "grpc.keepalive_timeout_ms": keepaliveTimeoutMs,
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
};

/**
 * Options of every server. grpc-js's servers accept any number of client pings, so nothing has to permit them.
 * Sessions are not registered with channelz: nobody reads it.
 */
export const grpcServerOptions: ChannelOptions = {
  ...shared,
  "grpc.max_concurrent_streams": 256,
  "grpc.max_connection_idle_ms": connectionIdleMs,
  "grpc.enable_channelz": 0,
};

/**
 * Options of every client channel. A call that fails is not repeated by gRPC: uploads resume where they were, by the
 * protocol's own rules. The way through a proxy is ours (clientCredentials.ts), whatever the environment says.
 */
export const grpcClientOptions: ChannelOptions = {
  ...shared,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc-node.flow_control_window": flowControlWindowBytes,
  "grpc.initial_reconnect_backoff_ms": 500,
  "grpc.max_reconnect_backoff_ms": 10_000,
  // A name is looked up again with each attempt; by default a restarted server may wait 30 s for that.
  "grpc.dns_min_time_between_resolutions_ms": 1_000,
  "grpc.enable_retries": 0,
  "grpc.enable_channelz": 0,
  "grpc.enable_http_proxy": 0,
};
