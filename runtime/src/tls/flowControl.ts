import type { EventEmitter } from "node:events";
import type { ServerHttp2Session, ServerHttp2Stream, Settings } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import { fault } from "../fault.js";
import { flowControlWindowBytes } from "./grpcOptions.js";
import { writeInPieces } from "./smallWrites.js";

/** The private parts of grpc-js 1.14.7's Server that are touched here, and nowhere else. */
interface ServerInternals {
  commonServerOptions: { settings?: Settings };
  createHttp2Server(credentials: unknown): EventEmitter;
}

/**
 * Gives a grpc-js server the receive window that its clients get by the option `grpc-node.flow_control_window`
 * and that its servers ignore (grpc-node pull request 3058). To be called before `bindAsync`.
 *
 * Its streams write in pieces, too, so that a connection keeps no large buffer (smallWrites.ts).
 *
 * Two windows must grow: each stream's, announced in the HTTP/2 settings, and the connection's, which starts at
 * 64 KiB whatever the settings say and is raised by a WINDOW_UPDATE on each new session.
 *
 * The test beside this file uploads through a delaying proxy and fails when this stops working; grpc-js is pinned
 * exactly, so that this happens on an upgrade and not in a hospital.
 *
 * @throws ConsiliumError INTERNAL if the installed grpc-js no longer has the parts that are patched
 */
export function widenServerFlowControl(server: Server, windowBytes = flowControlWindowBytes): void {
  const internals = server as unknown as Partial<ServerInternals>;
  const { commonServerOptions, createHttp2Server } = internals;
  if (!commonServerOptions || typeof createHttp2Server !== "function") {
    throw fault("INTERNAL", "grpc.other-version", {});
  }
  commonServerOptions.settings = { ...commonServerOptions.settings, initialWindowSize: windowBytes };
  internals.createHttp2Server = (credentials) => {
    const http2Server = createHttp2Server.call(server, credentials);
    http2Server.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(windowBytes));
    http2Server.prependListener("stream", (stream: ServerHttp2Stream) => writeInPieces(stream));
    return http2Server;
  };
}
