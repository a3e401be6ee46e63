/** Where the less significant half of a 64-bit word lies among 32-bit words on this machine; the other half lies beside it. */
export const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
