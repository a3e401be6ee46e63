/** A statement's text travels as one message. */
export const statementMaxBytes = 1_500_000;
