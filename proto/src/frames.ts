import type { EnrollRequest } from "./generated/consilium/v1/EnrollRequest.js";
import type { FetchRequest } from "./generated/consilium/v1/FetchRequest.js";
import type { SiteFrame } from "./generated/consilium/v1/SiteFrame.js";
import type { UploadHeader } from "./generated/consilium/v1/UploadHeader.js";
import { Federation } from "./load.js";

/** A site's messages as the bytes that gRPC sends for them, for the log of what was sent. */

export function outboundBytes(
  message: SiteFrame | { readonly header: UploadHeader } | FetchRequest,
): Uint8Array {
  if ("header" in message)
    return Federation.service.SendVector.requestSerialize({ part: "header", header: message.header });
  if ("offset" in message) return Federation.service.FetchVector.requestSerialize(message);
  return Federation.service.Attend.requestSerialize(message as SiteFrame);
}

export function enrollRequestBytes(request: EnrollRequest): Uint8Array {
  return Federation.service.Enroll.requestSerialize(request);
}
