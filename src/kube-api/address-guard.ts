import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** A host has an address that the service does not connect to. */
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

/**
 * Networks that are not public: where a service inside one's own network may listen. The IANA registries of special-purpose addresses
 * (RFC 6890) have them. IPv6 addresses that stand for IPv4 addresses (NAT64, 6to4, Teredo, compatible) count too.
 */
const PRIVATE: readonly Subnet[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
];

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** What is refused besides, unless it is in an allowed range. */
interface Unless {
  readonly refused: readonly Subnet[];
  readonly allowed: readonly string[];
}

function listOf(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix, family] of subnets) list.addSubnet(address, prefix, family);
  return list;
}

function subnetOf(range: string): Subnet {
  const [address = '', prefix] = range.split('/');
  const isFour = isIP(address) === 4;
  return [address, prefix === undefined ? (isFour ? 32 : 128) : Number(prefix), isFour ? 'ipv4' : 'ipv6'];
}

/**
 * Keeps connections from addresses that no API server and no receiver of notifications has, so that they cannot be used to reach into
 * the service's own network.
 */
export class AddressGuard {
  private readonly refused: BlockList;
  private readonly inside: BlockList;
  private readonly allowed: BlockList;

  /** @param allowsLoopback whether API servers on this machine are allowed, as on a developer's */
  constructor(
    private readonly allowsLoopback: boolean,
    unless: Unless = { refused: [], allowed: [] },
  ) {
    this.refused = listOf(allowsLoopback ? NEVER : [...NEVER, ...LOOPBACK]);
    this.inside = listOf(unless.refused);
    this.allowed = listOf(unless.allowed.map(subnetOf));
  }

  /**
   * A guard of receivers, which anybody on the Internet may be, but nothing in a private network or on this machine unless it is allowed.
   * @param allowed addresses and ranges, such as `10.1.0.0/16`; those of `NEVER` remain refused
   */
  static ofReceivers(allowed: readonly string[]): AddressGuard {
    return new AddressGuard(true, { refused: [...PRIVATE, ...LOOPBACK], allowed });
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
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const isInside = this.inside.check(address, family) && !this.allowed.check(address, family);
    if (!isInside && !this.refused.check(address, family)) return;
    const hint = isInside
      ? ', which is in a private network; NOTIFICATION_ALLOWED_ADDRESSES may allow it'
      : this.allowsLoopback
        ? ''
        : ', which is of this machine, link-local or multicast';
    throw new AddressRefused(
      `the service does not connect to ${host}${host === address ? '' : ` (${address})`}${hint}`,
    );
  }
}
