import { escapePointer } from '../json/escape-pointer.js';

type Segment = { readonly name: string } | { readonly index: number } | { readonly key: string };

/**
 * The path of a field in an object, in the notation of `k8s.io/apimachinery/pkg/util/validation/field.Path` (v0.36.2):
 * `spec.taints[0].key`, `spec.containers[1].resources.requests[cpu]`.
 */
export class FieldPath {
  private constructor(
    private readonly parent: FieldPath | undefined,
    private readonly segment: Segment,
  ) {}

  static of(name: string, ...more: string[]): FieldPath {
    return new FieldPath(undefined, { name }).child(...more);
  }

  child(...names: string[]): FieldPath {
    return names.reduce<FieldPath>((path, name) => new FieldPath(path, { name }), this);
  }

  /** An element of a list. */
  index(index: number): FieldPath {
    return new FieldPath(this, { index });
  }

  /** An entry of a map. */
  key(key: string): FieldPath {
    return new FieldPath(this, { key });
  }

  /** In Kubernetes notation. A path without any name is written `[]`, as upstream writes it (`field.Path.String`). */
  toString(): string {
    const { segment } = this;
    if (this.parent === undefined && 'name' in segment && segment.name === '') return '[]';
    const before = this.parent?.toString() ?? '';
    if ('name' in this.segment) return before === '' ? this.segment.name : `${before}.${this.segment.name}`;
    return 'index' in this.segment ? `${before}[${this.segment.index}]` : `${before}[${this.segment.key}]`;
  }

  /** The same path as a JSON pointer (RFC 6901): `/spec/taints/0/key`. */
  toPointer(): string {
    const before = this.parent?.toPointer() ?? '';
    const { segment } = this;
    const token = 'name' in segment ? segment.name : 'index' in segment ? String(segment.index) : segment.key;
    return `${before}/${escapePointer(token)}`;
  }
}
