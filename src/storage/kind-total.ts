import { hash } from 'node:crypto';

/** What identifies one state of an object. */
export interface ObjectIdentity {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  /** That with which the object was last sent. */
  readonly resourceVersion: string | null;
}

/**
 * The number of objects of a kind, and a hash over which objects they are, in which versions: the sum modulo 2^64 of the first 8 bytes,
 * big endian, of SHA-256 over `<namespace>/<name>\n<uid>\n<resourceVersion>` of each. Sender and receiver of deltas keep one each, at a
 * constant cost per change, and compare them.
 */
export class KindTotal {
  private constructor(
    private objects: number,
    private sum: bigint,
  ) {}

  static empty(): KindTotal {
    return new KindTotal(0, 0n);
  }

  /** @param digits 16 hexadecimal digits */
  static of(count: number, digits: string): KindTotal {
    return new KindTotal(count, BigInt(`0x${digits}`));
  }

  get count(): number {
    return this.objects;
  }

  /** 16 hexadecimal digits. */
  get hash(): string {
    return this.sum.toString(16).padStart(16, '0');
  }

  add(object: ObjectIdentity): void {
    this.addTerm(termOf(object));
  }

  remove(object: ObjectIdentity): void {
    this.removeTerm(termOf(object));
  }

  addTerm(term: bigint): void {
    this.objects += 1;
    this.sum = BigInt.asUintN(64, this.sum + term);
  }

  removeTerm(term: bigint): void {
    this.objects -= 1;
    this.sum = BigInt.asUintN(64, this.sum - term);
  }
}

/** What an object adds to the hash of a total: 64 bits. */
export function termOf({ namespace, name, uid, resourceVersion }: ObjectIdentity): bigint {
  const digest = hash('sha256', `${namespace}/${name}\n${uid ?? ''}\n${resourceVersion ?? ''}`, 'buffer');
  return digest.readBigUInt64BE();
}

/** The same of stored rows in SQL, as an integer that may be negative: its remainder modulo 2^64 is the hash. */
export const SUM_OF_TERMS = `
  coalesce(sum(('x' || encode(substring(sha256(convert_to(
    namespace || '/' || name || E'\\n' || coalesce(uid, '') || E'\\n' || coalesce(resource_version, ''), 'UTF8'
  )) from 1 for 8), 'hex'))::bit(64)::bigint), 0)::text`;

export function totalOfSum(count: number, sum: string): KindTotal {
  return KindTotal.of(count, BigInt.asUintN(64, BigInt(sum)).toString(16));
}
