/** The sender of a request. */
export interface Caller {
  /** Unique among callers of the same kind (and issuer); recorded as the author of changes. */
  readonly name: string;
  /** `anonymous`: authentication is off. `token`: a static token. `oidc`: a user of the identity provider `issuer`. */
  readonly kind: 'anonymous' | 'token' | 'oidc';
  readonly groups: readonly string[];
  /** The identity provider; absent for other kinds. */
  readonly issuer?: string;
}

export const ANONYMOUS: Caller = { name: 'anonymous', kind: 'anonymous', groups: [] };
