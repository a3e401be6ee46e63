import type { EnrollRequest } from "./generated/consilium/v1/EnrollRequest.js";
import type { FetchRequest } from "./generated/consilium/v1/FetchRequest.js";
import type { SiteFrame } from "./generated/consilium/v1/SiteFrame.js";
import type { UploadHeader } from "./generated/consilium/v1/UploadHeader.js";
import { Federation } from "./load.js";

/** A site's messages as the bytes that gRPC sends for them, for the log of what was sent. */

export function siteFrameBytes(frame: SiteFrame): Uint8Array {
  return Federation.service.Attend.requestSerialize(frame);
}

/** Of the request that begins an upload. */
export function uploadHeaderBytes(header: UploadHeader): Uint8Array {
  return Federation.service.SendVector.requestSerialize({ part: "header", header });
}

export function fetchRequestBytes(request: FetchRequest): Uint8Array {
  return Federation.service.FetchVector.requestSerialize(request);
}

export function enrollRequestBytes(request: EnrollRequest): Uint8Array {
  return Federation.service.Enroll.requestSerialize(request);
}
