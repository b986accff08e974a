import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import { parseJson } from '../../src/core/json/lossless-json.js';
import { decodeObject } from '../../src/core/kubernetes/decode.js';
import { validateStoredObject } from '../../src/core/kubernetes/validation/stored-object.js';

const FOLDER = 'demo/clusters';

/** The objects of a dump: those of its Lists, or the documents themselves. */
function objectsIn(file: string): JsonValue[] {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const documents = file.endsWith('.json')
    ? [parseJson(text)]
    : parseAllDocuments(text).map((document) => document.toJS() as JsonValue);
  return documents.flatMap((document) => {
    const { items } = document as JsonObject;
    return Array.isArray(items) ? items : [document];
  });
}

describe('dumps of real clusters', () => {
  it.each(readdirSync(FOLDER).filter((file) => /\.(json|yaml)$/.test(file)))(
    'are read without a complaint or an unknown field: %s',
    (file) => {
      const objects = objectsIn(file);
      expect(objects.length).toBeGreaterThan(0);
      for (const object of objects) {
        const decoded = decodeObject(object, { apiVersion: 'v1', kind: file.includes('pods') ? 'Pod' : 'Node' });
        expect(decoded).toMatchObject({ outcome: 'object', unknownFields: [] });
        if (decoded.outcome === 'object') expect(validateStoredObject(decoded.object)).toEqual([]);
      }
    },
  );
});
