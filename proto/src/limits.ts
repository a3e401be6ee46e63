/** Limits of a peer's messages, checked on receipt; larger messages are refused, not truncated. */

/**
 * Protocol versions that this software speaks. Keys of version 2 are X25519 alone, and what is signed and derived differs:
 * no sum can have sites of both.
 */
export const protocolVersions = { lowest: 3, highest: 3 } as const;

/** One gRPC message, on either side: a roster of `maxSites` sites, each with its certificates and key, and half as much again. */
export const maxMessageBytes = 4 * 1024 * 1024;
/** Data of one chunk of an upload or a fetch: 256 KiB to 1 MiB were measured best. */
export const chunkBytes = 1024 * 1024;
/**
 * What is this small travels within a frame: all of a stage's broadcasts with its task, a masked vector with its header. Larger
 * ones have a stream of their own, so that they can be resumed and nothing waits behind them.
 */
export const inlineBytes = 256 * 1024;
/** Of a vector, where its study has few sites: the aggregator's store has those of all of them at once. */
export const inlineVectorBytesMost = 512 * 1024;
/** Of a vector that a site sends, and of the sum of them. */
export const inlineVectorBytes = (sites: number): number =>
  sites <= 32 ? inlineVectorBytesMost : inlineBytes;
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
/** Of the ciphertexts to a site's neighbours, of which there are at most 254: 16 bytes each. */
export const maxDigestsBytes = 4_064;
export const maxBroadcastItems = 100_000;
export const maxRevocationsBytes = 1_000_000;
export const maxConfirmationBytes = 16_384;
export const maxCodeBytes = 64;
/** Of what people write each other about a study: a question, and an answer. */
export const maxPersonTextBytes = 4_096;
/** Of one site about one study. */
export const maxQuestions = 20;
/** Sites of one study, and so entries of every list that has one for each. */
export const maxSites = 1_024;
export const maxLedgerHeadBytes = 16_384;
export const maxLedgerEntries = 10_000;
