/** The CA bundle that an API server needs to call this service. */
export abstract class TrustedCertificates {
  /**
   * PEM; undefined if this service does not serve TLS itself, so that the API server uses the system's root
   * certificates.
   */
  abstract bundle(): Promise<string | undefined>;
}
