import { ConsiliumError } from "@consilium/core/errors";
import { releaseFolders } from "@consilium/core/release/certificate";
import { withdrawalFile, withdrawnFault } from "@consilium/core/release/withdrawal";
import type { HttpServer } from "@consilium/runtime/http/server";
import { z } from "zod";
import { entryOf, publicRoute, type Reading, shareOpen } from "./reading.js";
import { sendFile } from "./sendFile.js";
import { servedOf } from "./view.js";

const fileParams = z.object({ id: z.string().max(100), file: z.string().max(200) });
/** Names of a release's files at its own level, and in its folders. */
const fileUrls = ["", ...releaseFolders.map((folder) => `${folder}/`)].map((folder) => ({
  url: `/releases/:id/${folder}:file`,
  nameOf: (file: string) => `${folder}${file}`,
}));

/** The files of releases, byte for byte. */
export function fileRoutes(api: HttpServer, reading: Reading): void {
  for (const { url, nameOf } of fileUrls) fileRoute(api, reading, url, nameOf);
}

function fileRoute(api: HttpServer, reading: Reading, url: string, nameOf: (file: string) => string): void {
  api.route({
    method: ["GET", "HEAD"],
    url,
    config: publicRoute,
    schema: {
      answerType: "application/octet-stream",
      summary: "A file of a release",
      description:
        "Ranges, one or several, entity tags and If-Range as in RFC 9110. Files never change: the strong ETag is the " +
        "SHA-256 that the certificate lists. A withdrawn release answers 410, but for its certificate; `withdrawal.jws` is " +
        "what the aggregator has said of a release since.",
      params: fileParams,
    },
    handler: async (request, reply) => {
      const { id, file: name } = request.params;
      const entry = await entryOf(request, id, reading);
      const { withdrawal } = entry;
      if (nameOf(name) === withdrawalFile && withdrawal !== null) {
        shareOpen(reply, entry);
        return reply
          .headers({ "content-type": "application/jose", "cache-control": "no-cache" })
          .send(Buffer.from(withdrawal.file));
      }
      // Only names that the release lists lead to a path.
      const listed = entry.files.get(nameOf(name));
      if (listed === undefined) throw new ConsiliumError("RELEASE_UNKNOWN", "the release has no such file");
      const [file] = servedOf(entry, [listed]);
      if (file === undefined) throw withdrawnFault(withdrawal!.withdrawal);
      shareOpen(reply, entry);
      return sendFile(request, reply, file, { shared: entry.description.access === "open" });
    },
  });
  // Browsers ask first before they send a Range or a condition to another origin.
  api.options(
    url,
    { config: publicRoute, schema: { hide: true, params: fileParams } },
    async (request, reply) => {
      const { id } = request.params;
      if (reading.catalogue.listed(id)?.summary.access === "open") {
        reply.headers({
          "access-control-allow-origin": "*",
          "access-control-allow-methods": "GET, HEAD",
          "access-control-allow-headers": "Range, If-Match, If-None-Match, If-Range",
          "access-control-max-age": "86400",
        });
      }
      return reply.code(204).send();
    },
  );
}
