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
  /** @param high and `low`: the halves of the sum, 32 bits each, which are faster than a bigint */
  private constructor(
    private objects: number,
    private high: number,
    private low: number,
  ) {}

  static empty(): KindTotal {
    return new KindTotal(0, 0, 0);
  }

  /** @param digits 16 hexadecimal digits */
  static of(count: number, digits: string): KindTotal {
    const padded = digits.padStart(16, '0');
    return new KindTotal(count, parseInt(padded.slice(0, 8), 16), parseInt(padded.slice(8), 16));
  }

  get count(): number {
    return this.objects;
  }

  /** 16 hexadecimal digits. */
  get hash(): string {
    return digitsOf(this.high) + digitsOf(this.low);
  }

  add(object: ObjectIdentity): void {
    const { high, low } = termOf(object);
    this.addTerm(high, low);
  }

  remove(object: ObjectIdentity): void {
    const { high, low } = termOf(object);
    this.removeTerm(high, low);
  }

  addTerm(high: number, low: number): void {
    this.objects += 1;
    const sum = this.low + low;
    this.low = sum >>> 0;
    this.high = (this.high + high + (sum > LARGEST ? 1 : 0)) >>> 0;
  }

  removeTerm(high: number, low: number): void {
    this.objects -= 1;
    const difference = this.low - low;
    this.low = difference >>> 0;
    this.high = (this.high - high - (difference < 0 ? 1 : 0)) >>> 0;
  }
}

/** Of 32 bits. */
const LARGEST = 0xffff_ffff;

const digitsOf = (half: number): string => half.toString(16).padStart(8, '0');

/** What an object adds to the hash of a total: two halves of 32 bits. */
export function termOf({ namespace, name, uid, resourceVersion }: ObjectIdentity): {
  readonly high: number;
  readonly low: number;
} {
  const digest = hash('sha256', `${namespace}/${name}\n${uid ?? ''}\n${resourceVersion ?? ''}`, 'buffer');
  return { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) };
}

/** The same of stored rows in SQL, as an integer that may be negative: its remainder modulo 2^64 is the hash. */
export const SUM_OF_TERMS = `
  coalesce(sum(('x' || encode(substring(sha256(convert_to(
    namespace || '/' || name || E'\\n' || coalesce(uid, '') || E'\\n' || coalesce(resource_version, ''), 'UTF8'
  )) from 1 for 8), 'hex'))::bit(64)::bigint), 0)::text`;

export function totalOfSum(count: number, sum: string): KindTotal {
  return KindTotal.of(count, BigInt.asUintN(64, BigInt(sum)).toString(16));
}
