/** Limits of a peer's messages, checked on receipt; larger messages are refused, not truncated. */

/**
 * Protocol versions that this software speaks. Dealt masks and seeds of version 1 did not depend on the broadcasts:
 * beside sites of version 2 their sums would be noise.
 */
export const protocolVersions = { lowest: 2, highest: 2 } as const;

/** One gRPC message, on either side: a chunk of 1 MiB and what surrounds it, twice over. */
export const maxMessageBytes = 2 * 1024 * 1024;
/** Data of one chunk of an upload or a fetch: 256 KiB to 1 MiB were measured best. */
export const chunkBytes = 1024 * 1024;
/** One vector or one site's rows. */
export const maxUploadBytes = 8 * 1024 ** 3;

export const maxTables = 256;
export const maxColumnsPerTable = 100_000;
export const maxNameBytes = 256;
export const maxStudyTextBytes = 1_500_000;
export const maxCertificateBytes = 8_192;
export const maxChainLength = 4;
export const maxCertificateRequestBytes = 8_192;
export const maxPublicPartBytes = 4_096;
export const maxSealedBytes = 4_096;
export const maxBroadcastItems = 100_000;
export const maxRevocationsBytes = 1_000_000;
export const maxConfirmationBytes = 16_384;
export const maxCodeBytes = 64;
/** Sites of one study, and so entries of every list that has one for each. */
export const maxSites = 1_024;
export const maxLedgerHeadBytes = 16_384;
export const maxLedgerEntries = 10_000;
