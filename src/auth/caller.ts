/** Who asks. */
export interface Caller {
  /** Unique among callers of its kind (and issuer): the author of what the caller changes. */
  readonly name: string;
  /** `anonymous`: nobody was asked for a name. `token`: a static token of ours. `oidc`: somebody whom `issuer` vouches for. */
  readonly kind: 'anonymous' | 'token' | 'oidc';
  readonly groups: readonly string[];
  /** The identity provider; absent for callers that no provider vouches for. */
  readonly issuer?: string;
}

export const ANONYMOUS: Caller = { name: 'anonymous', kind: 'anonymous', groups: [] };
