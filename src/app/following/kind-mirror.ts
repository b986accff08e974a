import { KindTotal } from '../../storage/kind-total.js';

/** What is stored of an object. */
export interface MirroredObject {
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** Which objects of a kind are stored, in which versions, without their content. */
export class KindMirror {
  private readonly objects = new Map<string, MirroredObject>();
  private readonly total = KindTotal.empty();

  get count(): number {
    return this.total.count;
  }

  get hash(): string {
    return this.total.hash;
  }

  find(namespace: string, name: string): MirroredObject | undefined {
    return this.objects.get(keyOf(namespace, name));
  }

  set(namespace: string, name: string, object: MirroredObject): void {
    this.delete(namespace, name);
    this.objects.set(keyOf(namespace, name), object);
    this.total.add({ namespace, name, ...object });
  }

  delete(namespace: string, name: string): void {
    const key = keyOf(namespace, name);
    const former = this.objects.get(key);
    if (former === undefined) return;
    this.objects.delete(key);
    this.total.remove({ namespace, name, ...former });
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;
