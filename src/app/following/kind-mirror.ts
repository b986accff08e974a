import { KindTotal } from '../../storage/kind-total.js';

/** What is stored of an object. */
export interface MirroredObject {
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/**
 * Which objects of a kind are stored, in which versions, without their content. A replica that follows a thousand clusters has millions of
 * them, so each is one string of bytes, half as large as an object with its texts.
 */
export class KindMirror {
  private readonly objects = new Map<string, string>();
  private readonly total = KindTotal.empty();

  get count(): number {
    return this.total.count;
  }

  get hash(): string {
    return this.total.hash;
  }

  find(namespace: string, name: string): MirroredObject | undefined {
    const packed = this.objects.get(keyOf(namespace, name));
    return packed === undefined ? undefined : unpacked(packed);
  }

  set(namespace: string, name: string, object: MirroredObject): void {
    this.delete(namespace, name);
    this.objects.set(flat(keyOf(namespace, name)), packedOf(object));
    this.total.add({ namespace, name, ...object });
  }

  delete(namespace: string, name: string): void {
    const key = keyOf(namespace, name);
    const former = this.objects.get(key);
    if (former === undefined) return;
    this.objects.delete(key);
    this.total.remove({ namespace, name, ...unpacked(former) });
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The same text without the parts that V8 keeps of a text that was put together. */
const flat = (text: string): string => Buffer.from(text).toString();

/** The bytes of the uid, of the version and of the hash, as a string with one byte for each: V8 keeps it without overhead. */
function packedOf({ uid, resourceVersion, hash }: MirroredObject): string {
  const texts = Buffer.from(`${given(uid)}\0${given(resourceVersion)}\0`);
  return Buffer.concat([texts, Buffer.from(hash, 'hex')]).toString('latin1');
}

function unpacked(packed: string): MirroredObject {
  const bytes = Buffer.from(packed, 'latin1');
  const afterUid = bytes.indexOf(0);
  const afterVersion = bytes.indexOf(0, afterUid + 1);
  return {
    uid: taken(bytes.toString('utf8', 0, afterUid)),
    resourceVersion: taken(bytes.toString('utf8', afterUid + 1, afterVersion)),
    hash: bytes.toString('hex', afterVersion + 1),
  };
}

/** Text that tells null from an empty text. */
const given = (text: string | null): string => (text === null ? '' : `=${text}`);
const taken = (text: string): string | null => (text === '' ? null : text.slice(1));
