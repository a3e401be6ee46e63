import { ConsiliumError } from "@consilium/core/errors";
import { softwareVersion } from "@consilium/core/version";
import { routeOpenApi } from "@consilium/runtime/http/openapi";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { servePages } from "@consilium/runtime/http/pages";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import type { Metrics } from "@consilium/runtime/metrics";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import { routeReaders } from "../access/readerRoutes.js";
import type { Readers } from "../access/readers.js";
import { RowPreviews } from "../catalogue/rows.js";
import { catalogueRoutes } from "./catalogueRoutes.js";
import { feedRoutes } from "./feedRoutes.js";
import { fileRoutes } from "./fileRoutes.js";
import { pageRoutes } from "./pageRoutes.js";
import type { Reading } from "./reading.js";

export interface ApiOptions extends Reading {
  readonly readers: Readers;
  readonly trustedProxies?: readonly string[];
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether deposits are taken. */
  ready(): boolean;
  readonly disk: Pick<DiskSpace, "fault">;
  /** The folder of the built pages; null serves plain ones. */
  readonly pagesFolder: string | null;
  /** Requests of one address in a minute. A reader of ranges makes some hundreds for a large file. */
  readonly requestsPerMinute?: number;
  /** Of the HTTP platform: for tests. */
  readonly verifyAnswers?: boolean;
}

export const requestsPerMinute = 6_000;

export const publisherApi = {
  title: "Consilium publisher",
  description: "Releases of a federation: a catalogue, and files to read by URL.",
  version: softwareVersion,
};

/** The publisher's HTTP side: catalogue, releases and their files. Listening is the caller's. */
export async function createApi(options: ApiOptions): Promise<HttpServer> {
  const api = await createHttpServer({
    log: options.log,
    access: () => {
      throw new ConsiliumError("UNAUTHENTICATED", "the publisher has no accounts for this");
    },
    bodyMaxBytes: 1024,
    trustedProxies: options.trustedProxies ?? [],
    rateLimit: { perMinute: options.requestsPerMinute ?? requestsPerMinute },
    // Releases are read by programs on other sites' pages too.
    crossOrigin: true,
    onClose: "finish",
    verifyAnswers: options.verifyAnswers ?? false,
  });
  measureRequests(api, options.metrics);
  routeReaders(api, options.readers);
  const previews = new RowPreviews();
  api.addHook("onClose", () => previews.close());
  catalogueRoutes(api, options, previews);
  feedRoutes(api, options);
  fileRoutes(api, options);
  const { pagesFolder: folder } = options;
  pageRoutes(api, options, folder === null ? null : await servePages(api, { entry: "catalogue", folder }));
  routeOperations(api, options);
  routeOpenApi(api, publisherApi);
  return api;
}
