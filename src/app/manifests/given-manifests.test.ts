import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../core/json/json-value.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { documentsOf, givenManifests } from './given-manifests.js';

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { foo: 1 } };
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };

const given = (manifests: readonly JsonValue[]): ReturnType<typeof givenManifests> =>
  givenManifests({ documents: documentsOf(manifests, '/manifests') }, { namespace: 'shop' });

describe('the manifests of a request', () => {
  it('have their places in the request, and what is to be said of their fields', () => {
    const { objects, fields, notLookedAt } = given([POD, { apiVersion: 'v1', kind: 'List', items: [SECRET] }]);
    expect(objects.map(({ kind, namespace, source }) => [kind, namespace, source])).toEqual([
      ['Pod', 'shop', { document: 0, pointer: '/manifests/0' }],
      ['Secret', 'shop', { document: 1, item: 0, pointer: '/manifests/1/items/0' }],
    ]);
    expect([...fields.values()]).toEqual([
      { faults: [{ kind: 'unknown', text: 'unknown field "spec.foo"' }], keys: [] },
      { faults: [], keys: [] },
    ]);
    expect(notLookedAt.map(({ object }) => object)).toEqual([objects[1]]);
  });

  it('are refused with an error for each that cannot be used', () => {
    let thrown: unknown;
    try {
      given([POD, 1, POD]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect((thrown as InvalidRequestError).details).toEqual([
      {
        pointer: '/manifests/1',
        code: 'not-an-object',
        message: 'document 2: the document is an integer, not an object',
      },
      {
        pointer: '/manifests/2/metadata/name',
        code: 'duplicate-object',
        message: 'document 3: Pod a in namespace shop is there twice; the first is document 1',
      },
    ]);
  });
});
