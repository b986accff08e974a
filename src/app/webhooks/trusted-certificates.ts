/** What an API server is to trust when it calls this service. */
export abstract class TrustedCertificates {
  /** PEM; undefined where this service speaks no TLS itself, and the roots of the API server's machine decide. */
  abstract bundle(): Promise<string | undefined>;
}
