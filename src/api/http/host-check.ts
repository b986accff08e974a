import { isIP } from 'node:net';
import { isLoopback } from '../../auth/loopback.js';

export interface HostSettings {
  /** The address that the service listens on. */
  readonly bound: string;
  /** Further names: `placement.internal`, `*.corp.example`. */
  readonly allowed: readonly string[];
  /** The name in the address that callers know the service by, if it is set. */
  readonly publicHost: string | undefined;
}

/** A host with an optional port, as the header `Host` has it (RFC 9110, section 7.2). */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{0,5})?$/;

/**
 * The name in a `Host` header: lower case, without port, brackets and the dot of a rooted name.
 * @returns undefined for what is no host
 */
export function hostName(header: string): string | undefined {
  const name = HOST.exec(header.trim().toLowerCase())?.[1];
  return name?.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/**
 * Which names the service answers to. A page whose own name is made to point to this machine (DNS rebinding) is of the
 * same origin as the service in the eyes of the browser; only the name gives it away.
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
    // Bound to every address, the service has all of the machine's. No name can be made to look like an address.
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
