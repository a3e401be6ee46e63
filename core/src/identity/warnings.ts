/** Beyond this a site's clock is called wrong: certificates and signatures are judged by it. */
export const clockSkewWarnMs = 60_000;
/** A site's certificate renews itself long before; one that has less left has not been renewed. */
export const certificateWarnMs = 3 * 86_400_000;
/** For so long after its end a site's certificate still opens its own renewal, so that a hospital that was closed needs nobody. */
export const lateRenewalMs = 60 * 86_400_000;
