import type { JsonObject } from '../../core/json/json-value.js';
import { pascalCase } from './pascal-case.js';

/** Shorter examples stay inline, where they are easier to read. */
const WORTH_SHARING = 200;

interface Media {
  example?: unknown;
  examples?: object;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

/**
 * Moves response examples that occur several times into components.
 * @returns the components
 */
export function shareExamples(paths: ReadonlyMap<string, JsonObject>): JsonObject {
  const uses = new Map<string, { readonly id: string; readonly media: Media }[]>();
  for (const item of paths.values()) {
    for (const { operationId: id, responses } of Object.values(item) as unknown as Operation[]) {
      for (const { content = {} } of Object.values(responses)) {
        for (const media of Object.values(content)) {
          const text = JSON.stringify(media.example) as string | undefined;
          if (text === undefined || text.length < WORTH_SHARING) continue;
          uses.set(text, [...(uses.get(text) ?? []), { id, media }]);
        }
      }
    }
  }
  const shared: JsonObject = {};
  for (const found of uses.values()) {
    const [first] = found;
    if (first === undefined || found.length === 1) continue;
    const base = `${pascalCase(first.id)}Response`;
    const name = base in shared ? `${base}${Object.keys(shared).length}` : base;
    shared[name] = { value: first.media.example as JsonObject };
    for (const { media } of found) {
      delete media.example;
      media.examples = { response: { $ref: `#/components/examples/${name}` } };
    }
  }
  return shared;
}
