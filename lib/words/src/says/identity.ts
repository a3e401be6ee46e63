import type { AnySaid, Id, Name, None } from "../said.js";

/** What is said of certificates, of invitations and of the list of expelled sites. */
export interface IdentitySays {
  /** @param certificate - `own`, `issuing` or `root`. @param why - one of those that follow */
  readonly "certificate.invalid": { readonly certificate: Name; readonly why: AnySaid };
  readonly "chain.missing": None;
  readonly "chain.too-long": { readonly max: number };
  readonly "chain.foreign": None;
  readonly "chain.malformed": None;
  readonly "chain.early": None;
  readonly "chain.expired": { readonly at: Name };
  readonly "chain.other-federation": None;
  readonly "chain.no-identity": None;
  readonly "chain.unsigned": None;
  readonly "chain.extension": { readonly extension: Name };
  readonly "chain.constraints": None;
  readonly "chain.not-ca": None;
  readonly "chain.usage": None;
  /** @param purpose - `client` or `server` */
  readonly "chain.purpose": { readonly purpose: Name };
  readonly "certificate.role": { readonly expected: Name; readonly role: Name; readonly id: Name };
  readonly "certificate.other-tls-key": None;
  readonly "certificate.not-pem": None;
  readonly "certificate.other-signing-key": None;
  readonly "enrolment.other-site": {
    readonly folder: Name;
    readonly site: Id;
    readonly federation: Name;
    readonly invited: Id;
  };
  readonly "token.too-long": None;
  readonly "token.begins": { readonly prefix: Name };
  readonly "token.characters": None;
  readonly "token.incomplete": None;
  readonly "token.field": None;
  /** @param why - one of `signed.*` */
  readonly "expelled.invalid": { readonly why: AnySaid };
  readonly "expelled.confirmation": { readonly why: AnySaid };
  /** Of a confirmation, with the lists' numbers. */
  readonly "expelled.other-list": { readonly expected: number; readonly got: number };
  readonly "expelled.future": { readonly at: Name };
  /** What a signed file, or a request for a certificate, is refused for. */
  readonly "signed.too-long": { readonly max: number };
  readonly "signed.malformed": None;
  readonly "signed.signature": None;
  readonly "signed.other-federation": None;
  /** @param why - one of those that follow, or `signed.too-long` */
  readonly "request.invalid": { readonly why: AnySaid };
  readonly "request.signing-key": None;
  readonly "request.signature": None;
  readonly "request.not-pkcs10": None;
  readonly "request.not-der": None;
  readonly "request.not-p256": None;
  readonly "request.subject": None;
  readonly "request.tls-signature": None;
  readonly "request.own-signature": None;
  /** Of a connection's other side. */
  readonly "peer.rejected": None;
  /** Of the server at an address. */
  readonly "authority.other": { readonly address: Name };
  /** The remedy. */
  readonly "authority.check-address": None;
  readonly "authority.expired": None;
  /** The remedy. */
  readonly "authority.certify": None;
  readonly "authority.exists": { readonly folder: Name };
  /** The remedy. */
  readonly "authority.other-folder": None;
  readonly "authority.no-root-key": { readonly folder: Name };
  readonly "authority.root-mismatch": { readonly folder: Name };
  readonly "authority.no-issuing-key": { readonly folder: Name };
  readonly "authority.issuing-mismatch": { readonly folder: Name };
  readonly "enrolment.empty": None;
  readonly "enrolment.chain": None;
  /** The remedy. */
  readonly "enrolment.own-folder": None;
  readonly "identity.none": { readonly folder: Name };
  readonly "identity.damaged": { readonly folder: Name };
  readonly "token.expired": { readonly at: Name };
  readonly "expelled.stale": { readonly got: number; readonly known: number };
  /** Of a connection's other side. */
  readonly "certificate.none": None;
  readonly "certificate.strange-root": None;
  /** The remedy. */
  readonly "certificate.give-root": None;
  readonly "certificate.expelled": { readonly role: Name; readonly id: Name };
  /** In a browser, of who signed a release. @param certificate - as in `certificate.invalid` */
  readonly "certificate.signer": { readonly certificate: Name; readonly why: AnySaid };
  readonly "chain.chain": None;
  readonly "chain.no-name": None;
  readonly "chain.broken": None;
}
