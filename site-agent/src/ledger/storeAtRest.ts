import { createPrivateKey } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { identityFolder } from "@consilium/runtime/identity/files";
import { openLibsql } from "@consilium/runtime/store/driver";
import type { Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { rawPublicKey, type SigningKey } from "@consilium/secure-sum/crypto/sign";
import { ownerOf, readEntry, type SignedEntry } from "./entry.js";
import { Ledger, storedEntries } from "./ledger.js";

/**
 * Reads the store of a state folder where no agent runs, or of a backup of one, and changes nothing in it: a copy is
 * read, because SQLite moves what a killed agent has left in the write-ahead log into the file that it opens.
 * @throws ConsiliumError STATE_MISSING, CONFIG_INVALID
 */
export function readAtRest<T>(stateFolder: string, read: (store: Store) => T): T {
  const path = join(stateFolder, storeFile);
  if (!existsSync(path)) {
    throw new ConsiliumError("STATE_MISSING", `there is no ${path}`, {
      remedy: "give the site's state folder, or a copy of it, with --state",
    });
  }
  const copy = mkdtempSync(join(tmpdir(), "consilium-ledger-"));
  try {
    for (const name of [storeFile, `${storeFile}-wal`]) {
      if (existsSync(join(stateFolder, name))) copyFileSync(join(stateFolder, name), join(copy, name));
    }
    return readCopy(join(copy, storeFile), path, read);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const storeFile = "state.db";

function readCopy<T>(copy: string, path: string, read: (store: Store) => T): T {
  const store = openToRead(copy, path);
  try {
    return read(store);
  } catch (cause) {
    if (cause instanceof ConsiliumError) throw cause;
    throw unreadable(path, "holds no ledger that this software can read", cause);
  } finally {
    store.close();
  }
}

/**
 * The entries of a store, each as it was written; whether they follow one another is for `reportOn` to say.
 * @throws ConsiliumError LEDGER_BROKEN
 */
export function entriesAtRest(store: Store): readonly SignedEntry[] {
  const entries = storedEntries(store).map((row) => unwrap(readEntry(row)));
  if (entries.length > 0) return entries;
  throw new ConsiliumError("LEDGER_BROKEN", "the ledger does not begin with its opening: it is empty");
}

/** A ledger of which the key is here too, to read it and to sign its head. @throws ConsiliumError as entriesAtRest */
export function ledgerAtRest(store: Store, stateFolder: string): Ledger {
  const { federation, site } = ownerOf(entriesAtRest(store));
  const signingKey = signingKeyAtRest(stateFolder);
  const owner = { federation, site, signingKey, signingPublicKey: rawPublicKey(signingKey) };
  return Ledger.open(
    store,
    () => owner,
    () => 0,
  );
}

/** Of the key in a state folder: what a ledger there must be signed with. */
export function fingerprintAtRest(stateFolder: string): Sha256 {
  return sha256(rawPublicKey(signingKeyAtRest(stateFolder)));
}

function signingKeyAtRest(stateFolder: string): SigningKey {
  const path = join(identityFolder(stateFolder), "signing-key.pem");
  try {
    return createPrivateKey(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ConsiliumError("STATE_MISSING", `${path} is not there, or holds no key`, {
      remedy: "give the key's fingerprint with --key: `consilium site status` shows it",
      cause,
    });
  }
}

/** @param path - what the copy is of, for messages */
function openToRead(copy: string, path: string): Store {
  const refused = () => {
    // Only a ledger that another key has signed would be written to.
    throw new ConsiliumError(
      "LEDGER_BROKEN",
      `${path}: the ledger is not signed with the key of its state folder`,
    );
  };
  try {
    const driver = openLibsql(copy);
    driver.exec("PRAGMA query_only = ON");
    return {
      run: refused,
      get: (sql, ...params) => driver.prepare(sql).get(params),
      all: (sql, ...params) => driver.prepare(sql).all(params),
      transaction: (work) => work(),
      close: () => driver.close(),
    };
  } catch (cause) {
    throw unreadable(path, "cannot be opened", cause);
  }
}

function unreadable(path: string, what: string, cause?: unknown): ConsiliumError {
  return new ConsiliumError("CONFIG_INVALID", `${path} ${what}`, {
    remedy: "check that --state is a site's state folder; upgrade it by starting its agent once",
    cause,
  });
}
