export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

export const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
