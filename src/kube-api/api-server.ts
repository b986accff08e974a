/** How to reach an API server, and as whom. */
export interface ApiServer {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string;
  /** PEM; absent: the CAs that Node trusts. */
  readonly ca?: string;
  /** The name in the server's certificate, if it differs from the host. */
  readonly serverName?: string;
  readonly user: ApiUser;
}

export type ApiUser =
  | { readonly kind: 'token'; readonly token: string }
  /** PEM. */
  | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string }
  /** The service account of the pod that the service runs in; its token is read again for each request, because it is rotated. */
  | { readonly kind: 'serviceAccount' };
