import { Server } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { testFederation } from "../../testing/identity/federation.js";
import { startDelayingProxy } from "../../testing/tls/delayingProxy.js";
import { addTestService, TestClient } from "../../testing/tls/network.js";
import { widenServerFlowControl } from "./flowControl.js";
import { flowControlWindowBytes, grpcServerOptions } from "./grpcOptions.js";
import { closeGrpc, createGrpcServer, listenGrpc } from "./grpcServer.js";
import { MutualTlsServerCredentials } from "./serverCredentials.js";

/** Bytes per second of one upload over a round trip of 50 ms, mutual TLS, after one call has opened the connection. */
async function uploadRate(server: Server, totalBytes: number): Promise<number> {
  const federation = await testFederation();
  const rootPem = federation.root.certificatePem;
  const aggregator = await federation.leaf("aggregator", "aggregator");
  const site = await federation.leaf("site", "a");
  addTestService(server, { rootPem, now: Date.now, revocations: () => undefined });
  const credentials = new MutualTlsServerCredentials({ ...aggregator, rootPem });
  const port = await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials);
  const proxy = await startDelayingProxy(port, 25);
  const client = new TestClient(
    { host: "127.0.0.1", port: proxy.port },
    { identity: site, rootPem, serverRole: "aggregator" },
  );
  try {
    expect(await client.whoAmI()).toBe("site/a");
    const start = performance.now();
    expect(await client.upload(totalBytes, 512 * 1024)).toBe(totalBytes);
    return totalBytes / ((performance.now() - start) / 1000);
  } finally {
    client.close();
    await proxy.close();
    await closeGrpc(server, 1000);
  }
}

it("uploads 8 MB over a 50 ms round trip at least 5 times as fast as with 64 KiB windows", async () => {
  const megabyte = 1e6;
  const narrow = new Server(grpcServerOptions);
  widenServerFlowControl(narrow, 65_535);
  const narrowRate = await uploadRate(narrow, 2 * megabyte);
  const wideRate = await uploadRate(createGrpcServer(), 8 * megabyte);
  const measured = `${(narrowRate / 1e6).toFixed(1)} MB/s at 64 KiB, ${(wideRate / 1e6).toFixed(1)} MB/s at 4 MiB`;
  expect(wideRate / narrowRate, measured).toBeGreaterThanOrEqual(5);
});

it("is needed: grpc-js's own option does nothing on a server", async () => {
  const rate = await uploadRate(
    new Server({ ...grpcServerOptions, "grpc-node.flow_control_window": flowControlWindowBytes }),
    2e6,
  );
  // 64 KiB per round trip of 50 ms is 1.3 MB/s.
  expect(rate).toBeLessThan(2e6);
});

it("refuses a grpc-js that it does not know", () => {
  expect(() => widenServerFlowControl({} as Server)).toThrow("version");
});
