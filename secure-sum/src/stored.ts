import { hex, unhex } from "./bytes.js";
import { SecretBytes } from "./crypto/secretBytes.js";
import type { SiteId } from "./ids.js";

/**
 * How a state machine's states are stored: as JSON, bytes in hexadecimal, each shape described once and used both ways.
 * Reading checks nothing: the caller's storage, sealed under the site's own key, vouches for the bytes.
 */
export interface StoredForm<T> {
  readonly store: (value: T) => unknown;
  readonly restore: (stored: unknown) => T;
}

/** What JSON holds as it is: texts, numbers, and lists of them. */
export function asItIs<T>(): StoredForm<T> {
  return { store: (value) => value, restore: (stored) => stored as T };
}

export const bytes: StoredForm<Uint8Array> = { store: hex, restore: (stored) => unhex(stored as string) };

export const secret: StoredForm<SecretBytes> = {
  store: (value) => hex(value.reveal()),
  restore: (stored) => new SecretBytes(unhex(stored as string)),
};

export const bytesBySite: StoredForm<ReadonlyMap<SiteId, Uint8Array>> = {
  store: (map) => [...map].map(([site, value]) => [site, hex(value)]),
  restore: (stored) => new Map((stored as [SiteId, string][]).map(([site, text]) => [site, unhex(text)])),
};

export function orNull<T>(form: StoredForm<T>): StoredForm<T | null> {
  return {
    store: (value) => (value === null ? null : form.store(value)),
    restore: (stored) => (stored === null ? null : form.restore(stored)),
  };
}

export function listOf<T>(form: StoredForm<T>): StoredForm<readonly T[]> {
  return {
    store: (values) => values.map(form.store),
    restore: (stored) => (stored as unknown[]).map(form.restore),
  };
}

/** @param members - stored in this order */
export function record<T extends object>(
  members: { readonly [K in keyof T]: StoredForm<T[K]> },
): StoredForm<T> {
  const forms = Object.entries(members) as [keyof T & string, StoredForm<unknown>][];
  const each = (convert: (form: StoredForm<unknown>, member: unknown) => unknown, whole: unknown) =>
    Object.fromEntries(forms.map(([key, form]) => [key, convert(form, (whole as T)[key])]));
  return {
    store: (value) => each((form, member) => form.store(member), value),
    restore: (stored) => each((form, member) => form.restore(member), stored) as T,
  };
}

/** @param tag - the member whose text says which of the forms a value has */
export function oneOf<T extends { readonly [K in Tag]: string }, Tag extends string>(
  tag: Tag,
  forms: { readonly [P in T[Tag]]: StoredForm<Extract<T, { readonly [K in Tag]: P }>> },
): StoredForm<T> {
  const formOf = (value: T) => forms[value[tag]] as unknown as StoredForm<T>;
  return {
    store: (value) => formOf(value).store(value),
    restore: (stored) => formOf(stored as T).restore(stored),
  };
}

/** The form as bytes: JSON in UTF-8. */
export function inBytes<T>(form: StoredForm<T>) {
  return {
    store: (value: T): Uint8Array => Buffer.from(JSON.stringify(form.store(value))),
    restore: (stored: Uint8Array): T => form.restore(JSON.parse(Buffer.from(stored).toString())),
  };
}
