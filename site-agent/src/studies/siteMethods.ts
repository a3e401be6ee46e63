import { ifInstalled } from "@consilium/core/method/ifInstalled";
import { type ListedMethod, ListedMethods } from "@consilium/core/method/listedMethods";
import type { Method } from "@consilium/core/method/method";
import type { Result } from "@consilium/core/result";
import type { Variant } from "@consilium/core/study/study";
import { soundRegistry } from "@consilium/methods/registry";

/** As far as the hospital's policy decides which code runs at it. */
type Allowing = Result<{ readonly variants: readonly Variant[] }, unknown>;

/**
 * The methods that this site has: those whose privacy is proven, each loaded for the first study that asks for it, and the
 * published ones where its policy allows them and their package is installed. Without either no code of theirs is loaded.
 */
export class SiteMethods extends ListedMethods {
  readonly #published: () => Promise<readonly Method[] | null>;
  #loading: Promise<void> | null = null;

  /** @param published - null where they are not installed */
  constructor(
    sound: readonly ListedMethod[] = soundRegistry,
    published: () => Promise<readonly Method[] | null> = installedPaperMethods,
  ) {
    super(sound);
    this.#published = published;
  }

  /**
   * Loads the published methods once a policy allows them; what was loaded stays until the process ends.
   * @param allowNoPrivacy - of the configuration: then studies without privacy may be of any variant
   */
  async follow(policy: Allowing, allowNoPrivacy: boolean): Promise<void> {
    if (!policy.ok || !(allowNoPrivacy || policy.value.variants.includes("paper"))) return;
    this.#loading ??= this.#published().then((published) => {
      if (published !== null) this.add(published);
    });
    await this.#loading;
  }
}

async function installedPaperMethods(): Promise<readonly Method[] | null> {
  return (await ifInstalled(() => import("@consilium/methods-paper/registry")))?.paperMethods ?? null;
}
