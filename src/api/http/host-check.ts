import { isIP } from 'node:net';
import { isLoopback } from '../../auth/loopback.js';

export interface HostSettings {
  /** Address that the service listens on. */
  readonly bound: string;
  /** Additional host names: `placement.internal`, `*.corp.example`. */
  readonly allowed: readonly string[];
  /** Host name of the service's public URL, if it is set. */
  readonly publicHost: string | undefined;
}

/** A host with an optional port, as in the header `Host` (RFC 9110, section 7.2). */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{0,5})?$/;

/**
 * The host name in a `Host` header: lower case, without port, brackets and trailing dot.
 * @returns undefined if it is not a valid host
 */
export function hostName(header: string): string | undefined {
  const name = HOST.exec(header.trim().toLowerCase())?.[1];
  return name?.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/**
 * Checks which host names the service accepts. For a browser, a page whose own name resolves to this machine (DNS
 * rebinding) has the same origin as the service; only the host name reveals it.
 */
export class HostCheck {
  private readonly exact: ReadonlySet<string>;
  private readonly suffixes: readonly string[];
  private readonly everyAddress: boolean;

  constructor({ bound, allowed, publicHost }: HostSettings) {
    const names = [bound, ...allowed, ...(publicHost === undefined ? [] : [publicHost])].map(
      (name) => hostName(name) ?? name.toLowerCase(),
    );
    this.exact = new Set(names.filter((name) => !name.startsWith('*.')));
    this.suffixes = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
    // If bound to all addresses, the service accepts all addresses of the machine. A name cannot look like an address.
    this.everyAddress = bound === '0.0.0.0' || hostName(bound) === '::' || bound === '::';
  }

  allows(header: string): boolean {
    const name = hostName(header);
    if (name === undefined) return false;
    if (isLoopback(name) || name.endsWith('.localhost') || this.exact.has(name)) return true;
    if (this.everyAddress && isIP(name) !== 0) return true;
    return this.suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length);
  }
}
