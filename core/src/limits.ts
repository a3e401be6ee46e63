/**
 * Every limit of what aggregator and sites send each other, and of the studies that travel so: each stands here alone, and
 * both ends import it, by a name that begins with `max` or `min`. A message over a limit is refused, never cut, and alone: test/wire/limits.test.ts sends each limit
 * and one more over the wire, and fails for a limit that it does not know.
 */

const day = 86_400_000;

/**
 * Protocol versions that this software speaks. Masks of version 4 are bound to the plan by which a study runs, and what is signed
 * at its end is another text: no sum can have sites of 3 and 4.
 */
export const protocolVersions = { lowest: 4, highest: 4 } as const;

/** Formats of plans and statements that this software speaks. */
export const spokenFormats = {
  plan: { lowest: 3, highest: 3 },
  statement: { lowest: 2, highest: 2 },
} as const;

// Messages

/** Bytes of one gRPC message, on either side: a roster of `maxSites` sites, each with its certificates and key, and half as much again. */
export const maxMessageBytes = 4 * 1024 * 1024;
/** Bytes of one chunk of an upload or a fetch: 256 KiB to 1 MiB were measured best. */
export const maxChunkBytes = 1024 * 1024;
/**
 * Bytes that travel within a frame: all of a stage's broadcasts with its task, a masked vector with its header. Larger
 * ones have a stream of their own, so that they can be resumed and nothing waits behind them.
 */
export const inlineBytes = 256 * 1024;
/** Bytes of a vector within a frame, where its study has few sites: the aggregator's store has those of all of them at once. */
export const maxInlineVectorBytes = 512 * 1024;
/** Bytes up to which a vector that a site sends, and the sum of them, travels within a frame. */
export const inlineVectorBytes = (sites: number): number =>
  sites <= 32 ? maxInlineVectorBytes : inlineBytes;
/** Bytes of one vector or one site's rows. */
export const maxUploadBytes = 8 * 1024 ** 3;
/** Bytes of one broadcast vector: loadings of 10,000 × 1,000 take 80 MB. */
export const maxBroadcastBytes = 1024 ** 3;
export const maxProtocolVersion = 1_000_000;
/** Number of a method's edition. */
export const maxEdition = 1_000_000;
/** Methods whose newest editions a greeting has. */
export const maxSpokenMethods = 256;
export const maxHeartbeatMs = 60_000;
/** Bytes by which an agent's process is told from another of its site, exactly. */
export const instanceBytes = 16;
export const maxCodeBytes = 64;
export const maxFaultTextBytes = 4_096;

// Names and tables

/** Characters of a column's or a level's name. */
export const maxColumnNameLength = 128;
export const maxTableNameLength = 64;
/** Bytes of a name: UTF-8 has at most three for each UTF-16 character of a column's. */
export const maxNameBytes = 3 * maxColumnNameLength;
export const maxTables = 256;
export const maxColumnsPerTable = 100_000;

/** Names in each list of what a hospital's policy admits. */
export const maxAdmitted = 64;

// Identities

export const maxCertificateBytes = 8_192;
export const maxChainLength = 4;
export const maxCertificateRequestBytes = 8_192;
export const maxRevocationsBytes = 1_000_000;
export const maxConfirmationBytes = 16_384;
export const maxLedgerHeadBytes = 16_384;

// Studies

/** Sites of one study, and so entries of every list that has one for each. It sizes the ring's headroom in a plan before the roster is known. */
export const maxSites = 1_024;
export const maxStudyNameLength = 40;
export const maxStudyTextBytes = 1_500_000;
/** Columns that a study reads: more do not fit into its text. */
export const maxFeatures = 20_000;
/** Columns that no method sees. */
export const maxReadColumns = 1_000;
export const maxLevels = 4_096;
export const maxConditionLength = 10_000;
export const maxRowsOfSite = 1_000_000_000;
export const maxRowsOfPatient = 10_000;
export const maxExpectedRows = 1_000_000_000_000;
/** Time that a step waits. */
export const minPhaseMs = 2_000;
export const maxPhaseMs = 7 * day;
/** Time that hospitals have to decide. */
export const minJoinMs = 2_000;
export const maxJoinMs = 30 * day;
/** Time that a failed study can be resumed. */
export const minResumableMs = 3_600_000;
export const maxResumableMs = 3_650 * day;

// Steps

export const maxAttempt = 1_000_000;
/** Bytes of a plan's facts, which come with an invitation. */
export const maxPlanBytes = 1024 * 1024;
export const maxPublicPartBytes = 4_096;
export const maxSealedBytes = 4_096;
/** Bytes of the ciphertexts to a site's neighbours, of which there are at most 254: 16 bytes each. */
export const maxDigestsBytes = 4_064;
/** Broadcasts of one study, all of which a task lists: they fit into a message beside a roster. */
export const maxBroadcastItems = 16_384;
/** Bytes of a statement, which travels as one message. */
export const maxStatementBytes = 1_500_000;
export const maxLedgerEntries = 10_000;

// People

/** Bytes of what people write each other about a study: a question, and an answer. */
export const maxPersonTextBytes = 4_096;
/** Questions of one site about one study. */
export const maxQuestions = 20;
