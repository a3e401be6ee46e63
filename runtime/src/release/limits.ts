/** Limits of a deposit. Both ends know them; the publisher checks each on receipt. */

/** JSON of a release's content, the model included: it comes as one message. */
export const contentMaxBytes = 32 * 1024 * 1024;
/** certificate.json: the study's text, every disclosure and the roster. */
export const certificateMaxBytes = 8 * 1024 * 1024;
/** One message of a deposit, framing included: a publisher's server takes no larger one. */
export const depositMessageMaxBytes = contentMaxBytes + 1024 * 1024;
/** Rows of one release, as deposited. */
export const releaseDataMaxBytes = 64 * 1024 ** 3;
