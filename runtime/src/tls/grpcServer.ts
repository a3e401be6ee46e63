import { nameOf } from "@consilium/core/said";
import { Server, type ServerCredentials } from "@grpc/grpc-js";
import { fault } from "../fault.js";
import { type Address, formatAddress } from "./address.js";
import { type ConnectionLimits, limitConnections } from "./connectionLimits.js";
import { widenServerFlowControl } from "./flowControl.js";
import { grpcServerOptions } from "./grpcOptions.js";

/**
 * A gRPC server with the limits, keepalive and receive window that all of ours have. Services are added by the caller.
 * @param limits - of a server that strangers reach
 */
export function createGrpcServer(limits?: ConnectionLimits): Server {
  const idle = limits?.idleMs === undefined ? {} : { "grpc.max_connection_idle_ms": limits.idleMs };
  const server = new Server({ ...grpcServerOptions, ...idle });
  widenServerFlowControl(server);
  if (limits !== undefined) limitConnections(server, limits);
  return server;
}

/**
 * Starts to listen.
 * @param address - port 0 picks a free one
 * @returns the port
 * @throws ConsiliumError PORT_IN_USE if the address cannot be listened on
 */
export async function listenGrpc(
  server: Server,
  address: Address,
  credentials: ServerCredentials,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(formatAddress(address), credentials, (cause, port) => {
      if (cause) {
        reject(
          fault("PORT_IN_USE", "address.in-use", { address: nameOf(formatAddress(address)) }, { cause }),
        );
      } else {
        resolve(port);
      }
    });
  });
}

/** Stops accepting calls, waits for the running ones up to `graceMs`, then cuts them. */
export async function closeGrpc(server: Server, graceMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
