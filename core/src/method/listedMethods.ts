import { ConsiliumError } from "../errors.js";
import type { Sha256 } from "../ids.js";
import { err, type Result } from "../result.js";
import type { StudyDocument } from "../study/study.js";
import { analysisOf, type Method, namesOf, newestEdition } from "./method.js";
import { type MethodNames, namedIn, StudyReader } from "./studyReader.js";

/** A method as its registry lists it: how studies ask for it, and the import of its folder. */
export interface ListedMethod<M extends Method = Method> extends MethodNames {
  /** Newest edition. */
  readonly edition: number;
  readonly load: () => Promise<M>;
}

/**
 * The line of a registry.
 * @param folder - imports the method's own file; a method that goes by another name or analysis, or has another newest edition, is a RangeError
 */
export function listed<M extends Method>(
  analysis: string,
  name: string,
  folder: () => Promise<{ readonly method: M }>,
  edition = 1,
): ListedMethod<M> {
  const load = async () => {
    const { method } = await folder();
    const own = `${analysisOf(method)}: ${namesOf(method).join(", ")}, edition ${newestEdition(method)}`;
    const here = `${analysis}: ${name}, edition ${edition}`;
    if (own === here) return method;
    throw new RangeError(`the registry lists ${here}; its folder has ${own}`);
  };
  return { analysis, names: [name], edition, load };
}

/** Methods of a registry, each loaded with the first study that asks for it; what was loaded stays until the process ends. */
export class ListedMethods {
  readonly #registry: readonly ListedMethod[];
  readonly #loading = new Map<ListedMethod, Promise<void>>();
  readonly #loaded = new Map<ListedMethod, Method>();
  /** Of further lists, which are loaded as a whole. */
  #further: readonly Method[] = [];
  #methods: StudyReader;

  constructor(registry: readonly ListedMethod[]) {
    this.#registry = registry;
    this.#methods = this.#ofLoaded();
  }

  /** Newest edition of each method of the registry, by name, whether or not it is loaded. */
  get editions(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#registry.flatMap(({ names, edition }) => names.map((name) => [name, edition])),
    );
  }

  add(further: readonly Method[]): void {
    this.#further = [...this.#further, ...further];
    this.#methods = this.#ofLoaded();
  }

  /**
   * Reads a study that travelled, as far as its method is loaded.
   * @returns METHODS_MISSING where it is not
   */
  read(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
    return this.#methods.read(text, hash);
  }

  /**
   * Reads a study that travelled, and loads its method before.
   * @param mayLoad - asked where the method is not loaded yet: whether it may be
   * @returns METHODS_MISSING for a method that may not be loaded, or cannot be
   */
  async load(
    text: string,
    hash: Sha256,
    mayLoad: () => boolean = () => true,
  ): Promise<Result<StudyDocument, ConsiliumError>> {
    const read = this.read(text, hash);
    if (read.ok || read.error.code !== "METHODS_MISSING") return read;
    const missing = namedIn(JSON.parse(text), this.#registry);
    if (missing === undefined || !mayLoad()) return read;
    try {
      await this.#need(missing);
    } catch (cause) {
      return err(notLoaded(missing, cause));
    }
    return this.read(text, hash);
  }

  /**
   * Loads whatever a study as somebody wrote it may mean.
   * @returns of which `Methods` then reads it
   * @throws ConsiliumError METHODS_MISSING for a method that cannot be loaded
   */
  async loadedFor(raw: unknown): Promise<Pick<StudyReader, "list" | "known">> {
    const analysis = typeof raw === "object" && raw !== null && "analysis" in raw ? raw.analysis : null;
    await this.#needAll(this.#registry.filter((one) => one.analysis === analysis));
    return this.#methods;
  }

  /** For a process of its own, in which no record is read. */
  loadAll(): Promise<void> {
    return this.#needAll(this.#registry);
  }

  async #needAll(all: readonly ListedMethod[]): Promise<void> {
    for (const one of all) {
      try {
        await this.#need(one);
      } catch (cause) {
        throw notLoaded(one, cause);
      }
    }
  }

  #need(one: ListedMethod): Promise<void> {
    const loading = this.#loading.get(one) ?? this.#load(one);
    this.#loading.set(one, loading);
    return loading;
  }

  async #load(one: ListedMethod): Promise<void> {
    this.#loaded.set(one, await one.load());
    this.#methods = this.#ofLoaded();
  }

  /** In the order of the registry: of an analysis the first is the usual one. */
  #ofLoaded(): StudyReader {
    const loaded = this.#registry.flatMap((one) => this.#loaded.get(one) ?? []);
    const further = this.#further.map((one) => ({ analysis: analysisOf(one), names: namesOf(one) }));
    return new StudyReader([...loaded, ...this.#further], [...this.#registry, ...further]);
  }
}

function notLoaded({ names }: ListedMethod, cause: unknown): ConsiliumError {
  const why = cause instanceof Error && "code" in cause ? String(cause.code) : "its code is at fault";
  return new ConsiliumError("METHODS_MISSING", `the method ${names[0]} could not be loaded: ${why}`, {
    remedy: "install the same version of this software again, whole",
    cause,
  });
}
