import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json/json-value.js';

/** Components of one kind; each distinct content is stored once, under a unique name. */
export class ComponentStore {
  private readonly byName = new Map<string, JsonObject>();
  private readonly names = new Map<string, string>();

  constructor(private readonly kind: 'parameters' | 'responses') {}

  /** Returns a reference to a component with this content, named by the first of the names that is free. */
  reference(content: JsonObject, names: readonly string[]): JsonObject {
    const text = JSON.stringify(content);
    let name = this.names.get(text);
    if (name === undefined) {
      name = names.find((one) => !this.byName.has(one)) ?? `${names.at(-1) ?? ''}${digestOf(text)}`;
      this.names.set(text, name);
      this.byName.set(name, content);
    }
    return { $ref: `#/components/${this.kind}/${name}` };
  }

  all(): JsonObject {
    return Object.fromEntries([...this.byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}
