import type { DetailedPeerCertificate, PeerCertificate } from "node:tls";

/** Leaf, issuing, root; a peer that sends more is not followed further. */
const chainMaxLength = 6;

/**
 * The DER of a TLS peer's certificates, leaf first, each followed by its issuer as far as it was presented.
 * @param certificate - of `getPeerCertificate(true)`, which is an empty object where there is none
 */
export function presentedChain(certificate: PeerCertificate | DetailedPeerCertificate | undefined): Buffer[] {
  const chain: Buffer[] = [];
  let next: Partial<DetailedPeerCertificate> | undefined = certificate;
  while (next?.raw && chain.length < chainMaxLength) {
    chain.push(next.raw);
    // A self-signed certificate is its own issuer.
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate;
  }
  return chain;
}
