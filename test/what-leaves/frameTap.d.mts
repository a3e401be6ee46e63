import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { ClientDuplexStream } from "@grpc/grpc-js";

/** The newest control stream of this process. */
export declare const attended: ClientDuplexStream<SiteFrame, never> | null;
