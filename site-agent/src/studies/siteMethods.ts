import type { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { ifInstalled } from "@consilium/core/method/ifInstalled";
import type { Method } from "@consilium/core/method/method";
import { Methods, type StudyInvalidError } from "@consilium/core/method/methods";
import type { Result } from "@consilium/core/result";
import type { Study, StudyDocument, Variant } from "@consilium/core/study/study";
import { soundMethods } from "@consilium/methods/registry";

/** As far as the hospital's policy decides which code runs at it. */
type Allowing = Result<{ readonly variants: readonly Variant[] }, unknown>;

/**
 * The methods that this site has: those whose privacy is proved, and the published ones where its policy allows them and
 * their package is installed. Without either no code of theirs is loaded.
 */
export class SiteMethods {
  #methods: Methods;
  readonly #sound: readonly Method[];
  readonly #published: () => Promise<readonly Method[] | null>;
  #loading: Promise<void> | null = null;

  /** @param published - null where they are not installed */
  constructor(
    sound: readonly Method[] = soundMethods,
    published: () => Promise<readonly Method[] | null> = installedPaperMethods,
  ) {
    this.#sound = sound;
    this.#methods = new Methods(sound);
    this.#published = published;
  }

  /**
   * Loads the published methods once a policy allows them; what was loaded stays until the process ends.
   * @param allowNoPrivacy - of the configuration: then studies without privacy may be of any variant
   */
  async follow(policy: Allowing, allowNoPrivacy: boolean): Promise<void> {
    if (!policy.ok || !(allowNoPrivacy || policy.value.variants.includes("paper"))) return;
    this.#loading ??= this.#published().then((published) => {
      if (published !== null) this.#methods = new Methods([...this.#sound, ...published]);
    });
    await this.#loading;
  }

  /** The analyses of the methods that are loaded. */
  get analyses(): readonly string[] {
    return this.#methods.analyses;
  }

  parse(raw: unknown): Result<Study, StudyInvalidError> {
    return this.#methods.parse(raw);
  }

  /** @returns METHODS_MISSING for a published method that is not loaded */
  read(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
    return this.#methods.read(text, hash);
  }
}

async function installedPaperMethods(): Promise<readonly Method[] | null> {
  return (await ifInstalled(() => import("@consilium/methods-paper/registry")))?.paperMethods ?? null;
}
