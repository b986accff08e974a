import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** The host of an API server has an address that the service does not connect to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

type Subnet = readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'];

/** Addresses of the machine itself. */
const LOOPBACK: readonly Subnet[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
];

/** Addresses where no API server is, and where clouds serve the credentials of the machine: unspecified, link-local, multicast, broadcast. */
const NEVER: readonly Subnet[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['255.255.255.255', 32, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Keeps connections from addresses that no API server has, so that a connection cannot be used to reach into the service's own network. */
export class AddressGuard {
  private readonly refused = new BlockList();

  /** @param allowsLoopback whether API servers on this machine are allowed, as on a developer's */
  constructor(private readonly allowsLoopback: boolean) {
    for (const [address, prefix, family] of allowsLoopback ? NEVER : [...NEVER, ...LOOPBACK]) {
      this.refused.addSubnet(address, prefix, family);
    }
  }

  /** @throws {AddressRefused} for a host that is an address, and a refused one */
  checkHost(host: string): void {
    const address = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) !== 0) this.check(host, address);
  }

  /** Resolves a name for `net.connect`, and refuses it after that, so that a name cannot change its address in between. */
  readonly lookup = (host: string, options: LookupOptions, found: Found): void => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        found(error, []);
        return;
      }
      try {
        for (const { address } of addresses) this.check(host, address);
      } catch (refusal) {
        found(refusal as NodeJS.ErrnoException, []);
        return;
      }
      const [first] = addresses;
      if (options.all === true) found(null, addresses);
      else found(null, first!.address, first!.family);
    });
  };

  private check(host: string, address: string): void {
    if (!this.refused.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return;
    const hint = this.allowsLoopback ? '' : ', which is of this machine, link-local or multicast';
    throw new AddressRefused(
      `the service does not connect to ${host}${host === address ? '' : ` (${address})`}${hint}`,
    );
  }
}
