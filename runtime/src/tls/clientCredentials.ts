import type { Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { ConsiliumError } from "@consilium/core/errors";
import { CallCredentials, ChannelCredentials, type ChannelOptions } from "@grpc/grpc-js";
import { fault } from "../fault.js";
import type { Role } from "../identity/names.js";
import type { RevocationList } from "../identity/revoked.js";
import { verifyPeer } from "../identity/verify.js";
import { shakeHands } from "../network/presented.js";
import type { WebProxy } from "../network/proxy.js";
import { RouteFault, stepMs } from "../network/routeFault.js";
import { type Address, formatAddress } from "./address.js";
import { grpcClientOptions } from "./grpcOptions.js";
import { minimumTlsVersion } from "./policy.js";

export interface ClientOptions {
  /** Absent only to enrol. */
  readonly identity?: { readonly tlsKeyPem: string; readonly chainPem: string } | undefined;
  /** The pinned root. */
  readonly rootPem: string;
  readonly serverRole: Role;
  /** Through which to go; null for the direct way. */
  readonly proxy?: WebProxy | null;
  readonly now?: () => number;
  readonly revocations?: () => RevocationList | undefined;
  /** Told of each connection that failed, for gRPC reports little of it. */
  readonly onFault?: (fault: ConsiliumError) => void;
}

/** What a gRPC client is made of: `new Federation(target, credentials, options)`. */
interface ClientChannel {
  readonly target: string;
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/**
 * A channel to an address, directly or through a proxy, that presents a certificate, if there is one, and accepts only
 * a server whose certificate names the expected role in this federation. Its host name is not compared: the role
 * under the pinned root says more, and addresses change on the way through proxies and forwarded ports.
 *
 * A renewed certificate needs a new channel; the old one continues until it is closed.
 */
export function clientChannel(address: Address, options: ClientOptions): ClientChannel {
  const { proxy = null } = options;
  return {
    target: formatAddress(proxy ?? address),
    credentials: new RoutedCredentials(address, options),
    options: {
      ...grpcClientOptions,
      // gRPC dials the proxy, and the credentials below have it open the tunnel: gRPC's own way through proxies knows
      // neither TLS to a proxy nor variables in capitals, and keeps what went wrong to itself.
      ...(proxy !== null && { "grpc.default_authority": formatAddress(address) }),
    },
  };
}

/** What `_createSecureConnector` of grpc-js 1.14.7 returns. */
type SecureConnector = ReturnType<ChannelCredentials["_createSecureConnector"]>;

/**
 * TLS to the server by our own rules, on the TCP connection that gRPC made to it or to the proxy. The method that is
 * overridden is one that grpc-js keeps to itself; the package is pinned exactly, and the tests beside this file fail
 * when it changes.
 */
class RoutedCredentials extends ChannelCredentials {
  readonly #address: Address;
  readonly #options: ClientOptions;
  readonly #context: SecureContext;

  constructor(address: Address, options: ClientOptions) {
    super();
    this.#address = address;
    this.#options = options;
    const { identity } = options;
    this.#context = createSecureContext({
      ca: options.rootPem,
      minVersion: minimumTlsVersion,
      ...(identity && { key: identity.tlsKeyPem, cert: identity.chainPem }),
    });
  }

  _isSecure(): boolean {
    return true;
  }

  _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  _createSecureConnector(
    _target: Parameters<ChannelCredentials["_createSecureConnector"]>[0],
    _options: ChannelOptions,
    callCredentials?: CallCredentials,
  ): SecureConnector {
    return {
      connect: async (socket) => {
        try {
          return { socket: await this.#secure(socket), secure: true };
        } catch (thrown) {
          socket.destroy();
          if (thrown instanceof ConsiliumError) this.#options.onFault?.(thrown);
          throw thrown;
        }
      },
      waitForReady: async () => undefined,
      getCallCredentials: () => callCredentials ?? CallCredentials.createEmpty(),
      destroy: () => undefined,
    };
  }

  async #secure(dialled: Socket): Promise<Socket> {
    const { proxy = null, rootPem, serverRole, revocations } = this.#options;
    const address = this.#address;
    const route =
      proxy === null
        ? dialled
        : await (await import("../network/tunnel.js")).openTunnel(dialled, address, { proxy });
    const { socket, chain, isAuthorised, protocol } = await shakeHands(route, address, {
      context: this.#context,
      timeoutMs: stepMs,
    });
    const now = this.#options.now?.() ?? Date.now();
    const verified = verifyPeer(chain, {
      rootPem,
      now,
      revocations: revocations?.(),
      role: serverRole,
      purpose: "server",
    });
    if (!verified.ok) {
      socket.destroy();
      const { interceptedFault, isOfFederation } = await import("../network/intercepted.js");
      throw isOfFederation(chain) ? verified.error : interceptedFault(address, chain);
    }
    if (!isAuthorised) {
      socket.destroy();
      throw fault("CERTIFICATE_INVALID", "peer.rejected", {});
    }
    if (protocol !== "h2") {
      socket.destroy();
      throw new RouteFault("alpn", `${formatAddress(address)} does not negotiate HTTP/2`, {
        reason: "no-h2",
        remedy:
          "a device on the way terminates TLS and speaks HTTP/1.1: configure it to forward the connection unchanged (TCP)",
      });
    }
    return socket;
  }
}
