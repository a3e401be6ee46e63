import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServedFile } from "../catalogue/catalogue.js";
import { type ByteRange, matchFails, noneMatchFails, parseRange, rangeApplies } from "./conditional.js";

/** A release never changes, so that what was read once need not be asked for again for a year. */
const cacheSeconds = 31_536_000;

/**
 * Answers GET and HEAD for a file of a release: whole, in one range, or in several (RFC 9110 sections 13 and 14).
 * @param options.shared - whether caches between may keep it: not where a token is needed
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  options: { readonly shared: boolean },
): FastifyReply {
  const etag = `"${file.sha256}"`;
  const { headers, method } = request;
  reply.headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": `${options.shared ? "public" : "private"}, max-age=${cacheSeconds}, immutable`,
    ...(options.shared ? {} : { vary: "Authorization, Cookie" }),
  });
  if (matchFails(headers["if-match"], etag)) return reply.code(412).send();
  if (noneMatchFails(headers["if-none-match"], etag)) return reply.code(304).send();
  reply.header("content-type", file.contentType);

  // Section 14.2: a Range field means nothing on another method than GET.
  const asked =
    method === "GET" && rangeApplies(header(headers["if-range"]), etag)
      ? parseRange(headers.range, file.bytes)
      : "ignored";
  if (asked === "unsatisfiable") {
    // Errors are not to be kept like the file.
    return reply
      .code(416)
      .removeHeader("content-type")
      .headers({ "content-range": `bytes */${file.bytes}`, "cache-control": "no-store" })
      .send();
  }
  if (asked === "ignored") {
    reply.header("content-length", file.bytes);
    return method === "HEAD" ? reply.send() : reply.send(createReadStream(file.path));
  }
  const [only, ...others] = asked;
  if (others.length > 0) return sendParts(reply, file, asked);
  const { first, last } = only!;
  return reply
    .code(206)
    .headers({ "content-range": contentRange(only!, file), "content-length": last - first + 1 })
    .send(createReadStream(file.path, { start: first, end: last }));
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function contentRange({ first, last }: ByteRange, file: ServedFile): string {
  return `bytes ${first}-${last}/${file.bytes}`;
}

/** Several ranges as multipart/byteranges (section 14.6). */
function sendParts(reply: FastifyReply, file: ServedFile, ranges: readonly ByteRange[]): FastifyReply {
  const boundary = `consilium-${randomBytes(12).toString("hex")}`;
  const heads = ranges.map(
    (range, index) =>
      `${index === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Type: ${file.contentType}\r\n` +
      `Content-Range: ${contentRange(range, file)}\r\n\r\n`,
  );
  const tail = `\r\n--${boundary}--\r\n`;
  const framing = heads.reduce((sum, head) => sum + head.length, tail.length);
  const length = ranges.reduce((sum, { first, last }) => sum + last - first + 1, framing);
  const body = async function* (): AsyncGenerator<Buffer> {
    for (const [index, { first, last }] of ranges.entries()) {
      yield Buffer.from(heads[index]!, "latin1");
      for await (const part of createReadStream(file.path, { start: first, end: last })) yield part as Buffer;
    }
    yield Buffer.from(tail, "latin1");
  };
  return reply
    .code(206)
    .headers({ "content-type": `multipart/byteranges; boundary=${boundary}`, "content-length": length })
    .send(Readable.from(body(), { objectMode: false }));
}
